// Keys that work whatever was clicked last, without taking any that somebody is typing.

const TEXT_TYPES = /^(text|search|number|email|url|tel|password|date|time|datetime-local|month|week)$/;
const OWN_ARROWS = '[role=slider],[role=radio],[role=tab],[role=listbox],[role=option],[role=spinbutton],[role=grid],[role=gridcell],select,input[type=range],input[type=radio]';
const MODAL = '[data-testid="stDialog"],[role="dialog"][aria-modal="true"]';
const MOVES = new Set(['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End']);

/** Listen on the window before anybody else. Returns a function that stops it. */
function listenToKeys(app) {
  let byKeyboard = false;
  const onPointer = (event) => {
    byKeyboard = false;
    if (!linkOf(event)) app.reportNow();
  };
  // A report that overtakes the change of the page would call this page back.
  const onClick = (event) => {
    const link = linkOf(event);
    if (link && leadsAway(link, event)) app.leave();
    else if (link) app.reportLater();
  };
  const onKey = (event) => {
    if (event.key === 'Tab') byKeyboard = true;
    if (!app.root.isConnected) { stop(); return; }
    const action = actionFor(event);
    if (!action || !isOurs(app, event, byKeyboard)) return;
    if (event.repeat && !MOVES.has(event.key)) { swallow(event); return; }
    if (action(app) !== false) swallow(event);
  };
  const stop = () => {
    window.removeEventListener('keydown', onKey, true);
    window.removeEventListener('pointerdown', onPointer, true);
    window.removeEventListener('click', onClick, true);
  };
  window.addEventListener('keydown', onKey, true);
  window.addEventListener('pointerdown', onPointer, true);
  window.addEventListener('click', onClick, true);
  return stop;
}

function linkOf(event) {
  const target = event.composedPath()[0];
  return target instanceof Element ? target.closest('a[href]') : null;
}

/** Whether a click takes this very tab to another page. */
function leadsAway(link, event) {
  const staysHere = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey
    || event.button > 0 || (link.target && link.target !== '_self') || link.hasAttribute('download');
  return !staysHere && link.origin === location.origin && link.pathname !== location.pathname;
}

function swallow(event) {
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** What a key does; returning false leaves the key to the page. */
function actionFor(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return null;
  const { key, shiftKey } = event;
  if (key === '?') return (app) => app.toggleHelp();
  if (/^[nN]$/.test(key)) return (app) => app.goToMistake(shiftKey ? -1 : 1);
  if (/^[dD]$/.test(key)) return (app) => app.goToDisagreement(shiftKey ? -1 : 1);
  if (shiftKey) return null;
  if (/^[1-9]$/.test(key)) return (app) => app.pickRow(Number(key) - 1);
  return KEY_ACTIONS[key.length === 1 ? key.toLowerCase() : key] || null;
}

const KEY_ACTIONS = {
  ArrowLeft: (app) => app.goTo(app.ply - 1),
  ArrowRight: (app) => app.goTo(app.ply + 1),
  ArrowUp: (app) => app.goToDecisionOfSeat(-1),
  ArrowDown: (app) => app.goToDecisionOfSeat(1),
  Home: (app) => app.goTo(firstPly(app.data.round)),
  End: (app) => app.goTo(app.data.round.plays.length),
  h: (app) => app.toggleView(),
  m: (app) => app.toggleModels(),
  l: (app) => app.copyLink(),
  t: (app) => app.toggleTricks(),
  Escape: (app) => app.escape(),
};

function isOurs(app, event, byKeyboard) {
  if (!isVisible(app.root) || document.querySelector(MODAL)) return false;
  if (scrollsPage(event.key) && !isInView(app.root)) return false;
  const target = event.composedPath()[0];
  if (!(target instanceof Element)) return true;
  if (app.root.contains(target)) return true;
  if (app.needsFocus) return false;
  if (target.closest('[role=menu],[role=menuitem]')) return false;
  if (target.getAttribute('role') === 'combobox') return isComboboxOurs(target, event.key, byKeyboard);
  if (isTextField(target)) return false;
  return !(byKeyboard && MOVES.has(event.key) && target.closest(OWN_ARROWS));
}

/** A closed selectbox gives its keys away; one reached by Tab keeps Up and Down, which open it. */
function isComboboxOurs(target, key, byKeyboard) {
  if (target.getAttribute('aria-expanded') === 'true') return false;
  return !(byKeyboard && (key === 'ArrowUp' || key === 'ArrowDown'));
}

function isTextField(target) {
  if (target.isContentEditable || target.tagName === 'TEXTAREA') return true;
  return target.tagName === 'INPUT' && TEXT_TYPES.test(target.type);
}

const isVisible = (root) => root.getClientRects().length > 0;

/** Keys that a page scrolls by; they go back to it once the table is out of sight. */
const scrollsPage = (key) => ['ArrowUp', 'ArrowDown', 'Home', 'End'].includes(key);

function isInView(root) {
  const { top, bottom } = root.getBoundingClientRect();
  return bottom > 0 && top < window.innerHeight;
}
