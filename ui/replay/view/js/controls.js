// Stepping controls under the table: buttons, the label, the scrubber with its marks.

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
  const models = toggle('models', 'Models shown or hidden (M)', ICONS.eye, () => app.toggleModels());
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
      el('div', 'extras', null, view, models,
        button('toggle square', { 'aria-label': 'Copy link to this position (L)', title: 'Copy link to this position (L)', 'data-testid': 'rv-link' }, () => app.copyLink(), icon(ICONS.link)),
        button('toggle square', { 'aria-label': 'Keys (?)', title: 'Keys (?)', 'data-testid': 'rv-help-button' }, () => app.toggleHelp(), '?'))),
    scrubber.root,
  );
  return { root, buttons, word, ply, where, total, view, models, scrubber };
}

function updateControls(app, position) {
  const { buttons, word, ply, where, total, view, models, scrubber } = app.controls;
  buttons.first.disabled = buttons.prev.disabled = position.ply === firstPly(app.data.round);
  buttons.next.disabled = buttons.last.disabled = position.isEnd;
  setText(word, position.bid ? 'bid ' : 'ply ');
  setText(ply, String(position.bid || position.ply));
  setText(total, ` / ${position.bid ? N_BIDS : position.nPlays}`);
  setText(where, whereText(app.data.round, position));
  setViewToggle(view, app.view);
  setToggle(models, app.modelsShown(position.ply), 'Models on', 'Models off');
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

function setToggle(node, isOn, onText, offText) {
  setText(node.lastChild, isOn ? onText : offText);
  node.setAttribute('aria-label', isOn ? onText : offText);
  node.classList.toggle('off', !isOn);
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
  const done = el('i', 'done');
  const marks = el('div', 'marks', { 'aria-hidden': 'true' });
  const ticks = el('div', 'ticks', { 'aria-hidden': 'true' });
  const root = el('div', 'scrubber', null, el('div', 'rail', null, done, marks), range, ticks);
  return { root, range, done, marks, ticks, shown: '', ticksOf: '' };
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
  drawTicks(app, scrubber, span);
  drawMarks(app, scrubber, span);
  const current = String(Math.min(Math.floor(position.ply / 4), Math.ceil(position.nPlays / 4) - 1));
  for (const tick of scrubber.ticks.children) tick.classList.toggle('now', tick.value === current);
}

/** How far along a ply is between the first step and the last. */
const percentAlong = (ply, { first, last }) => `${last > first ? (100 * (ply - first)) / (last - first) : 0}%`;

/** A tick a trick, and one for the bids before the first. */
function drawTicks(app, scrubber, span) {
  const key = `${span.first} ${span.last}`;
  if (scrubber.ticksOf === key) return;
  scrubber.ticksOf = key;
  const ticks = [];
  for (let trick = span.first / 4; trick * 4 < span.last; trick += 1) {
    const [title, text] = trick < 0 ? ['The bids', 'Bids'] : [`Trick ${trick + 1}`, String(trick + 1)];
    const tick = button(
      'tick', { tabindex: -1, value: trick, title }, () => app.goTo(trick * 4), text,
    );
    tick.style.left = percentAlong(trick * 4, span);
    tick.style.width = percentAlong(span.first + 4, span);
    ticks.push(tick);
  }
  scrubber.ticks.replaceChildren(...ticks);
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
