// What the table looks like after `ply` cards: everything the other files draw is derived here.
// Before ply 0 come the bids, where the record has them: plies -4 to -1, one each.

const SEATS = 'NESW';
const SEAT_NAMES = ['North', 'East', 'South', 'West'];
const VIEWS = ['all', 'own', 'beliefs']; // in the order of the H key
const viewsOf = (data) => data.views ?? VIEWS;
const N_BIDS = 4;
const PLAY_NAMES = ['lead', 'second hand', 'third hand', 'last hand'];

/** The first step: the first bid, or the first lead of a record without bids. */
const firstPly = (round) => (round.has_auction ? -N_BIDS : 0);

/** Number of the bid at a ply, 1 to 4; 0 where a card is played. */
const bidAt = (ply) => (ply < 0 ? ply + N_BIDS + 1 : 0);

/** Ply of a seat's bid. */
const plyOfBid = (round, seat) => ((seat - round.dealer + 3) % 4) - N_BIDS;

/** The seat to bid or to play; after the last card the one that would play. */
function seatToPlay(round, ply) {
  if (ply < 0) return (round.dealer + bidAt(ply)) % 4;
  if (ply < round.plays.length) return round.play_seats[ply];
  if (ply === 0) return (round.dealer + 1) % 4;
  if (ply % 4 === 0) return round.winners[ply / 4 - 1];
  return (round.play_seats[ply - 1] + 1) % 4;
}

function positionAt(round, ply) {
  const nPlays = round.plays.length;
  const nPlayed = Math.max(0, ply);
  const isTrickDone = nPlayed > 0 && nPlayed % 4 === 0;
  const start = isTrickDone ? nPlayed - 4 : nPlayed - (nPlayed % 4);
  const trick = [];
  for (let i = start; i < nPlayed; i += 1) trick.push({ seat: round.play_seats[i], card: round.plays[i] });
  let best = trick.length ? 0 : -1;
  trick.forEach((play, i) => {
    if (beats(play.card, trick[best].card, round)) best = i;
  });
  const taken = [0, 0, 0, 0];
  round.winners.slice(0, Math.floor(nPlayed / 4)).forEach((seat) => { taken[seat] += 1; });
  const played = round.plays.slice(0, nPlayed);
  return {
    ply,
    bid: bidAt(ply),
    nPlayed,
    nPlays,
    isEnd: ply === nPlays && !round.is_open, // open: there is a decision after the last card
    isTrickDone,
    trick,
    best,
    taken,
    voids: voidsAfter(round, nPlayed),
    played: new Set(played),
    mover: seatToPlay(round, ply),
    trickNumber: Math.floor(nPlayed / 4) + 1,
    playInTrick: nPlayed % 4,
    isBroken: played.some((card) => suitOf(card, round) === 'S'),
  };
}

/** The suits that each seat has shown out of: it followed a lead with another. */
function voidsAfter(round, nPlayed) {
  const voids = [new Set(), new Set(), new Set(), new Set()];
  for (let i = 0; i < nPlayed; i += 1) {
    const led = suitOf(round.plays[i - (i % 4)], round);
    if (suitOf(round.plays[i], round) !== led) voids[round.play_seats[i]].add(led);
  }
  return voids;
}

/** Index of the seat that the reader sits on; null when it follows the play. */
const fixedSeat = (data) => (data.seat === 'mover' ? null : SEATS.indexOf(data.seat));

/** The seat at the bottom of the table. */
const bottomSeat = (data) => fixedSeat(data) ?? 2;

/** The seat whose knowledge is shown where not all hands are. */
const viewerSeat = (data, position) => fixedSeat(data) ?? position.mover;

/** Seats whose cards may be shown. */
function openSeats(data, view, position) {
  if (data.is_closed) return []; // a person who may bid a blind nil
  return view === 'all' ? [0, 1, 2, 3] : [viewerSeat(data, position)];
}

/** Whether the decision at a ply may be shown at all in this view. */
function isDecisionOpen(data, view, ply) {
  const seat = fixedSeat(data);
  return view === 'all' || seat === null || seatToPlay(data.round, ply) === seat;
}

/** A card's decision; null at a bid and where it isn't searched yet. */
const decisionAt = (data, ply) => data.decisions[ply] || null;

/** Legal cards, from the decision; for one not searched yet as far as following suit tells. */
function legalCards(data, position) {
  const decision = decisionAt(data, position.ply);
  if (position.isEnd || position.bid) return [];
  if (decision) return decision.cards.flatMap((row) => [row.card, ...row.equals]);
  if (position.playInTrick === 0) return [];
  const { round } = data;
  const hand = round.hands[position.mover].filter((card) => !position.played.has(card));
  const led = suitOf(position.trick[0].card, round);
  const following = hand.filter((card) => suitOf(card, round) === led);
  return following.length ? following : hand;
}

/** What the bidders make of the bid at a ply; null while they are being asked, and at a play. */
const bidDecisionAt = (data, ply) => (ply < 0 && data.bids?.decisions[bidAt(ply) - 1]) || null;

/** Whether a seat has bid before this step. */
const hasBid = (round, position, seat) => position.ply > plyOfBid(round, seat);

/** Next ply in a direction that passes a test, bids included; null without one. */
function nextPly(data, from, step, test) {
  for (let ply = from + step; ply >= firstPly(data.round) && ply < data.round.plays.length; ply += step) {
    if (test(ply)) return ply;
  }
  return null;
}

function nextDecisionOfSeat(data, ply, step) {
  const seat = fixedSeat(data) ?? seatToPlay(data.round, ply);
  return nextPly(data, ply, step, (at) => seatToPlay(data.round, at) === seat);
}

/** The decisions whose loss the reader may see: judged, revealed, and in a view of one hand that seat's own. */
function judgedDecisions(app, position) {
  const { data, view } = app;
  const seat = view === 'all' ? null : viewerSeat(data, position);
  return data.decisions.filter((decision) => decision?.cards.length > 1 && decision.loss !== null && app.modelsShown(decision.ply)
    && (seat === null || decision.seat === seat));
}

/** The next play that gives enough away to be a slip or a mistake; null without one. */
function nextMistake(app, step) {
  const plies = judgedDecisions(app, positionAt(app.data.round, app.ply))
    .filter(({ grade }) => grade === 'slip' || grade === 'mistake')
    .map(({ ply }) => ply)
    .filter((ply) => (step > 0 ? ply > app.ply : ply < app.ply));
  return plies.length ? (step > 0 ? Math.min(...plies) : Math.max(...plies)) : null;
}

function nextDisagreement(data, view, ply, step) {
  return nextPly(
    data, ply, step,
    (at) => (decisionAt(data, at) || bidDecisionAt(data, at))?.disagrees && isDecisionOpen(data, view, at),
  );
}

/** "Ply 9: West played king of hearts"; of a bid who is to make it, and the one before. */
function lastPlayText(round, position) {
  if (position.bid) return bidPlaceText(round, position);
  if (position.ply === 0) return 'Ply 0: before the first lead';
  const seat = round.play_seats[position.ply - 1];
  const text = `Ply ${position.ply}: ${SEAT_NAMES[seat]} played ${cardName(round.plays[position.ply - 1])}`;
  return position.isTrickDone ? `${text}; ${SEAT_NAMES[trickWinner(position)]} takes the trick` : text;
}

const trickWinner = (position) => position.trick[position.best].seat;
