// The decision table: one row for every legal card, touching cards as one, human to the left of it,
// search to the right.

const HELP = {
  key: 'Press the number to pick this card as candidate; again to let it go.',
  card: 'Every legal card; touching cards, worth the same, as one. ● the card played, ★ the card that the search chooses, ✓ the judge’s best.',
  search: 'Share of the search’s iterations that chose this card, the mean of all searches made; of piKL, the probability π of its policy. Human and search bars have one scale: the longest fills its cell.',
  value: 'Points by the judge, not by the search beside them: estimated from rounds that strong agents play on ± the standard error, or in the last tricks the exact mean over all possible deals. What the player’s side gains in the round less what the other side gains, bags at their cost. ✓ its best; of a toss-up all that are as good. The line below shows the interval on a scale common to all rows. For the game: match points, and the chance to win.',
  log: 'log2 of visit share over human probability (first model): +1 means the search chooses it twice as often as humans, −1 half as often.',
  visits: 'Iterations that chose this card, in the mean of all searches made.',
  leads: 'What this card leads to: estimate of best’s playouts, not calibrated (nils are kept more often than it says). How often the own contract is made, theirs is set, each nil is kept; bags of the own side and theirs in the mean.',
  beside: 'Another search of this decision, with the same seed: share of its iterations that chose this card, or π of piKL. ★ its choice. Choose it above the table to see its visits.',
  bias: 'P: the probability that the biased search’s human model gives this card. Below it, what that added to the card’s value when the search ended, in points; of piKL, λ ln P.',
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
  head.addEventListener('click', (event) => {
    const help = event.target.closest('button')?.title;
    if (help) app.toast.say(help, 6000);
  });
  body.addEventListener('click', (event) => {
    const row = event.target.closest('tr');
    if (row) app.pick(row.getAttribute('data-card'));
  });
  return { root, columns, head, body, pool: [], models: '' };
}

/**
 * Fill the table with one search's decision and the shares of the others; rows are made once and
 * then only rewritten, so that stepping stays light.
 */
function updateRows(app, rows, decision, others, isShown, playedCard) {
  const { data } = app;
  const isBiased = decision.cards.some((card) => Number.isFinite(card.prior));
  const leads = app.showsLeads ? leadsOf(decision) : null;
  layOutColumns(rows, data, app.search, isBiased, leads);
  setClass(rows.root, `${rows.look} ${isShown && decision.is_first_look && decision.iterations <= data.iterations[app.search] ? 'first-look' : ''}`);
  const cards = app.showsEach ? eachCard(decision) : decision.cards;
  while (rows.pool.length < cards.length) rows.pool.push(createRow(rows.pool.length, data.models.length, others.length, isBiased, leads));
  const roots = rows.pool.slice(0, cards.length).map((row) => row.root);
  if (rows.body.childElementCount !== cards.length) rows.body.replaceChildren(...roots);
  const scale = isShown ? { ...valueScale(cards), bar: longestBar([decision, ...others], data.models) } : null;
  cards.forEach((card, i) => {
    const has = (name) => card.card === name || card.equals.includes(name);
    fillRow(rows.pool[i], data, card, scale, has(playedCard), has(app.candidate));
    fillLeads(rows.pool[i], leads, isShown ? card.outcomes : null);
    rows.pool[i].others.forEach((bar, n) => fillOther(bar, isShown ? (app.showsEach ? eachCard(others[n]) : others[n].cards)[i] : null, scale));
  });
}

/** Rows of single cards in place of those that touch. */
function eachCard({ cards, each }) {
  return cards.flatMap((row) => {
    const names = [row.card, ...row.equals];
    return names.length > 1 ? each.filter((one) => names.includes(one.card)) : [row];
  });
}

/** What a card leads to: a heading and a text each. */
function leadsOf({ cards }) {
  const nils = Object.keys(cards.find((row) => row.outcomes)?.outcomes.nils || {});
  const percent = (p) => (Number.isFinite(p) ? formatPercent(p) : '–');
  return [
    { name: 'Contract', of: (found) => percent(found.own_contract) },
    { name: 'Set', of: (found) => percent(found.their_set) },
    ...nils.map((seat) => ({ name: `Nil ${seat}`, of: (found) => percent(found.nils[seat]) })),
    { name: 'Bags', of: (found) => `${found.own_bags.toFixed(1)} : ${found.their_bags.toFixed(1)}` },
  ];
}

function fillLeads(row, leads, outcomes) {
  if (!leads) return;
  const texts = leads.map(({ name, of }) => el('span', null, { 'data-name': name }, outcomes ? of(outcomes) : '–'));
  row.leads.replaceChildren(...texts);
}

