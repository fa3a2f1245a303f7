// The end of the round: tricks by seat, contracts, points.

function summaryOf(round, position) {
  if (position.nPlays === 0) {
    return [el('p', 'muted', null, round.has_auction
      ? 'No plays are recorded. The bids are decisions to look at: step back.'
      : 'Only the four hands are recorded. Bids and plays would make decisions to look at.')];
  }
  const parts = [seatTable(round, position), ...[0, 1].map((side) => sideCard(round, position, side))];
  if (!round.complete) {
    parts.unshift(el('p', 'muted', null, `Cut short after ${position.nPlays} of 52 cards: no result.`));
  }
  return parts;
}

function seatTable(round, position) {
  const head = ['Seat', 'Player', 'Bid', 'Took', ''].map((text) => el('th', null, { scope: 'col' }, text));
  const rows = round.seats.map((seat, i) => el(
    'tr', null, null,
    el('th', null, { scope: 'row' }, SEAT_NAMES[i]),
    el('td', 'player', { title: seat.name }, [seat.name, KIND_NAMES[seat.kind] || seat.kind].filter(Boolean).join(' · ')),
    el('td', 'digits', null, seat.bid_text),
    el('td', 'digits', null, String(position.taken[i])),
    el('td', 'pips', null, ...bidPips(seat, round.has_nil[i], position.taken[i], round.complete)),
  ));
  return el('table', 'seats', null, el('thead', null, null, el('tr', null, null, ...head)), el('tbody', null, null, ...rows));
}

function sideCard(round, position, side) {
  const points = round.points?.[side];
  return el(
    'div', 'side-card', null,
    el('b', null, null, side === 0 ? 'North / South' : 'East / West'),
    el('span', null, null, contractText(round, position, side)),
    points === null || points === undefined
      ? null
      : el('span', 'round-points', null, el('b', null, null, formatSigned(points, 0)), ' points'),
  );
}

/** "8 bid, 9 taken: made, 1 over". A failed nil's tricks may or may not count: then only the facts. */
function contractText(round, position, side) {
  const seats = [side, side + 2];
  const taken = seats.reduce((sum, seat) => sum + position.taken[seat], 0);
  const contract = round.contract?.[side];
  if (contract === null || contract === undefined) return `${taken} taken`;
  const text = `${contract} bid, ${taken} taken`;
  if (!round.complete || contract === 0) return text;
  const byNil = seats.reduce((sum, seat) => sum + (round.has_nil[seat] ? position.taken[seat] : 0), 0);
  if (taken >= contract && taken - byNil < contract) return text;
  if (taken < contract) return `${text}: failed by ${contract - taken}`;
  return `${text}: made${taken > contract ? `, ${taken - contract} over` : ''}`;
}
