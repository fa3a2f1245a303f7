// Under the table: buttons that step, the label, and the graph of the hand over the scrubber.

function createControls(app) {
  const stepper = (name, label, path, target) => button(
    'step', { 'data-testid': `rv-${name}`, 'aria-label': label, title: label },
    () => app.goTo(target()), icon(path),
  );
  const word = el('span');
  const ply = el('span', 'ply-number', { 'data-testid': 'rv-ply' });
  const where = el('span', 'where');
  const total = el('span', 'total');
  const toggle = (name, title, path, onClick) => button(
    'toggle worded', { 'data-testid': `rv-${name}`, title }, onClick, icon(path), el('span'),
  );
  const view = toggle('view', 'Hands shown (H): all, one, one + beliefs', ICONS.hands, () => app.toggleView());
  const scrubber = createScrubber(app);
  const buttons = {
    first: stepper('first', 'First step (Home)', ICONS.first, () => firstPly(app.data.round)),
    prev: stepper('prev', 'Previous step (Left)', ICONS.prev, () => app.ply - 1),
    next: stepper('next', 'Next step (Right)', ICONS.next, () => app.ply + 1),
    last: stepper('last', 'Last ply (End)', ICONS.last, () => app.data.round.plays.length),
  };
  const root = el(
    'div', 'controls', { role: 'group', 'aria-label': 'Stepping' },
    el('div', 'bar', null,
      el('div', 'steps', null, buttons.first, buttons.prev, buttons.next, buttons.last),
      el('div', 'label', null, where, el('span', 'ply', { 'data-testid': 'rv-place' }, word, ply, total)),
      el('div', 'extras', null, view,
        button('toggle', { title: 'All tricks so far (T)', 'data-testid': 'rv-tricks-button' }, () => app.toggleTricks(), 'Tricks'))),
    scrubber.root,
  );
  return { root, buttons, word, ply, where, total, view, scrubber };
}

function updateControls(app, position) {
  const { buttons, word, ply, where, total, view, scrubber } = app.controls;
  buttons.first.disabled = buttons.prev.disabled = position.ply === firstPly(app.data.round);
  buttons.next.disabled = buttons.last.disabled = position.ply === position.nPlays;
  setText(word, position.bid ? 'bid ' : 'ply ');
  setText(ply, String(position.bid || position.ply));
  setText(total, ` / ${position.bid ? N_BIDS : position.nPlays}`);
  setText(where, whereText(app.data.round, position));
  setViewToggle(view, app.view);
  view.hidden = viewsOf(app.data).length < 2;
  updateScrubber(app, scrubber, position);
}

const VIEW_TEXTS = { all: 'All hands', own: 'One hand', beliefs: 'Beliefs' };

function setViewToggle(node, view) {
  if (node.getAttribute('data-view') === view) return;
  node.setAttribute('data-view', view);
  setText(node.lastChild, VIEW_TEXTS[view]);
  setAttribute(node, 'aria-label', view === 'beliefs' ? 'One hand + beliefs' : VIEW_TEXTS[view]);
  node.classList.toggle('off', view === 'own');
  node.firstChild.replaceWith(icon(view === 'beliefs' ? ICONS.beliefs : ICONS.hands));
}

function whereText(round, position) {
  if (position.bid) return `Bidding · ${SEAT_NAMES[position.mover]}`;
  if (position.nPlays === 0) return 'A deal without plays';
  if (position.isEnd) return round.complete ? 'Round over' : 'The record ends here';
  return `Trick ${position.trickNumber} · play ${position.playInTrick + 1} of 4`;
}

function createScrubber(app) {
  const range = el('input', null, { type: 'range', step: 1, 'aria-label': 'Ply' });
  range.addEventListener('input', () => app.goTo(Number(range.value)));
  const given = el('p', 'given', { 'data-testid': 'rv-given' });
  const bars = el('div', 'bars', { role: 'img', 'data-testid': 'rv-graph' });
  bars.addEventListener('click', (event) => goToBar(app, bars, event));
  const done = el('i', 'done');
  const marks = el('div', 'marks', { 'aria-hidden': 'true' });
  const ticks = el('div', 'ticks', { 'aria-hidden': 'true' });
  const exporter = exportButton('Export: points given away', 'given-away',
    () => askForExport(app, 'given-away', judgedDecisions(app, positionAt(app.data.round, app.ply)).map(({ ply }) => ply)));
  const root = el('div', 'scrubber', null, el('div', 'graph-head', null, given, exporter), bars, el('div', 'rail', null, done, marks), range, ticks);
  return { root, range, given, exporter, bars, done, marks, ticks, shown: '', drawn: '', ticksOf: '' };
}

