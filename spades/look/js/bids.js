// The auction on the table: who has bid what before this step, and who is to bid. Later bids stay out
// of the page, and in spoiler mode the one about to be made as well.

const bidTextOf = (round, seat) => round.seats[seat].bid_text;

/** What a seat's plate says at a bid: label, text, and whether it is the bid being made. */
function biddingText(app, position, seat) {
  const { round } = app.data;
  if (hasBid(round, position, seat)) return ['bid ', bidTextOf(round, seat)];
  if (seat !== position.mover) return ['bids later', ''];
  return app.showsPlayed(position) ? ['bids ', bidTextOf(round, seat)] : ['to bid', ''];
}

const bidBold = ([label, text]) => [label, text ? el('b', null, null, text) : null].filter(Boolean);

/** What lies at a place of the table during the bidding: "made 5", "now 3", "now ?", or nothing. */
function tokenKey(app, position, place) {
  const { data } = app;
  const seat = (bottomSeat(data) + PLACES.indexOf(place)) % 4;
  if (hasBid(data.round, position, seat)) return `made ${bidTextOf(data.round, seat)}`;
  if (seat !== position.mover) return '';
  return `now ${app.showsPlayed(position) ? bidTextOf(data.round, seat) : '?'}`;
}

function bidToken(key) {
  if (!key) return [];
  const [when, ...words] = key.split(' ');
  return [el('span', `token ${when}`, { title: when === 'now' ? 'The bid to be made here' : 'Bid before' }, words.join(' '))];
}

/** The bids of a partnership so far. */
function bidsOfSide(side, round, position) {
  const bids = [side, side + 2].filter((seat) => hasBid(round, position, seat));
  return [bids.length ? `bid ${bids.map((seat) => bidTextOf(round, seat)).join(' + ')}` : 'no bid yet'];
}

/** "Bid 2: East to bid; North bid 5". */
function bidPlaceText(round, position) {
  const text = `Bid ${position.bid}: ${SEAT_NAMES[position.mover]} to bid`;
  const before = (position.mover + 3) % 4;
  return position.bid === 1 ? text : `${text}; ${SEAT_NAMES[before]} bid ${bidTextOf(round, before)}`;
}

/** The auction in a sentence or two, for screen readers. */
function describeAuction(round, position) {
  const bids = [1, 2, 3, 4].map((i) => (round.dealer + i) % 4)
    .filter((seat) => hasBid(round, position, seat))
    .map((seat) => `${SEAT_NAMES[seat]} bid ${bidTextOf(round, seat)}`);
  return `Card table during the bidding. ${SEAT_NAMES[position.mover]} to bid, bid ${position.bid} of ${N_BIDS}.`
    + (bids.length ? ` ${bids.join('; ')}.` : '');
}
