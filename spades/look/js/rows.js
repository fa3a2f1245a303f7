// The decision table: one row for every legal card, touching cards as one; the loss first, human bars
// to the left of the card, search bars to the right, then what the card leads to.

const HELP = {
  loss: 'Points that a card gives away beside the best, by the judge: rounds that strong agents play on, in the last tricks all possible deals. ✓ the judge’s best, and what is as good. “?”: not settled. A click sorts by it.',
  card: 'Every legal card; touching cards, worth the same, as one. ● the card played. A click sorts by suit.',
  search: 'Share of the search’s iterations that chose this card, the mean of the searches named here; of piKL, the probability π of its policy. ★ what most of the searches play. Human and search bars have one scale: the longest fills its cell.',
  value: 'Points by the judge, not by the search: estimated from rounds that strong agents play on ± the standard error, or in the last tricks the exact mean over all possible deals. What the player’s side gains in the round less what the other side gains, bags at their cost. For the game: match points, and the chance to win.',
  log: 'log2 of visit share over human probability (first model): +1 means the search chooses it twice as often as humans, −1 half as often.',
  visits: 'Iterations that chose this card, in the mean of the searches named over the bars.',
  makes: 'How often the own contract is made after this card: by the judge’s rounds, calibrated.',
  sets: 'How often the other side’s contract is set after this card: by the judge’s rounds, calibrated.',
  nil: 'How often this nil is kept after this card: by the judge’s rounds, calibrated.',
  bags: 'Bags of the own side after this card, in the mean of the judge’s rounds.',
  beside: 'Another search of this decision: share of its iterations that chose this card, or π of piKL. ★ its choice.',
  bias: 'P: the probability that the biased search’s human model gives this card. Below it, what that added to the card’s value when the search ended, in points; of piKL, λ ln P.',
  move: 'Abstract move: what kind of play this card is.',
};

function humanHelp(model) {
  return `Probability that a human plays this card here, by the model “${model.label}”. ▲ the likeliest.`;
}

function createRows(app) {
  const columns = el('colgroup');
  const head = el('thead');
  const body = el('tbody');
  const root = el('table', 'decision', { 'data-testid': 'rv-decision' }, columns, head, body);
  head.addEventListener('click', (event) => {
    const heading = event.target.closest('button');
    if (!heading) return;
    if (heading.name === 'loss' || heading.name === 'card') app.sortBy(heading.name);
    app.toast.say(heading.title, 6000);
  });
  body.addEventListener('click', (event) => {
    const row = event.target.closest('tr');
    if (row) app.pick(row.getAttribute('data-card'));
  });
  return { root, columns, head, body, pool: [], columnsOf: '' };
}

/** Fill the table; rows are made once and then only rewritten, so that stepping stays light. */
function updateRows(app, rows, position, decision, isShown, playedCard) {
  const { data } = app;
  const columns = columnsOf(app, position, decision);
  const biased = biasedSearch(decision);
  layOutColumns(rows, columns);
  setClass(rows.root, `${rows.look} ${isShown && decision.is_first_look ? 'first-look' : ''}`);
  const cards = app.order === 'card' ? [...decision.cards].sort((a, b) => a.place - b.place) : decision.cards;
  while (rows.pool.length < cards.length) rows.pool.push(createRow(rows.pool.length, columns));
  const roots = rows.pool.slice(0, cards.length).map((row) => row.root);
  if (rows.body.childElementCount !== cards.length) rows.body.replaceChildren(...roots);
  const scale = isShown ? { ...valueScale(cards), bar: longestBar([decision, ...decision.others], data.models), human: likeliest(decision, data.models) } : null;
  cards.forEach((card, i) => {
    const has = (name) => card.card === name || card.equals.includes(name);
    fillRow(rows.pool[i], data, card, scale, has(playedCard), has(app.candidate));
    fillBar(rows.pool[i].search, isShown ? card : null, scale, decision.searches);
    fillBias(rows.pool[i], isShown ? biased?.cards.find((other) => other.card === card.card) : null);
    rows.pool[i].leads.forEach((cell, n) => setText(cell, isShown && card.outcomes ? columns.leads[n].of(card.outcomes) : isShown ? '–' : ''));
    rows.pool[i].others.forEach((bar, n) => fillBar(bar, isShown ? decision.others[n]?.cards.find((other) => other.card === card.card) : null, scale, decision.others[n]?.searches));
  });
}

