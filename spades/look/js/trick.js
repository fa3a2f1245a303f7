// The trick in the middle of the table.

function createTrick() {
  const places = Object.fromEntries(PLACES.map((place) => [place, el('span', `spot at-${place}`)]));
  const caption = el('span', 'caption');
  const root = el('div', 'trick', { 'data-testid': 'rv-trick' }, ...Object.values(places), caption);
  return { root, places, caption, shown: new Map() };
}

function updateTrick(app, trick, position) {
  const { data } = app;
  trick.root.classList.toggle('bidding', position.bid > 0);
  trick.root.classList.toggle('done', position.isTrickDone);
  const plays = new Map(position.trick.map((play, i) => [placeOf(play.seat, data), { ...play, i }]));
  for (const place of PLACES) {
    const spot = trick.places[place];
    const play = plays.get(place);
    const key = position.bid ? tokenKey(app, position, place) : play ? play.card : '';
    if (trick.shown.get(place) !== key) {
      trick.shown.set(place, key);
      spot.replaceChildren(...(position.bid ? bidToken(key) : play ? [cardFace(play.card, data.round), el('span', 'led', null, 'led')] : []));
    }
    spot.classList.toggle('is-leader', play?.i === 0);
    spot.classList.toggle('is-best', play !== undefined && play.i === position.best);
    if (play) spot.title = play.i === position.best ? 'Wins the trick so far' : '';
    else spot.removeAttribute('title');
  }
  setText(trick.caption, trickCaption(data, position));
}

function trickCaption(data, position) {
  if (position.bid) return '';
  if (position.isTrickDone) return `${SEAT_NAMES[trickWinner(position)]} takes it`;
  if (position.nPlays === 0) return 'No cards played';
  if (position.ply === 0) return `${SEAT_NAMES[position.mover]} leads`;
  return '';
}
