// Stepping controls under the table: buttons, the label, the scrubber with its marks.

function createControls(app) {
  const stepper = (name, label, path, target) => button(
    'step', { 'data-testid': `rv-${name}`, 'aria-label': label, title: label },
    () => app.goTo(target()), icon(path),
  );
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
    first: stepper('first', 'First ply (Home)', ICONS.first, () => 0),
    prev: stepper('prev', 'Previous ply (Left)', ICONS.prev, () => app.ply - 1),
    next: stepper('next', 'Next ply (Right)', ICONS.next, () => app.ply + 1),
    last: stepper('last', 'Last ply (End)', ICONS.last, () => app.data.round.plays.length),
  };
  const root = el(
    'div', 'controls', { role: 'group', 'aria-label': 'Stepping' },
    el('div', 'bar', null,
      el('div', 'steps', null, buttons.first, buttons.prev, buttons.next, buttons.last),
      el('div', 'label', null, where, el('span', 'ply', null, 'ply ', ply, total)),
      el('div', 'extras', null, view, models,
        button('toggle square', { 'aria-label': 'Copy link to this position (L)', title: 'Copy link to this position (L)', 'data-testid': 'rv-link' }, () => app.copyLink(), icon(ICONS.link)),
        button('toggle square', { 'aria-label': 'Keys (?)', title: 'Keys (?)', 'data-testid': 'rv-help-button' }, () => app.toggleHelp(), '?'))),
    scrubber.root,
  );
  return { root, buttons, ply, where, total, view, models, scrubber };
}

function updateControls(app, position) {
  const { buttons, ply, where, total, view, models, scrubber } = app.controls;
  buttons.first.disabled = buttons.prev.disabled = position.ply === 0;
  buttons.next.disabled = buttons.last.disabled = position.isEnd;
  setText(ply, String(position.ply));
  setText(total, ` / ${position.nPlays}`);
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
  if (position.nPlays === 0) return 'A deal without plays';
  if (position.isEnd) return round.complete ? 'Round over' : 'The record ends here';
  return `Trick ${position.trickNumber} · play ${position.playInTrick + 1} of 4`;
}

function createScrubber(app) {
  const range = el('input', null, { type: 'range', min: 0, step: 1, 'aria-label': 'Ply' });
  range.addEventListener('input', () => app.goTo(Number(range.value)));
  const done = el('i', 'done');
  const marks = el('div', 'marks', { 'aria-hidden': 'true' });
  const ticks = el('div', 'ticks', { 'aria-hidden': 'true' });
  const root = el('div', 'scrubber', null, el('div', 'rail', null, done, marks), range, ticks);
  return { root, range, done, marks, ticks, shown: '', nTicks: -1 };
}

function updateScrubber(app, scrubber, position) {
  const { range, done } = scrubber;
  if (range.max !== String(position.nPlays)) range.max = position.nPlays;
  range.value = position.ply;
  range.disabled = position.nPlays === 0;
  range.setAttribute('aria-valuetext', `${whereText(app.data.round, position)}, ply ${position.ply} of ${position.nPlays}`);
  done.style.width = percentAlong(position.ply, position.nPlays);
  drawTicks(app, scrubber, position.nPlays);
  drawMarks(app, scrubber, position.nPlays);
  const current = String(Math.min(Math.floor(position.ply / 4), Math.ceil(position.nPlays / 4) - 1));
  for (const tick of scrubber.ticks.children) tick.classList.toggle('now', tick.value === current);
}

const percentAlong = (ply, nPlays) => `${nPlays ? (100 * ply) / nPlays : 0}%`;

function drawTicks(app, scrubber, nPlays) {
  if (scrubber.nTicks === nPlays) return;
  scrubber.nTicks = nPlays;
  const ticks = [];
  for (let trick = 0; trick * 4 < nPlays; trick += 1) {
    const tick = button(
      'tick', { tabindex: -1, value: trick, title: `Trick ${trick + 1}` },
      () => app.goTo(trick * 4), String(trick + 1),
    );
    tick.style.left = percentAlong(trick * 4, nPlays);
    tick.style.width = percentAlong(4, nPlays);
    ticks.push(tick);
  }
  scrubber.ticks.replaceChildren(...ticks);
}

/** A mark for every disagreement that this view may show, the stronger the larger its divergence. */
function drawMarks(app, scrubber, nPlays) {
  const { data, view } = app;
  const shown = data.decisions
    .filter((decision) => decision?.disagrees && app.modelsShown(decision.ply)
      && isDecisionOpen(data, view, decision.ply))
    .map((decision) => [decision.ply, decision.divergence ?? 0]);
  const key = JSON.stringify([shown, nPlays]);
  if (scrubber.shown === key) return;
  scrubber.shown = key;
  scrubber.marks.replaceChildren(...shown.map(([ply, divergence]) => {
    const mark = el('i', 'mark');
    mark.style.left = percentAlong(ply, nPlays);
    mark.style.opacity = String(clamp(0.35 + divergence, 0.35, 1));
    return mark;
  }));
}