/** All that decides which columns there are. */
function columnsOf(app, position, decision) {
  const { data } = app;
  const others = data.searches.slice(1);
  return {
    models: data.models,
    search: searchHead(data, decision, 0),
    others: others.map((_, i) => searchHead(data, decision.others[i], i + 1)),
    isBiased: Boolean(biasedSearch(decision)),
    leads: leadsOf(data.round, position),
    showsMore: data.more,
  };
}

/** The first search that leans towards a human model. */
function biasedSearch(decision) {
  return [decision, ...decision.others].find(({ cards }) => cards.some((card) => Number.isFinite(card.prior)));
}

/** A search's name and what its column's numbers are of: ``Search · 60 × 2,500``. */
function searchHead(data, found, i) {
  const name = data.searches[i];
  if (!found) return `${name} · searching …`;
  const isPlain = i === 0 && (name === `ISMCTS ${formatCount(data.iterations[0])}` || found.iterations > data.iterations[0]);
  if (isPlain) return `Search · ${formatCount(found.searches)} × ${formatCount(found.iterations)}`;
  return `${name} · ${formatCount(found.searches)} ${found.searches === 1 ? 'search' : 'searches'}`;
}

/** What a card may lead to here: the contracts, the nils that are alive, bags. */
function leadsOf(round, { mover, taken }) {
  const own = mover % 2;
  const [ours, theirs] = [own, 1 - own].map((side) => round.contract?.[side]);
  if (!round.contract || !round.has_auction) return [];
  const percent = (p) => (Number.isFinite(p) ? formatPercent(p) : '–');
  const nils = [0, 1, 2, 3].filter((seat) => round.has_nil[seat] && taken[seat] === 0);
  return [
    ours && { name: `Makes ${ours}`, help: HELP.makes, of: (found) => percent(found.own_contract) },
    theirs && { name: `Sets ${theirs}`, help: HELP.sets, of: (found) => percent(found.their_set) },
    ...nils.map((seat) => ({ name: `${SEAT_NAMES[seat][0]} nil`, help: HELP.nil, of: (found) => percent(found.nils[SEATS[seat]]) })),
    { name: 'Bags', help: HELP.bags, of: (found) => found.own_bags.toFixed(1) },
  ].filter(Boolean);
}

/** Head and column widths; they change with what is shown only, and so do the cells of a row. */
function layOutColumns(rows, columns) {
  const key = JSON.stringify(columns);
  if (rows.columnsOf === key) return;
  rows.columnsOf = key;
  rows.pool = [];
  rows.body.replaceChildren();
  const { models, others, isBiased, leads, showsMore } = columns;
  rows.look = `decision ${models.length > 1 || others.length ? 'many-bars' : ''} ${showsMore ? 'with-more' : ''}`;
  rows.root.style.setProperty('--bars', Math.max(models.length, 1 + others.length));
  const more = [['value', 'Judge’s points'], ['log', 'log₂ S/H'], ['visits', 'Visits'], ['move', 'Move']];
  const heads = [
    ['loss', 'Loss', HELP.loss],
    ...[...models].reverse().map((model) => ['human', models.length === 1 ? `Human · ${model.label}` : model.label, humanHelp(model)]),
    ['card', 'Card', HELP.card],
    ['search', columns.search, HELP.search],
    ...others.map((head) => ['beside', head, HELP.beside]),
    ...(isBiased ? [['bias', 'P, bias (points)', HELP.bias]] : []),
    ...leads.map(({ name, help }) => ['lead', name, help]),
    ...(showsMore ? more.map(([name, text]) => [name, text, HELP[name]]) : []),
  ];
  rows.columns.replaceChildren(...heads.map(([name]) => el('col', `c-${name}`)));
  rows.head.replaceChildren(el('tr', null, null, ...heads.map(([name, text, help]) => el(
    'th', `c-${name}`, { scope: 'col' }, el('button', null, { type: 'button', name, title: help }, text),
  ))));
}

