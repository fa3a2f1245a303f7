// The table from above: score line, four hands, and places for the plates and the trick.

const PLACES = ['bottom', 'left', 'top', 'right'];
const placeOf = (seat, data) => PLACES[(seat - bottomSeat(data) + 4) % 4];

function createTable(app) {
  const hands = [0, 1, 2, 3].map((seat) =>
    el('div', 'hand', { 'data-testid': `rv-hand-${SEATS[seat]}`, role: 'img' }));
  const plates = [0, 1, 2, 3].map(createPlate);
  const trick = createTrick();
  const score = el('div', 'score');
  const felt = el(
    'div', 'felt', null,
    ...hands, ...plates.map((plate) => plate.root), trick.root,
  );
  const legend = el('p', 'belief-legend', { 'data-testid': 'rv-beliefs', title: BELIEFS_HELP });
  const root = el(
    'div', 'table', { role: 'group', 'data-testid': 'rv-table' }, score, felt, legend,
  );
  felt.addEventListener('click', (event) => pickFromHand(app, event));
  return { root, felt, hands, plates, trick, score, legend, built: ['', '', '', ''], slots: [[], [], [], []] };
}

/** A click on a legal card of the hand to play picks it as candidate. */
function pickFromHand(app, event) {
  const card = event.target.closest('.hand .card.legal');
  if (card) app.pick(card.getAttribute('data-card'));
}

function updateTable(app, position) {
  const { data, table, view } = app;
  const open = openSeats(data, view, position);
  const legal = new Set(legalCards(data, position));
  const beliefs = beliefsAt(app, position);
  const next = app.showsPlayed(position) ? data.round.plays[position.ply] : null;
  for (let seat = 0; seat < 4; seat += 1) {
    const place = placeOf(seat, data);
    const isMover = seat === position.mover && !position.isEnd;
    const isToPlay = isMover && !position.bid;
    const belief = open.includes(seat) ? null : beliefOf(beliefs, seat);
    const believed = belief ? ' believed' : '';
    setClass(table.hands[seat], `hand at-${place}${isToPlay ? ' to-play' : ''}${believed}`);
    if (open.includes(seat)) {
      openHand(table, seat, data.round, app.revision);
      markHand(table.slots[seat], position, isMover ? legal : new Set(), next, app.candidate);
    } else {
      closeHand(table, seat, position, data.round, belief);
    }
    nameHand(table.hands[seat], seat, position, data.round, open.includes(seat), belief);
    updatePlate(app, table.plates[seat], seat, position, place, isMover);
  }
  updateTrick(app, table.trick, position);
  updateScore(table.score, data.round, position);
  updateLegend(app, position, beliefs);
  table.root.setAttribute('aria-label', describeTable(data.round, position));
}

/** Build the slots of an open hand once; stepping then only marks them. */
function openHand(table, seat, round, revision) {
  const built = `open ${revision}`;
  if (table.built[seat] === built) return;
  table.built[seat] = built;
  let suit = null;
  table.slots[seat] = round.hands[seat].map((card) => {
    const isNewSuit = suit !== null && suitOf(card, round) !== suit;
    suit = suitOf(card, round);
    const face = cardFace(card, round);
    const slot = el('span', `slot${isNewSuit ? ' new-suit' : ''}`, null, face);
    return { card, slot, face };
  });
  table.hands[seat].replaceChildren(...table.slots[seat].map(({ slot }) => slot));
}

/**
 * A hidden hand: backs, as many as cards are left, or what is believed of it. Nothing of the cards
 * stays in the page.
 */
function closeHand(table, seat, position, round, belief) {
  const nPlayed = round.play_seats.slice(0, position.nPlayed).filter((other) => other === seat).length;
  const nLeft = round.hands[seat].length - nPlayed;
  const built = `closed ${nLeft} ${JSON.stringify(belief)}`;
  if (table.built[seat] === built) return;
  table.built[seat] = built;
  table.slots[seat] = [];
  if (belief) {
    table.hands[seat].replaceChildren(...believedHand(belief, nLeft));
    return;
  }
  table.hands[seat].replaceChildren(
    ...Array.from({ length: nLeft }, () => el('span', 'slot', null, cardBack())),
  );
  table.hands[seat].lastChild?.firstChild.append(el('b', 'count', { title: `${nLeft} cards` }, String(nLeft)));
}

function markHand(slots, position, legal, next, candidate) {
  for (const { card, slot, face } of slots) {
    const isGone = position.played.has(card);
    if (slot.classList.toggle('gone', isGone) === face.hasAttribute('data-card')) {
      if (isGone) face.removeAttribute('data-card');
      else face.setAttribute('data-card', card);
    }
    face.classList.toggle('legal', !isGone && legal.has(card));
    face.classList.toggle('next', !isGone && card === next);
    face.classList.toggle('candidate', !isGone && card === candidate);
  }
}

function nameHand(hand, seat, position, round, isOpen, belief) {
  const left = round.hands[seat].filter((card) => !position.played.has(card));
  const cards = isOpen
    ? left.map(cardName).join(', ') || 'no cards left'
    : `${left.length} cards, hidden${belief ? believedText(belief) : ''}`;
  hand.setAttribute('aria-label', `${SEAT_NAMES[seat]}'s hand: ${cards}`);
}

function updateScore(root, round, position) {
  const sides = ['N/S', 'E/W'].map((name, side) => scoreOfSide(name, side, round, position));
  const spades = el(
    'span', `spades${position.isBroken ? ' broken' : ''}`,
    { title: position.isBroken ? 'A spade has been played' : 'No spade has been played yet' },
    icon(SUIT_PATHS.S, 'pip', 100), position.isBroken ? 'broken' : 'not broken',
  );
  root.replaceChildren(...sides, spades);
}

function scoreOfSide(name, side, round, position) {
  const taken = position.taken[side] + position.taken[side + 2];
  const bid = position.bid ? null : round.contract?.[side] ?? null;
  const bags = round.bags_before?.[side] ?? null;
  const score = round.score_before?.[side] ?? null;
  const details = position.bid ? bidsOfSide(side, round, position) : [bid === null ? `${taken} taken` : `${bid} bid, ${taken} taken`];
  if (bags !== null) details.push(`${bags} ${bags === 1 ? 'bag' : 'bags'}`);
  return el(
    'span', 'side', { title: `${name}: score before this round, contract and tricks taken, bags` },
    el('b', null, null, name),
    score === null ? null : el('span', 'points', null, String(score).replace('-', '\u2212')),
    el('span', 'details', null, details.join(' · ')),
  );
}

/** The position in a sentence or two, for screen readers. */
function describeTable(round, position) {
  if (position.bid) return describeAuction(round, position);
  const bids = round.seats
    .map((seat, i) => `${SEAT_NAMES[i]} bid ${seat.bid_text}, took ${position.taken[i]}`)
    .join('; ');
  const trick = position.trick
    .map(({ seat, card }) => `${SEAT_NAMES[seat]} ${cardName(card)}`)
    .join(', ');
  const turn = position.isEnd
    ? 'No card to play.'
    : `${SEAT_NAMES[position.mover]} to play, trick ${position.trickNumber}.`;
  const middle = trick ? ` ${position.isTrickDone ? 'Last trick' : 'Trick so far'}: ${trick}.` : '';
  return `Card table after ${position.ply} of ${position.nPlays} cards. ${turn}${middle} ${bids}.`;
}
