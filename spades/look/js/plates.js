// The plate of a seat: who sits there, the bid, and how it stands.

const KIND_NAMES = { human: 'human', bot: 'bot', 'simulated-human': 'simulated human' };

function createPlate() {
  const plate = {
    dealer: el('span', 'dealer', { title: 'Dealer', 'aria-label': 'dealer' }, 'D'),
    seat: el('b', 'seat-name'),
    name: el('span', 'player'),
    kindIcon: el('span', 'kind-icon'),
    kind: el('span', 'kind'),
    bid: el('span', 'bid'),
    voids: el('span', 'no-suits'),
    pips: el('span', 'pips'),
    shown: '',
  };
  plate.root = el(
    'div', 'plate', null,
    el('span', 'line first', null, plate.seat, plate.dealer, plate.kindIcon, plate.kind),
    plate.name,
    el('span', 'line', null, plate.bid, plate.voids),
    plate.pips,
  );
  return plate;
}

function updatePlate(app, plate, seat, position, place, isMover) {
  const { round } = app.data;
  const player = round.seats[seat];
  const taken = position.taken[seat];
  setClass(plate.root, `plate at-${place}${isMover ? ' to-play' : ''}`);
  const bidding = position.bid ? biddingText(app, position, seat) : null;
  const shown = [player.name, player.kind, player.bid_text, taken, position.ply === 52, ...position.voids[seat], ...(bidding || [])].join('|');
  if (plate.shown === shown + seat + round.dealer) return;
  plate.shown = shown + seat + round.dealer;
  setText(plate.seat, SEAT_NAMES[seat]);
  setText(plate.name, player.name || '');
  plate.name.title = player.title || player.name || '';
  plate.dealer.hidden = round.dealer !== seat;
  const kind = KIND_NAMES[player.kind] || player.kind;
  plate.kindIcon.replaceChildren(icon(ICONS[player.kind] || ICONS.bot));
  setText(plate.kind, kind);
  plate.bid.replaceChildren(...(bidding ? bidBold(bidding) : bidText(player, round.has_nil[seat], taken)));
  updateVoids(plate.voids, [...position.voids[seat]]);
  plate.pips.replaceChildren(...(bidding ? [] : bidPips(player, round.has_nil[seat], taken, position.ply === 52)));
}

/** The suits that a seat has shown out of. */
function updateVoids(node, suits) {
  node.replaceChildren(...(suits.length ? ['no', ...suits.map((suit) => suitIcon(suit, `pip suit-${suit}`))] : []));
  setAttribute(node, 'title', suits.length ? `Has shown out of ${suits.map((suit) => SUIT_NAMES[suit]).join(', ')}` : '');
}

function bidText(player, isNil, taken) {
  const bid = player.bid === null && !isNil ? [] : ['bid ', el('b', null, null, player.bid_text), ' · '];
  return [...bid, 'took ', el('b', null, null, String(taken))];
}

/** A pip for every trick bid, full once taken; diamonds beyond it are bags; a nil says how it stands. */
function bidPips(player, isNil, taken, isOver) {
  if (isNil) {
    const alive = taken === 0;
    const text = alive ? (isOver ? '✓ nil made' : '○ nil alive') : '✕ nil failed';
    return [el('span', `nil ${alive ? 'alive' : 'failed'}`, null, text)];
  }
  if (player.bid === null) return [];
  const pips = [];
  for (let i = 0; i < Math.max(player.bid, taken); i += 1) {
    const kind = i >= player.bid ? 'bag' : i < taken ? 'full' : 'open';
    pips.push(el('i', kind, { title: kind === 'bag' ? 'Trick beyond the bid: a bag if the partnership made its contract' : null }));
  }
  return pips;
}