/** Range of the values' intervals over cards with enough visits, so that one outlier can't rule it. */
function valueScale(cards) {
  const known = cards.filter((row) => !isFaint(row) && Number.isFinite(row.judged_value));
  const used = known.length ? known : cards.filter((row) => Number.isFinite(row.judged_value));
  if (!used.length) return { low: -1, high: 1 };
  const low = Math.min(...used.map((row) => row.judged_value - (row.judged_value_se || 0)));
  const high = Math.max(...used.map((row) => row.judged_value + (row.judged_value_se || 0)));
  const room = Math.max((high - low) * 0.06, 0.5);
  return { low: low - room, high: high + room };
}

/** The longest bar of a decision: the largest human probability or visit share of any card. */
function longestBar(searches, models) {
  const human = searches[0].cards.flatMap((row) => models.map((model) => row.human[model.id]));
  return Math.max(...human, ...searches.flatMap(({ cards }) => cards.map((row) => row.share)), 0.01);
}

/** The largest human probability of any card, by each model. */
function likeliest({ cards }, models) {
  return Object.fromEntries(models.map(({ id }) => [id, Math.max(...cards.map((row) => row.human[id]))]));
}

const isFaint = (row) => row.share < 0.01 || row.visits < 30;

function createRow(i, { models, others, isBiased, leads, showsMore }) {
  const row = {
    key: el('button', 'sr-only', { type: 'button' }),
    loss: el('span'),
    judged: el('span', 'mark judged'),
    played: el('span', 'mark played'),
    chip: el('span', 'chip-slot'),
    human: models.map(createBar),
    search: createBar(),
    others: others.map(createBar),
    prior: el('b'),
    bias: el('small'),
    leads: leads.map(() => el('td', 'c-lead')),
    value: el('span', 'mean'),
    se: el('small'),
    line: el('i', 'line'),
    dot: el('i', 'dot'),
    log: el('span', 'number'),
    logFill: el('i'),
    visits: el('b'),
    move: el('td', 'c-move'),
    card: null,
  };
  row.root = el(
    'tr', null, { 'data-testid': 'rv-row' },
    el('td', 'c-loss', null, row.judged, row.loss),
    ...row.human.map((bar) => el('td', 'c-human', null, bar.root)),
    el('th', 'c-card', { scope: 'row' }, el('span', 'spine', null, row.played, row.chip, row.key)),
    el('td', 'c-search', null, row.search.root),
    ...row.others.map((bar) => el('td', 'c-beside', null, bar.root)),
    ...(isBiased ? [el('td', 'c-bias', null, row.prior, row.bias)] : []),
    ...row.leads,
    ...(showsMore ? [
      el('td', 'c-value', null, row.value, ' ', row.se, el('span', 'interval', null, row.line, row.dot)),
      el('td', 'c-log', null, row.log, el('span', 'track', null, row.logFill)),
      el('td', 'c-visits', null, row.visits),
      row.move,
    ] : []),
  );
  return row;
}

function createBar() {
  const number = el('span');
  const star = el('span', 'chosen');
  const fill = el('i');
  const root = el('span', 'bar-cell', null, el('span', 'number', null, number, star), el('span', 'track', null, fill));
  return { number, star, fill, root };
}

/** Without `scale` only the card is shown and no number is left in the page. */
function fillRow(row, data, card, scale, isPlayed, isPicked) {
  const isShown = scale !== null;
  const classes = {
    'is-played': isPlayed, 'is-choice': isShown && card.is_search_choice, 'is-judged-best': isShown && card.is_judged_best,
    faint: isShown && isFaint(card), blank: !isShown, candidate: isPicked, [`grade-${card.grade}`]: isShown && card.grade,
  };
  setClass(row.root, Object.keys(classes).filter((name) => classes[name]).join(' '));
  setAttribute(row.key, 'aria-pressed', String(isPicked));
  const names = [card.card, ...card.equals];
  if (row.card !== names.join() + data.round.deck) {
    row.card = names.join() + data.round.deck;
    row.root.setAttribute('data-card', card.card);
    row.key.setAttribute('aria-label', `Pick ${names.map(cardName).join(' or ')}`);
    row.chip.replaceChildren(cardChip(card.card, data.round), ...equalCards(card.equals));
  }
  setMark(row.played, isPlayed, '●', 'the card played');
  setMark(row.judged, isShown && card.is_judged_best, '✓', 'the judge’s best');
  fillLoss(row, isShown ? card : {});
  [...data.models].reverse().forEach(({ id }, i) => fillHuman(row.human[i], isShown ? card.human[id] : undefined, scale, id));
  fillValue(row, isShown ? card : {}, scale);
  fillLog(row, isShown ? card.log_ratio : undefined);
  setText(row.visits, isShown ? formatCount(card.visits) : '');
  setText(row.move, (isShown && card.abstract_move) || '');
  setAttribute(row.move, 'title', (isShown && card.abstract_move) || '');
  setAttribute(row.chip, 'title', isShown ? chipTitle(card) : ''); // its columns may be hidden
}