function updateScrubber(app, scrubber, position) {
  const { range, done } = scrubber;
  const span = { first: firstPly(app.data.round), last: position.nPlays };
  if (range.min !== String(span.first)) range.min = span.first;
  if (range.max !== String(span.last)) range.max = span.last;
  range.value = position.ply;
  range.disabled = span.first === span.last;
  const place = position.bid ? `bid ${position.bid} of ${N_BIDS}` : `ply ${position.ply} of ${position.nPlays}`;
  range.setAttribute('aria-valuetext', `${whereText(app.data.round, position)}, ${place}`);
  done.style.width = percentAlong(position.ply, span);
  drawTicks(scrubber, span);
  drawMarks(app, scrubber, span);
  drawLosses(app, scrubber, position, span);
  const current = String(Math.min(Math.floor(position.ply / 4), Math.ceil(position.nPlays / 4) - 1));
  for (const tick of scrubber.ticks.children) tick.classList.toggle('now', tick.getAttribute('data-trick') === current);
}

/** How far along a ply is between the first step and the last. */
const percentAlong = (ply, { first, last }) => `${last > first ? (100 * (ply - first)) / (last - first) : 0}%`;

/** A click in the graph leads to the play at that place. */
function goToBar(app, bars, { clientX }) {
  const { left, width } = bars.getBoundingClientRect();
  const first = firstPly(app.data.round);
  app.goTo(Math.round(first + (clientX - left) / width * (app.data.round.plays.length - first)));
}

/** A tick a trick, and one for the bids before the first. */
function drawTicks(scrubber, span) {
  const key = `${span.first} ${span.last}`;
  if (scrubber.ticksOf === key) return;
  scrubber.ticksOf = key;
  const ticks = [];
  for (let trick = span.first / 4; trick * 4 < span.last; trick += 1) {
    const tick = el('span', 'tick', { 'data-trick': trick }, trick < 0 ? 'Bids' : String(trick + 1));
    tick.style.left = percentAlong(trick * 4, span);
    tick.style.width = percentAlong(span.first + 4, span);
    ticks.push(tick);
  }
  scrubber.ticks.replaceChildren(...ticks);
}

const FULL_BAR = 12; // points; a larger loss is drawn as long

/** Points given away at every decision that is judged and may be seen, and their sum by seat. */
function drawLosses(app, scrubber, position, span) {
  const judged = judgedDecisions(app, position);
  const bars = judged.filter(({ loss }) => loss > 0);
  const key = JSON.stringify([bars.map(({ ply, loss, is_settled: isSettled }) => [ply, loss, isSettled]), judged.length, position.ply, span]);
  if (scrubber.drawn === key) return;
  scrubber.drawn = key;
  const text = givenAwayText(app.data, judged);
  setText(scrubber.given, text);
  scrubber.exporter.hidden = !judged.length || !app.setTriggerValue; // a notebook has no server to ask
  setAttribute(scrubber.bars, 'aria-label', text || 'No play is judged yet');
  scrubber.bars.replaceChildren(...bars.map((decision) => lossBar(decision, position.ply, span)));
}

function lossBar({ ply, seat, loss, grade, is_settled: isSettled, judgement }, current, span) {
  const name = `bar grade-${grade}${isSettled ? '' : ' open'}${ply === current ? ' now' : ''}`;
  const bar = el('i', name, { 'data-ply': ply, title: `Trick ${Math.floor(ply / 4) + 1}: ${judgement.subject} ${judgement.says}`, 'data-seat': SEATS[seat] });
  bar.style.left = percentAlong(ply, span);
  bar.style.height = percentWidth(Math.max(loss, 0.4) / FULL_BAR);
  return bar;
}

/** "Given away: North 3 · East 21 …", of the plays judged so far. */
function givenAwayText({ decisions }, judged) {
  if (!judged.length) return '';
  const seats = [...new Set(judged.map(({ seat }) => seat))].sort();
  const sums = seats.map((seat) => {
    const sum = judged.filter((decision) => decision.seat === seat).reduce((total, { loss }) => total + loss, 0);
    return `${SEAT_NAMES[seat]} ${Math.round(sum)}`;
  });
  const choices = decisions.filter((decision) => !decision || decision.cards.length > 1).length;
  const soFar = judged.length < choices ? ` (${judged.length} of ${choices} judged)` : '';
  return `Given away: ${sums.join(' · ')}${soFar}`;
}

/** A mark for every disagreement that this view may show, the stronger the larger its divergence. */
function drawMarks(app, scrubber, span) {
  const { data, view } = app;
  const bids = (data.bids?.decisions || []).map((decision, i) => ({ ...decision, ply: i - N_BIDS, divergence: 0.5 }));
  const shown = [...bids, ...data.decisions]
    .filter((decision) => decision?.disagrees && app.modelsShown(decision.ply)
      && isDecisionOpen(data, view, decision.ply))
    .map((decision) => [decision.ply, decision.divergence ?? 0]);
  const key = JSON.stringify([shown, span]);
  if (scrubber.shown === key) return;
  scrubber.shown = key;
  scrubber.marks.replaceChildren(...shown.map(([ply, divergence]) => {
    const mark = el('i', 'mark');
    mark.style.left = percentAlong(ply, span);
    mark.style.opacity = String(clamp(0.35 + divergence, 0.35, 1));
    return mark;
  }));
}
