// The beliefs view: on each hidden hand the cards that it probably holds, as one seat may believe.

const SUIT_LETTERS = 'SHDC';
const BELIEFS_HELP = 'Probability that a hidden hand holds a card, from the open hand, the bids and the '
  + 'plays so far: the share of deals, drawn as chosen under Search, Beliefs by, that put it '
  + 'there, shaded the stronger the surer. ± half of a 95% interval at its widest.';
const beliefKey = (dealing, ply, seat) => `${dealing} ${ply} ${seat}`;

/** Keep the beliefs that came with the data; those of another round go. */
function keepBeliefs(app) {
  const { data } = app;
  if (app.beliefsOf !== app.revision) app.beliefs.clear();
  app.beliefsOf = app.revision;
  const found = data.beliefs;
  if (found) app.beliefs.set(beliefKey(found.dealing, found.ply, found.seat), found);
}

/** What may be shown here: the beliefs of this very ply and seat, once they are known. */
function beliefsAt(app, position) {
  if (app.view !== 'beliefs' || !app.showsPlayed(position)) return null;
  const { data } = app;
  return app.beliefs.get(beliefKey(data.dealing, position.ply, viewerSeat(data, position))) || null;
}

const beliefOf = (beliefs, seat) => beliefs?.hands.find((hand) => hand.seat === seat) || null;

const suitName = (suit) => SUIT_NAMES[SUIT_LETTERS[suit]];
const chanceText = ({ p, certain }) => (certain ? 'certain' : formatPercent(p));

/** The likeliest cards, then how many the hand holds and the suits it is out of. */
function believedHand(belief, nLeft) {
  if (!nLeft) return [];
  const voids = belief.voids.length
    ? el('span', 'no-suits', { title: `Can’t hold ${belief.voids.map(suitName).join(', ')}` },
      'no', ...belief.voids.map((suit) => suitIcon(SUIT_LETTERS[suit], `pip suit-${SUIT_LETTERS[suit]}`)))
    : null;
  return [
    ...belief.cards.map(beliefChip),
    el('span', 'foot', null, el('span', null, null, `${nLeft} ${nLeft === 1 ? 'card' : 'cards'}`), voids),
  ];
}

/** A card and its probability, shaded the stronger the surer. */
function beliefChip(likely) {
  const { card, p, certain } = likely;
  const chance = el('b', 'chance', null, certain ? '✓' : formatPercent(p));
  chance.style.setProperty('--shade', `${Math.round(75 * p)}%`);
  return el(
    'span', `belief ${suitClass(card)}${certain ? ' certain' : ''}`,
    { title: `${cardName(card)}: ${chanceText(likely)}` },
    el('span', 'name', null, rankText(card), suitIcon(card)), chance,
  );
}

function believedText({ cards, voids }) {
  const likely = cards.map((card) => `${cardName(card.card)} ${chanceText(card)}`).join(', ');
  return [
    likely && `; probably ${likely}`,
    voids.length && `; no ${voids.map(suitName).join(', no ')}`,
  ].filter(Boolean).join('');
}

/** The line under the table: whose beliefs, and what stands behind them. */
function updateLegend(app, position, beliefs) {
  const { legend } = app.table;
  legend.hidden = app.view !== 'beliefs';
  setText(legend, legend.hidden ? '' : legendText(app, position, beliefs));
}

function legendText(app, position, beliefs) {
  const { data } = app;
  const viewer = SEAT_NAMES[viewerSeat(data, position)];
  if (position.bid) return `${viewer}’s beliefs begin with the first lead.`;
  if (!app.showsPlayed(position)) return `${viewer}’s beliefs are hidden in spoiler mode. M shows them.`;
  if (!beliefs) return `${viewer}’s beliefs, by ${data.dealing} deals, are on their way.`;
  if (beliefs.complaint) return `${viewer}’s beliefs: ${beliefs.complaint}`;
  if (!beliefs.hands.some((hand) => hand.cards.length)) return 'No card is hidden any more.';
  return `${viewer}’s beliefs: likeliest cards by ${beliefs.dealing} deals (${dealsText(beliefs)}).`
    + ` ✓ certain, “no ${SUIT_SIGNS.H}” impossible.`;
}

/** How many deals, and half the widest 95% interval of a share of so many. */
function dealsText({ n, distinct }) {
  if (!distinct) return 'exact: all deals that agree';
  const from = distinct < n ? ` from ${formatCount(distinct)}` : '';
  return `n = ${formatCount(n)}${from}, ±${Math.round(98 / Math.sqrt(distinct))} points`;
}
