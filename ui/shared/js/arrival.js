// The body of a page is first seen when it stands: until Streamlit has loaded a widget, a box of
// another height is in its place. The style hides it as long as the document is marked. What loads
// below the window's edge moves nothing that is seen.
(() => {
  const PATIENCE_MS = 6000; // from the bar on; a page that is still at work is then seen as it is
  const CALM_MS = 100; // nothing more arrives
  const root = document.documentElement;
  root.dataset.arriving = '';
  let patience, calm;
  const see = () => {
    observer.disconnect();
    clearTimeout(calm);
    delete root.dataset.arriving;
  };
  const observer = new MutationObserver(() => {
    if (!document.querySelector('.st-key-bar')) return;
    patience ??= setTimeout(see, PATIENCE_MS);
    const state = document.querySelector('.stApp').dataset.testScriptState;
    const loading = [...document.querySelectorAll('.stMain [data-testid=stSkeleton]')];
    clearTimeout(calm);
    if (state !== 'notRunning') return;
    if (loading.every((box) => box.getBoundingClientRect().top > innerHeight)) {
      calm = setTimeout(see, CALM_MS);
    }
  });
  observer.observe(root, { childList: true, subtree: true, attributeFilter: ['data-test-script-state'] });
  setTimeout(see, 4 * PATIENCE_MS);
})();