function fillBias(row, card) {
  const isAsked = card && Number.isFinite(card.prior);
  setText(row.prior, isAsked ? formatPercent(card.prior) : '');
  setText(row.bias, isAsked ? formatSigned(card.bias) : '');
}

/** Points given away: nothing by the best and what is as good; with a mark where it isn't settled. */
function fillLoss(row, { loss, is_settled: isSettled }) {
  const isKnown = Number.isFinite(loss);
  const points = !isKnown ? '' : loss > 0 ? formatSigned(-loss) : '0';
  setText(row.loss, points + (isKnown && loss > 0 && !isSettled ? '?' : ''));
}

/** The lower of touching cards: ``= Q♣ = J♣``, broken between two if it must be. */
function equalCards(equals) {
  if (!equals.length) return [];
  const cards = equals.map((card) => el('span', null, null, `= ${cardShort(card)} `));
  return [el('small', 'equals', { title: 'worth the same' }, ...cards)];
}

function chipTitle(card) {
  const ratio = Number.isFinite(card.log_ratio) ? `, log₂ search/human ${formatSigned(card.log_ratio)}` : '';
  return `${card.abstract_move || ''}${ratio}`;
}

/** A mark and its title, which a screen reader reads as well: neither where it doesn't apply. */
function setMark(node, isOn, text, title) {
  setText(node, isOn ? text : '');
  if (isOn) setAttribute(node, 'title', title);
  else node.removeAttribute('title');
}

const percentWidth = (share) => `${(100 * clamp(share || 0, 0, 1)).toFixed(1)}%`;

function fillHuman(bar, share, scale, model) {
  const isLikeliest = share !== undefined && share > scale.human[model] * (1 - 1e-6);
  setText(bar.number, share === undefined ? '' : `${isLikeliest ? '▲ ' : ''}${formatPercent(share)}`);
  setStyle(bar.fill, 'width', percentWidth(scale ? share / scale.bar : 0));
}

/** A search's share of a card, with a star at what most of its ``searches`` play; empty without ``card``. */
function fillBar(bar, card, scale, searches) {
  setText(bar.number, card ? formatPercent(card.share) : '');
  setText(bar.star, card?.is_search_choice ? '★' : '');
  setAttribute(bar.root, 'title', card ? `played by ${formatCount(card.wins)} of ${formatCount(searches)} ${searches === 1 ? 'search' : 'searches'}` : '');
  setStyle(bar.fill, 'width', percentWidth(scale && card ? card.share / scale.bar : 0));
}

function fillValue(row, { judged_value: value, judged_value_se: se, judged_win_chance: chance }, scale) {
  const isKnown = Number.isFinite(value);
  setText(row.value, isKnown ? formatSigned(value) : scale ? '–' : '');
  const error = `±${(se || 0).toFixed(1)}`;
  setText(row.se, !isKnown ? '' : Number.isFinite(chance) ? `${(100 * chance).toFixed(1)}% win` : error);
  row.dot.hidden = row.line.hidden = !isKnown;
  if (!isKnown) return;
  const along = (x) => clamp((x - scale.low) / (scale.high - scale.low), 0, 1);
  setStyle(row.line, 'left', percentWidth(along(value - se)));
  setStyle(row.line, 'width', percentWidth(along(value + se) - along(value - se)));
  setStyle(row.dot, 'left', percentWidth(along(value)));
}

const LOG_RANGE = 4; // the bar's end; larger ratios only show in the number

function fillLog(row, ratio) {
  const isKnown = Number.isFinite(ratio);
  setText(row.log, isKnown ? formatSigned(ratio) : ratio === undefined ? '' : '–');
  setClass(row.logFill, ratio < 0 ? 'less' : 'more');
  setStyle(row.logFill, 'width', percentWidth(isKnown ? Math.min(Math.abs(ratio), LOG_RANGE) / LOG_RANGE / 2 : 0));
}
