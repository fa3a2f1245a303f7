// What everybody at the table has seen: the last trick in a line, and all tricks behind it.

function createHistory() {
  const last = el('p', 'last-trick', { 'data-testid': 'history-last' });
  const title = el('summary');
  const tricks = el('tbody');
  const head = ['Trick', ...SEAT_NAMES, 'Taken by'].map((text) => el('th', null, { scope: 'col' }, text));
  const all = el('details', null, { 'data-testid': 'history-tricks' }, title,
    el('table', null, null, el('thead', null, null, el('tr', null, null, ...head)), tricks));
  return { root: el('div', 'history', null, last, all), last, title, tricks, shown: null };
}

function updateHistory(history, round, position) {
  const nDone = Math.floor(position.nPlayed / 4);
  const key = `${round.plays.slice(0, 4 * nDone)}`;
  if (history.shown === key) return;
  history.shown = key;
  history.root.hidden = nDone === 0;
  if (!nDone) return;
  history.last.replaceChildren(...lastTrick(round, nDone - 1));
  setText(history.title, `Tricks so far: ${nDone}`);
  history.tricks.replaceChildren(...Array.from({ length: nDone }, (_, i) => trickRow(round, nDone - 1 - i)));
}

function lastTrick(round, i) {
  const plays = [0, 1, 2, 3].map((k) => el('span', 'play', null,
    `${SEATS[round.play_seats[4 * i + k]]} `, cardChip(round.plays[4 * i + k], round)));
  return [el('b', null, null, 'Last trick'), ...plays, `${SEAT_NAMES[round.winners[i]]} took it`];
}
