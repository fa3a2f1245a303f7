// What the reader does makes an entry of the browser's history, and a run of steps through a hand is
// one entry: Back leads to where it began. Streamlit makes an entry of every address that a page says,
// so that Back would lead to a link as it was before its page completed it, which completes it again.
const STEPS = ['ply', 'bid'];
const push = history.pushState.bind(history);
let made = ''; // the address of the entry that the last step made
let hasActed = false; // whether the reader did anything since the last address

['pointerdown', 'keydown', 'click', 'input'].forEach((kind) => {
  addEventListener(kind, () => { hasActed = true; }, true);
});
addEventListener('popstate', () => { hasActed = false; });

const withoutSteps = (url) => {
  const query = new URLSearchParams(url.search);
  STEPS.forEach((name) => query.delete(name));
  return `${url.pathname}?${query}`;
};

history.pushState = (state, title, address) => {
  const next = new URL(address ?? '', location.href);
  const isSamePage = next.pathname === location.pathname;
  const isStep = isSamePage && (!location.search || withoutSteps(next) === withoutSteps(location));
  const isNextStep = isStep && location.href === made;
  if (isSamePage && (!hasActed || isNextStep)) history.replaceState(state, title, address);
  else push(state, title, address);
  made = isNextStep || (isStep && hasActed) ? next.href : '';
  hasActed = false;
};
