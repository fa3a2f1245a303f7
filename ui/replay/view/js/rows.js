// The decision table: one row for every legal card, human to the left of it, search to the right.

const HELP = {
  key: 'Press the number to pick this card as candidate; again to let it go.',
  card: 'Every legal card. ● the card played, ★ the search’s choice.',
  search: 'Share of the search’s iterations that chose this card. Human and search bars have one scale: the longest fills its cell.',
  value: 'Mean points for the player’s partnership when the search chose this card, ± its standard error. The line below shows the interval on a scale common to all rows. Faded: under 30 visits or 1% of them.',
  log: 'log2 of visit share over human probability (first model): +1 means the search chooses it twice as often as humans, −1 half as often.',
  visits: 'Visits: iterations that chose this card. Of: iterations in which it was available, that is, legal in the sampled deal.',
  beside: 'The biased search beside the first one, with as many iterations and the same seed: share of its iterations that chose this card. ★ its choice.',
  bias: 'P: the probability that the biased search’s human model gives this card. Below it, what that added to the card’s value when the search ended, in points.',
  move: 'Abstract move: what kind of play this card is.',
};

function humanHelp(model) {
  return `Probability that a human plays this card here, by the model “${model.label}”.`;
}

function createRows(app) {
  const columns = el('colgroup');
  const head = el('thead');
  const body = el('tbody');
  const root = el('table', 'decision', { 'data-testid': 'rv-decision' }, columns, head, body);
  body.addEventListener('click', (event) => {
    const row = event.target.closest('tr');
    if (row) app.pick(row.getAttribute('data-card'));
  });
  return { root, columns, head, body, pool: [], models: '' };
}

/** Fill the table; rows are made once and then only rewritten, so that stepping stays light. */
function updateRows(app, rows, decision, isShown, playedCard) {
  const { data } = app;
  layOutColumns(rows, data.models, data.beside);
  const { cards } = decision;
  while (rows.pool.length < cards.length) rows.pool.push(createRow(rows.pool.length, data.models.length, Boolean(data.beside)));
  const roots = rows.pool.slice(0, cards.length).map((row) => row.root);
  if (rows.body.childElementCount !== cards.length) rows.body.replaceChildren(...roots);
  const scale = isShown ? { ...valueScale(cards), bar: longestBar(cards, data.models), best: besideChoice(cards) } : null;
  cards.forEach((card, i) => {
    fillRow(rows.pool[i], data, card, scale, card.card === playedCard, card.card === app.candidate);
  });
}

/** Head and column widths; they change with the models only, and so do the cells of a row. */
function layOutColumns(rows, models, beside) {
  const key = JSON.stringify([models, beside]);
  if (rows.models === key) return;
  rows.models = key;
  rows.pool = [];
  rows.body.replaceChildren();
  rows.root.className = `decision ${models.length > 1 || beside ? 'many-models' : ''} ${beside ? 'with-beside' : ''}`;
  rows.root.style.setProperty('--models', Math.max(models.length, beside ? 2 : 1));
  const besides = beside ? ['beside', 'bias'] : [];
  const names = ['key', ...models.map(() => 'human'), 'card', 'search', ...besides, 'value', 'log', 'visits', 'move'];
  rows.columns.replaceChildren(...names.map((name) => el('col', `c-${name}`)));
  const th = (name, text, help) => el('th', `c-${name}`, { scope: 'col', title: help }, el('span', null, null, text));
  const human = [...models].reverse().map((model) => th('human', models.length === 1 ? `Human · ${model.label}` : model.label, humanHelp(model)));
  rows.head.replaceChildren(el(
    'tr', null, null,
    th('key', '#', HELP.key), ...human, th('card', 'Card', HELP.card),
    th('search', 'Search', HELP.search),
    ...(beside ? [th('beside', beside.label, HELP.beside), th('bias', 'P, bias', HELP.bias)] : []),
    th('value', 'Points', HELP.value), th('log', 'log₂ S/H', HELP.log),
    th('visits', 'Visits / of', HELP.visits), th('move', 'Move', HELP.move),
  ));
}

/** Range of the values' intervals over cards with enough visits, so that one outlier can't rule it. */
function valueScale(cards) {
  const known = cards.filter((row) => !isFaint(row) && Number.isFinite(row.value));
  const used = known.length ? known : cards.filter((row) => Number.isFinite(row.value));
  if (!used.length) return { low: -1, high: 1 };
  const low = Math.min(...used.map((row) => row.value - (row.value_se || 0)));
  const high = Math.max(...used.map((row) => row.value + (row.value_se || 0)));
  const room = Math.max((high - low) * 0.06, 0.5);
  return { low: low - room, high: high + room };
}

/** The longest bar of a decision: the largest human probability or visit share of any card. */
function longestBar(cards, models) {
  return Math.max(...cards.flatMap((row) => [row.share, row.beside?.share || 0, ...models.map((model) => row.human[model.id])]), 0.01);
}

