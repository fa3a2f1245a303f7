// The three doors of a first visit: shown on the landing page until one is taken or they are closed,
// which the browser remembers where it may; the bar's Tour shows them again.
const SEEN = 'spades-doors-seen';
const OPEN_A_HAND = '[class*=st-key-replay_open_hand] button';
const PLAY = '.st-key-bar_pages a[href$=Play]';
const PASTE = '.st-key-replay_paste textarea';
const PATIENCE_MS = 30_000; // a slow line takes a while to bring what a door opens
const LOOK_MS = 50;
const CALM_MS = 500; // it keeps its focus for so long
const root = document.documentElement;

const recall = () => {
  try { return localStorage.getItem(SEEN); } catch { return null; }
};

const remember = () => {
  try { localStorage.setItem(SEEN, '1'); } catch { /* they will be there again on the next visit */ }
};

if (!recall() && !location.search) root.dataset.doors = 'open'; // a link leads to what it names

/** What is pasted next goes into the field for it, unless the reader has gone into another one. The
    page may draw the field anew, which takes its focus away. A phone would show its keyboard. */
const focusPaste = (until, kept = 0) => {
  const field = document.querySelector(PASTE);
  const focused = document.activeElement;
  if (focused !== field && focused?.matches('input, textarea')) return;
  if (focused !== field) field?.focus({ preventScroll: true });
  const keeps = field !== null && focused === field ? kept + LOOK_MS : 0;
  if (keeps < CALM_MS && performance.now() < until) setTimeout(focusPaste, LOOK_MS, until, keeps);
};

let waiting;

/** A door is drawn before what it opens. */
const clickOnceDrawn = (selector, until) => {
  const node = document.querySelector(selector);
  if (node) node.click();
  else if (performance.now() < until) waiting = setTimeout(clickOnceDrawn, LOOK_MS, selector, until);
};

document.addEventListener('click', ({ target }) => {
  clearTimeout(waiting); // who clicks elsewhere meanwhile has something else in mind
  if (target.closest('[data-tool=tour]')) root.dataset.doors = 'open';
  const door = target.closest('[data-door]')?.dataset.door;
  if (door) {
    delete root.dataset.doors;
    remember();
  }
  const until = performance.now() + PATIENCE_MS;
  if (door === 'complaint') clickOnceDrawn(OPEN_A_HAND, until);
  if (door === 'play') clickOnceDrawn(PLAY, until);
  const mayFocus = target.closest(OPEN_A_HAND) && matchMedia('(hover: hover)').matches;
  if (mayFocus) focusPaste(until);
});
