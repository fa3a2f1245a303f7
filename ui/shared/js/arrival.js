// The body of a page is first seen when it stands: until Streamlit has loaded a widget, a box of
// another height is in its place. The style hides it as long as the document is marked. What loads
// below the window's edge moves nothing that is seen.
(() => {
  const PATIENCE_MS = 6000; // from the first element on; a page that is still at work is then seen as it is
  const LONGEST_MS = 24_000; // for widgets whose code is being fetched
  const CALM_MS = 100; // it stands for so long
  const root = document.documentElement;
  root.dataset.arriving = '';
  let patience, calm;
  let isLate = false;
  const boxes = (name) => [...document.querySelectorAll(`.stMain [data-testid=${name}]`)]
    .map((box) => box.getBoundingClientRect());
  const isFetching = () => boxes('stSkeleton').some((box) => box.top <= innerHeight);
  // Elements come in the page's order: what follows one that reaches the edge isn't seen.
  const isWhole = () => document.querySelector('.stApp').dataset.testScriptState === 'notRunning'
    || boxes('stElementContainer').some((box) => box.bottom > innerHeight);
  const see = () => {
    observer.disconnect();
    delete root.dataset.arriving;
  };
  const look = () => {
    if (!document.querySelector('.stMain [data-testid=stElementContainer]')) return;
    patience ??= setTimeout(() => { isLate = true; look(); }, PATIENCE_MS);
    if ((isLate || isWhole()) && !isFetching()) {
      calm ??= setTimeout(see, CALM_MS);
    } else {
      calm = clearTimeout(calm);
    }
  };
  const observer = new MutationObserver(look);
  observer.observe(root, { childList: true, subtree: true, attributeFilter: ['data-test-script-state'] });
  setTimeout(see, LONGEST_MS);
})();
