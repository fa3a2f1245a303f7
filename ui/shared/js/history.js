// A run of steps through a hand is one entry of the browser's history: Back leads to where it began.
// Streamlit makes an entry of every address that a page says.
const STEPS = ['ply', 'bid'];
const push = history.pushState.bind(history);
let made = ''; // the address of the entry that the last step made

const withoutSteps = (url) => {
  const query = new URLSearchParams(url.search);
  STEPS.forEach((name) => query.delete(name));
  return `${url.pathname}?${query}`;
};

history.pushState = (state, title, address) => {
  const next = new URL(address ?? '', location.href);
  const isFromLanding = !location.search && next.pathname === location.pathname;
  const isStep = isFromLanding || withoutSteps(next) === withoutSteps(location);
  if (isStep && location.href === made) history.replaceState(state, title, address);
  else push(state, title, address);
  made = isStep ? next.href : '';
};
