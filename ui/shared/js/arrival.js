// The body of a page is first seen when it stands: until Streamlit has loaded a widget, a box of
// another height is in its place. The style hides it as long as the document is marked. What loads
// below the window's edge moves nothing that is seen.
(() => {
  const PATIENCE_MS = 6000; // from the first element on; a page that is still at work is then seen as it is
  const CALM_MS = 100; // it stands for so long
  const root = document.documentElement;
  root.dataset.arriving = '';
  let patience, calm;
  const boxes = (name) => [...document.querySelectorAll(`.stMain [data-testid=${name}]`)]
    .map((box) => box.getBoundingClientRect());
  // Elements come in the page's order: what follows one that reaches the edge isn't seen.
  const isWhole = () => document.querySelector('.stApp').dataset.testScriptState === 'notRunning'
    || boxes('stElementContainer').some((box) => box.bottom > innerHeight);
  const see = () => {
    observer.disconnect();
    delete root.dataset.arriving;
  };
  const observer = new MutationObserver(() => {
    if (!document.querySelector('.stMain [data-testid=stElementContainer]')) return;
    patience ??= setTimeout(see, PATIENCE_MS);
    if (isWhole() && boxes('stSkeleton').every((box) => box.top > innerHeight)) {
      calm ??= setTimeout(see, CALM_MS);
    } else {
      calm = clearTimeout(calm);
    }
  });
  observer.observe(root, { childList: true, subtree: true, attributeFilter: ['data-test-script-state'] });
  setTimeout(see, 4 * PATIENCE_MS);
})();