/** The card that the search beside would play. */
function besideChoice(cards) {
  return cards.reduce((best, row) => ((row.beside?.visits || 0) > (best?.beside?.visits || 0) ? row : best), null)?.card;
}

const isFaint = (row) => row.share < 0.01 || row.visits < 30;

function createRow(i, nModels, hasBeside) {
  const row = {
    key: el('button', null, { type: 'button' }, i < 9 ? String(i + 1) : '·'),
    played: el('span', 'mark played'),
    chip: el('span', 'chip-slot'),
    choice: el('span', 'mark choice'),
    human: Array.from({ length: nModels }, createBar),
    search: createBar(),
    beside: hasBeside ? createBar() : null,
    prior: el('b'),
    bias: el('small'),
    value: el('span', 'mean'),
    se: el('small'),
    line: el('i', 'line'),
    dot: el('i', 'dot'),
    log: el('span', 'number'),
    logFill: el('i'),
    visits: el('b'),
    availability: el('small'),
    move: el('td', 'c-move'),
    card: null,
  };
  row.root = el(
    'tr', null, { 'data-testid': 'rv-row' },
    el('td', 'c-key key', null, row.key),
    ...row.human.map((bar) => el('td', 'c-human', null, bar.root)),
    el('th', 'c-card', { scope: 'row' }, el('span', 'spine', null, row.played, row.chip, row.choice)),
    el('td', 'c-search', null, row.search.root),
    ...(hasBeside ? [el('td', 'c-beside', null, row.beside.root), el('td', 'c-bias', null, row.prior, row.bias)] : []),
    el('td', 'c-value', null, el('span', 'points', null, row.value, ' ', row.se), el('span', 'interval', null, row.line, row.dot)),
    el('td', 'c-log', null, row.log, el('span', 'track', null, row.logFill)),
    el('td', 'c-visits', null, row.visits, row.availability),
    row.move,
  );
  return row;
}

function createBar() {
  const number = el('span', 'number');
  const fill = el('i');
  return { number, fill, root: el('span', 'bar-cell', null, number, el('span', 'track', null, fill)) };
}

/** Without `scale` only the card is shown and no number is left in the page. */
function fillRow(row, data, card, scale, isPlayed, isPicked) {
  const isShown = scale !== null;
  const isChoice = isShown && card.is_search_choice;
  const classes = { 'is-played': isPlayed, 'is-choice': isChoice, faint: isShown && isFaint(card), blank: !isShown, candidate: isPicked };
  setClass(row.root, Object.keys(classes).filter((name) => classes[name]).join(' '));
  setAttribute(row.key, 'aria-pressed', String(isPicked));
  if (row.card !== card.card + data.round.deck) {
    row.card = card.card + data.round.deck;
    row.root.setAttribute('data-card', card.card);
    row.key.setAttribute('aria-label', `Pick ${cardName(card.card)}`);
    row.chip.replaceChildren(cardChip(card.card, data.round));
  }
  setMark(row.played, isPlayed, '●', 'the card played');
  setMark(row.choice, isChoice, '★', 'the search’s choice');
  [...data.models].reverse().forEach((model, i) => fillBar(row.human[i], isShown ? card.human[model.id] : undefined, scale));
  fillBar(row.search, isShown ? card.share : undefined, scale);
  if (row.beside) fillBeside(row, isShown ? card : {}, scale);
  fillValue(row, isShown ? card : {}, scale);
  fillLog(row, isShown ? card.log_ratio : undefined);
  setText(row.visits, isShown ? formatCount(card.visits) : '');
  setText(row.availability, isShown ? ` / ${formatCount(card.availability)}` : '');
  setText(row.move, (isShown && card.abstract_move) || '');
  setAttribute(row.move, 'title', (isShown && card.abstract_move) || '');
  setAttribute(row.chip, 'title', isShown ? chipTitle(card) : ''); // its columns may be hidden
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

function fillBar(bar, share, scale) {
  setText(bar.number, share === undefined ? '' : formatPercent(share));
  setStyle(bar.fill, 'width', percentWidth(scale ? share / scale.bar : 0));
}

function fillBeside(row, card, scale) {
  const found = card.beside;
  const isBest = Boolean(found) && scale.best === card.card;
  fillBar(row.beside, found ? found.share : undefined, scale);
  if (isBest) setText(row.beside.number, `★ ${formatPercent(found.share)}`);
  const isAsked = found && Number.isFinite(found.prior);
  setText(row.prior, isAsked ? formatPercent(found.prior) : found ? '–' : '');
  setText(row.bias, isAsked ? formatSigned(found.bias) : '');
}

function fillValue(row, { value, value_se: se }, scale) {
  const isKnown = Number.isFinite(value);
  setText(row.value, isKnown ? formatSigned(value) : scale ? '–' : '');
  setText(row.se, isKnown ? `±${(se || 0).toFixed(1)}` : '');
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