/** Head and column widths; they change with the models only, and so do the cells of a row. */
function layOutColumns(rows, { models, searches }, shown, isBiased, leads) {
  const key = JSON.stringify([models, searches, shown, isBiased, leads?.map(({ name }) => name)]);
  if (rows.models === key) return;
  rows.models = key;
  rows.pool = [];
  rows.body.replaceChildren();
  const others = searches.filter((_, i) => i !== shown);
  rows.look = `decision ${leads ? 'with-leads' : ''} ${models.length > 1 || others.length ? 'many-models' : ''} ${models.length > 1 ? 'many-humans' : ''} ${others.length ? 'with-beside' : ''}`;
  rows.root.style.setProperty('--leads', leads?.length || 0);
  rows.root.style.setProperty('--models', Math.max(models.length, 1 + others.length));
  const biased = isBiased ? ['bias'] : [];
  const names = ['key', ...models.map(() => 'human'), 'card', 'search', ...others.map(() => 'beside'), ...biased, 'value', ...(leads ? ['leads'] : ['log', 'visits', 'move'])];
  rows.columns.replaceChildren(...names.map((name) => el('col', `c-${name}`)));
  const th = (name, text, help) => el('th', `c-${name}`, { scope: 'col' }, el('button', null, { type: 'button', title: help }, text));
  const human = [...models].reverse().map((model) => th('human', models.length === 1 ? `Human · ${model.label}` : model.label, humanHelp(model)));
  rows.head.replaceChildren(el(
    'tr', null, null,
    th('key', '#', HELP.key), ...human, th('card', 'Card', HELP.card),
    th('search', others.length ? searches[shown] : 'Search', HELP.search),
    ...others.map((label) => th('beside', label, HELP.beside)),
    ...(isBiased ? [th('bias', 'P, bias (points)', HELP.bias)] : []),
    th('value', 'Points', HELP.value),
    ...(leads ? [leadsHead(leads)] : [
      th('log', 'log₂ S/H', HELP.log), th('visits', 'Visits', HELP.visits), th('move', 'Move', HELP.move),
    ]),
  ));
}

function leadsHead(leads) {
  const names = leads.map(({ name }) => el('span', null, null, name));
  return el('th', 'c-leads', { scope: 'col' }, el('button', 'leads', { type: 'button', title: HELP.leads }, ...names));
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

const isFaint = (row) => row.share < 0.01 || row.visits < 30;

function createRow(i, nModels, nOthers, isBiased, leads) {
  const row = {
    key: el('button', null, { type: 'button' }, i < 9 ? String(i + 1) : '·'),
    played: el('span', 'mark played'),
    chip: el('span', 'chip-slot'),
    choice: el('span', 'mark choice'),
    human: Array.from({ length: nModels }, createBar),
    search: createBar(),
    others: Array.from({ length: nOthers }, createBar),
    prior: el('b'),
    bias: el('small'),
    value: el('span', 'mean'),
    judged: el('span', 'mark judged'),
    se: el('small'),
    line: el('i', 'line'),
    dot: el('i', 'dot'),
    log: el('span', 'number'),
    logFill: el('i'),
    visits: el('b'),
    leads: el('div', 'leads'),
    move: el('td', 'c-move'),
    card: null,
  };
  row.root = el(
    'tr', null, { 'data-testid': 'rv-row' },
    el('td', 'c-key key', null, row.key),
    ...row.human.map((bar) => el('td', 'c-human', null, bar.root)),
    el('th', 'c-card', { scope: 'row' }, el('span', 'spine', null, row.played, row.chip, row.choice)),
    el('td', 'c-search', null, row.search.root),
    ...row.others.map((bar) => el('td', 'c-beside', null, bar.root)),
    ...(isBiased ? [el('td', 'c-bias', null, row.prior, row.bias)] : []),
    el('td', 'c-value', null, el('span', 'points', null, row.judged, row.value, ' ', row.se), el('span', 'interval', null, row.line, row.dot)),
    ...(leads ? [el('td', 'c-leads', null, row.leads)] : [
      el('td', 'c-log', null, row.log, el('span', 'track', null, row.logFill)),
      el('td', 'c-visits', null, row.visits),
      row.move,
    ]),
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
  const classes = { 'is-played': isPlayed, 'is-choice': isChoice, 'is-judged-best': isShown && card.is_judged_best, faint: isShown && isFaint(card), blank: !isShown, candidate: isPicked };
  setClass(row.root, Object.keys(classes).filter((name) => classes[name]).join(' '));
  setAttribute(row.key, 'aria-pressed', String(isPicked));
  const names = [card.card, ...card.equals];
  if (row.card !== names.join() + data.round.deck) {
    row.card = names.join() + data.round.deck;
    row.root.setAttribute('data-card', card.card);
    row.key.setAttribute('aria-label', `Pick ${names.map(cardName).join(' or ')}`);
    row.chip.replaceChildren(cardChip(card.card, data.round), ...equalRanks(card.equals));
  }
  setMark(row.played, isPlayed, '●', 'the card played');
  setMark(row.choice, isChoice, '★', 'the search’s choice');
  setMark(row.judged, isShown && card.is_judged_best, '✓', 'the judge’s best');
  [...data.models].reverse().forEach((model, i) => fillBar(row.human[i], isShown ? card.human[model.id] : undefined, scale));
  fillBar(row.search, isShown ? card.share : undefined, scale);
  const isAsked = isShown && Number.isFinite(card.prior);
  setText(row.prior, isAsked ? formatPercent(card.prior) : '');
  setText(row.bias, isAsked ? formatSigned(card.bias) : '');
  fillValue(row, isShown ? card : {}, scale);
  fillLog(row, isShown ? card.log_ratio : undefined);
  setText(row.visits, isShown ? formatCount(card.visits) : '');
  setText(row.move, (isShown && card.abstract_move) || '');
  setAttribute(row.move, 'title', (isShown && card.abstract_move) || '');
  setAttribute(row.chip, 'title', isShown ? chipTitle(card) : ''); // its columns may be hidden
}

/** The lower of touching cards, by rank: ``= Q J``. */
function equalRanks(equals) {
  if (!equals.length) return [];
  const title = `worth the same: ${equals.map(cardShort).join(', ')}`;
  return [el('small', 'equals', { title }, `= ${equals.map(rankText).join(' ')}`)];
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

function fillOther(bar, card, scale) {
  fillBar(bar, card?.share, scale);
  if (card?.is_search_choice) setText(bar.number, `★ ${formatPercent(card.share)}`);
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
