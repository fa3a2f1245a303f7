// What everybody at the table has seen: the last trick, who showed out of which suit, all tricks.

function createHistory() {
  const last = el('p', 'last-trick', { 'data-testid': 'history-last' });
  const voids = el('p', 'voids', { 'data-testid': 'history-voids' });
  const title = el('summary');
  const tricks = el('tbody');
  const head = el('tr', null, null, el('th', null, { scope: 'col' }, 'Trick'), ...[...SEATS].map((seat) => el('th', null, { scope: 'col' }, seat)));
  const all = el('details', null, { 'data-testid': 'history-tricks' }, title,
    el('table', null, null, el('thead', null, null, head), tricks));
  return { root: el('div', 'history', null, last, voids, all), last, voids, title, all, tricks, shown: null };
}

function updateHistory(history, round, position) {
  const nPlayed = round.plays.slice(0, position.nPlayed).filter(Boolean).length;
  const key = `${round.plays.slice(0, nPlayed)}`;
  if (history.shown === key) return;
  history.shown = key;
  const tricks = tricksOf(round, nPlayed);
  const done = tricks.filter(({ winner }) => winner !== null);
  const voids = voidsOf(tricks, round);
  history.root.hidden = nPlayed === 0;
  history.last.hidden = done.length === 0;
  history.last.replaceChildren(...(done.length ? lastTrick(done[done.length - 1]) : []));
  history.voids.hidden = voids.length === 0;
  history.voids.replaceChildren(el('b', null, null, 'Showed out: '), ...voids);
  history.all.hidden = done.length === 0;
  setText(history.title, `Tricks so far: ${done.length}`);
  history.tricks.replaceChildren(...done.map(trickRow));
}

/** The tricks begun: `cards` by seat, `order` of the seats, and the `winner`, null in the last one. */
function tricksOf(round, nPlayed) {
  const tricks = [];
  for (let ply = 0; ply < nPlayed; ply += 1) {
    if (ply % 4 === 0) tricks.push({ cards: {}, order: [], winner: null });
    const trick = tricks[tricks.length - 1];
    trick.order.push(round.play_seats[ply]);
    trick.cards[round.play_seats[ply]] = round.plays[ply];
    if (ply % 4 === 3) trick.winner = round.winners[(ply - 3) / 4];
  }
  return tricks;
}

/** Each seat that didn't follow suit, and the signs of the suits that it lacks. */
function voidsOf(tricks, round) {
  const suits = [0, 1, 2, 3].map(() => new Set());
  for (const { cards, order } of tricks) {
    const led = suitOf(cards[order[0]], round);
    for (const seat of order) if (suitOf(cards[seat], round) !== led) suits[seat].add(led);
  }
  const seats = [0, 1, 2, 3].filter((seat) => suits[seat].size);
  return seats.map((seat, i) => el('span', null, null, `${i ? ', ' : ''}${SEAT_NAMES[seat]} of `,
    ...[...'SHDC'].filter((suit) => suits[seat].has(suit)).map(suitSign)));
}

const suitSign = (suit) => el('span', `sign sign-${suit}`, { role: 'img', 'aria-label': SUIT_NAMES[suit] }, SUIT_SIGNS[suit]);
const cardText = (card) => el('span', `sign sign-${card[0]}`, { title: cardName(card) }, cardShort(card));

function lastTrick({ cards, order, winner }) {
  const plays = order.map((seat) => el('span', 'play', null, `${SEATS[seat]} `, cardText(cards[seat])));
  return [el('b', null, null, 'Last trick: '), ...plays, ` ${SEAT_NAMES[winner]} took it`];
}

function trickRow({ cards, order, winner }, i) {
  return el('tr', null, null, el('th', null, { scope: 'row' }, String(i + 1)), ...[0, 1, 2, 3].map((seat) => el('td', seat === winner ? 'won' : null,
    { title: seat === winner ? `${SEAT_NAMES[seat]} took it` : null }, seat === order[0] && el('span', 'leads', { title: 'led' }, '▸'), cardText(cards[seat]))));
}
