// The overlay that lists the keys, and the small message at the foot.

const KEY_HELP = [
  [['←', '→'], 'previous, next card; before the first lead the bids'],
  [['↑', '↓'], 'previous, next decision of this seat, its bid included'],
  [['N', 'Shift N'], 'next, previous slip or mistake, as far as plays are judged'],
  [['D', 'Shift D'], 'next, previous disagreement; a bid is one if neither BIS nor the simulated human, most often, makes it'],
  [['Home', 'End'], 'first bid (first lead without bids), end of the round'],
  [['H'], 'all hands, one hand, one hand + beliefs'],
  [['M'], 'models and search shown or hidden'],
  [['1–9'], 'pick a legal card; again or Esc lets it go'],
  [['T'], 'all tricks so far'],
  [['L'], 'copy a link to this position'],
  [['?'], 'this list'],
];

function createHelp(app) {
  const lines = KEY_HELP.flatMap(([keys, text]) => [
    el('dt', null, null, ...keys.map((key) => el('kbd', null, null, key))), el('dd', null, null, text),
  ]);
  const close = button('toggle', { 'aria-label': 'Close the list of keys' }, () => app.toggleHelp(), 'Close');
  const sheet = el('div', 'sheet', { role: 'document' },
    el('header', null, null, el('h3', null, null, 'Keys'), close), el('dl', null, null, ...lines));
  const root = el('div', 'help', { 'data-testid': 'rv-help', role: 'region', 'aria-label': 'Keys' }, sheet);
  root.addEventListener('click', (event) => { if (event.target === root) app.toggleHelp(); });
  return root;
}

function createToast() {
  const root = el('div', 'toast', { role: 'status', 'data-testid': 'rv-toast' });
  let timer = null;
  const say = (text, ms = 1800) => {
    root.textContent = text;
    root.classList.add('on');
    clearTimeout(timer);
    timer = setTimeout(() => root.classList.remove('on'), ms);
  };
  return { root, say };
}

function linkTo({ data, ply, view }) {
  const url = new URL(window.location.href);
  url.searchParams.delete(ply < 0 ? 'ply' : 'bid');
  url.searchParams.set(ply < 0 ? 'bid' : 'ply', ply < 0 ? bidAt(ply) : ply);
  url.searchParams.set('seat', data.seat);
  url.searchParams.set('view', view);
  return url.href;
}

/** Copy text; where the clipboard is missing (plain http) through a hidden text area. */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = el('textarea', null, { readonly: '', 'aria-hidden': 'true' });
    area.value = text;
    area.style.cssText = 'position:fixed;top:0;left:0;opacity:0';
    document.body.append(area);
    const before = document.activeElement;
    area.select();
    const isCopied = document.execCommand('copy');
    area.remove();
    before?.focus?.({ preventScroll: true });
    return isCopied;
  }
}
