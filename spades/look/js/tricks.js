// All tricks so far, over the table: who played what, who led, who took it. The last one stands first.

function createTricks(app) {
  const body = el('tbody');
  const head = ['Trick', ...SEAT_NAMES, 'Taken by'].map((text) => el('th', null, { scope: 'col' }, text));
  const close = button('toggle', { 'aria-label': 'Close the tricks' }, () => app.toggleTricks(), 'Close');
  const empty = el('p', 'muted', null, 'No trick is finished yet.');
  const root = el('section', 'tricks', { 'aria-label': 'Tricks so far', 'data-testid': 'rv-tricks' },
    el('header', null, null, el('h3', null, null, 'Tricks so far'), close),
    empty, el('table', null, null, el('thead', null, null, el('tr', null, null, ...head)), body));
  root.hidden = true;
  return { root, body, empty, shown: '' };
}

function updateTricks(app, position) {
  const { tricks, data: { round } } = app;
  tricks.root.hidden = !app.showsTricks;
  const nDone = app.showsTricks ? Math.floor(position.nPlayed / 4) : 0;
  const key = `${app.revision} ${nDone}`;
  if (tricks.shown === key) return;
  tricks.shown = key;
  tricks.empty.hidden = nDone > 0;
  tricks.body.replaceChildren(...Array.from({ length: nDone }, (_, i) => trickRow(round, nDone - 1 - i)));
}

/** A finished trick: a card under each seat's name, the one led and the one that took it marked. */
function trickRow(round, i) {
  const cards = round.plays.slice(4 * i, 4 * i + 4);
  const seats = round.play_seats.slice(4 * i, 4 * i + 4);
  const winner = round.winners[i];
  const cells = [0, 1, 2, 3].map((seat) => {
    const isLed = seats[0] === seat;
    const title = [isLed && 'led', winner === seat && 'took the trick'].filter(Boolean).join(', ') || null;
    return el('td', winner === seat ? 'took' : null, { title },
      cardChip(cards[seats.indexOf(seat)], round), isLed ? el('small', null, null, 'led') : null);
  });
  return el('tr', null, null, el('th', null, { scope: 'row' }, String(i + 1)), ...cells, el('td', null, null, SEAT_NAMES[winner]));
}
