// The judgement on top, and under it the decision's table, or what to say without one.

const DIVERGENCE_HELP = 'Jensen–Shannon divergence between the search’s visit shares and the human '
  + 'probabilities over the legal cards, in bits: 0 same, 1 opposite';
const HINDSIGHT_HELP = 'What the card cost in rounds that strong agents play on from the true deal. Luck: what it gave '
  + 'away by what its seat saw, less that.';
const GRADE_WORDS = { best: 'Best', fine: 'Fine', slip: 'Slip', mistake: 'Mistake' };

function createPanel(app) {
  const heading = el('h3', 'heading');
  const judgement = createJudgement();
  const rows = createRows(app);
  const note = el('div', 'note');
  const summary = el('div', 'summary');
  const bidRows = createBidRows(app);
  const star = el('p', 'star', { 'data-testid': 'rv-star' });
  const needs = el('span', 'needs');
  const divergence = el('span', 'divergence', { 'data-testid': 'rv-divergence', title: DIVERGENCE_HELP });
  const exporter = exportButton('Export: this decision', 'decision', () => askForExport(app, 'decision', [app.ply]));
  const root = el('section', 'panel', { 'aria-label': 'Decision' },
    note, el('div', 'rows', null, rows.root), el('div', 'below', null, exporter, needs, divergence, star), bidRows.root, summary);
  const top = el('div', 'top', null, heading, judgement.root);
  return { root, top, heading, judgement, exporter, star, needs, divergence, rows, bidRows, note, summary, shown: '' };
}

function createJudgement() {
  const subject = el('span', 'subject');
  const says = el('span', 'says');
  const grade = el('span', 'grade-word');
  const title = el('h3', null, null, subject, ' ', says, ' ', grade);
  const reason = el('p', 'reason');
  const sure = el('p', 'sure');
  const hindsight = el('p', 'hindsight', { 'data-testid': 'rv-hindsight', title: HINDSIGHT_HELP });
  const root = el('section', 'judgement', { 'aria-label': 'Judgement', 'data-testid': 'rv-verdict' }, title, reason, sure, hindsight);
  return { root, title, subject, says, grade, reason, sure, hindsight };
}

function updatePanel(app, position) {
  const { data, panel } = app;
  const state = panelState(app, position);
  const found = position.bid ? null : decisionAt(data, position.ply);
  const decision = position.bid ? bidDecisionAt(data, position.ply) : found;
  const hasRows = !position.bid && (state === 'open' || state === 'unrevealed');
  setClass(panel.root, `panel ${state}`);
  panel.rows.root.hidden = !hasRows;
  if (hasRows) {
    updateRows(app, panel.rows, position, decision, state === 'open', app.showsPlayed(position) ? decision.played : null);
  } else {
    panel.rows.body.replaceChildren(); // another hand's cards may not stay in the page
  }
  updateTop(panel, state, headingText(data.round, position), decision, position.bid, app.view === 'all');
  updateBelow(app, hasRows && state === 'open' ? decision : null);
  const shown = state !== 'closed' && decision;
  const key = JSON.stringify([state, position.ply, data.progress, app.revision, data.seat, shown, data.bids?.complaint]);
  if (panel.shown === key) return;
  panel.shown = key;
  updateBidRows(panel.bidRows, position.bid && state === 'open' ? decision : null);
  panel.note.replaceChildren(...noteOf(app, state, position, decision));
  panel.summary.replaceChildren(...(state === 'end' ? summaryOf(data.round, position) : []));
}

/** The judgement of a card, with all hands open also as the cards lay; of a bid what the bidders make of it; else where the reader is. */
function updateTop(panel, state, heading, decision, isBid, isWhole) {
  const isOpen = state === 'open';
  const { subject, says, grade, reason, sure } = (isOpen && !isBid && decision.judgement) || {};
  const { judgement } = panel;
  setText(panel.heading, heading);
  panel.heading.hidden = isOpen && !isBid;
  judgement.root.hidden = !isOpen;
  judgement.title.hidden = isBid > 0;
  setClass(judgement.root, `judgement ${grade ? `grade-${grade}` : ''}`);
  setText(judgement.subject, subject || '');
  setText(judgement.says, says || '');
  setText(judgement.grade, GRADE_WORDS[grade] || '');
  setText(judgement.reason, isOpen ? (isBid ? decision.verdict : reason) : '');
  const lay = isOpen && !isBid && isWhole ? decision.hindsight : '';
  judgement.hindsight.replaceChildren(...(lay ? [el('b', null, null, 'As the cards lay'), ' ', lay] : []));
  judgement.sure.replaceChildren(...(sure ? [el('b', null, null, 'How sure'), ' ', sure] : []));
}

function panelState(app, position) {
  const { data, view } = app;
  if (position.isEnd) return 'end';
  if (!isDecisionOpen(data, view, position.ply)) return 'closed';
  if (!decisionAt(data, position.ply) && !bidDecisionAt(data, position.ply)) return 'searching';
  return app.modelsShown(position.ply) ? 'open' : 'unrevealed';
}

function headingText(round, position) {
  if (position.bid) return `${SEAT_NAMES[position.mover]} to bid — bid ${position.bid} of ${N_BIDS}`;
  if (position.nPlays === 0) return 'A deal without plays';
  if (position.isEnd) return round.complete ? 'The round is over' : 'The record ends here';
  const play = PLAY_NAMES[position.playInTrick];
  return `${SEAT_NAMES[position.mover]} to play — trick ${position.trickNumber}, ${play}`;
}

function progressText({ progress }) {
  return progress ? `${progress.done} of ${progress.total} decisions searched` : '';
}

/** Why the star isn't on the longest bar, what both sides need; with more columns how far the search and humans are apart. */
function updateBelow({ panel, data, setTriggerValue }, decision) {
  panel.needs.parentElement.hidden = !decision;
  panel.exporter.hidden = !setTriggerValue;
  setText(panel.star, decision?.star || '');
  panel.star.hidden = !decision?.star;
  setText(panel.needs, decision?.needs || '');
  panel.divergence.hidden = !data.more;
  panel.divergence.replaceChildren('Divergence ', el('b', null, null, decision ? decision.divergence.toFixed(2) : '–'), ' bits');
}

function noteOf(app, state, position, decision) {
  const { data } = app;
  if (state === 'closed') {
    return [
      el('p', null, null,
        `${SEAT_NAMES[position.mover]} to ${position.bid ? 'bid' : 'play'} — cards hidden in this view.${viewsOf(data).length > 1 ? ' H goes round the views.' : ''}`),
      ...(viewsOf(data).includes('all') ? [button('show', null, () => app.setView('all'), 'All hands')] : []),
    ];
  }
  if (state === 'searching') return position.bid ? askingNote(data) : searchingNote(data);
  if (state === 'unrevealed') {
    return [
      el('p', null, null, data.spoiler
        ? `Spoiler mode: ${position.bid ? 'think of your own bid' : 'pick your own card first (1–9)'}, then look.`
        : position.bid ? 'The bidders’ bids are hidden.' : 'Models and search are hidden.'),
      button('show', { 'data-testid': 'rv-show-models' }, () => app.toggleModels(), position.bid ? 'Show bids' : 'Show models', el('kbd', null, null, 'M')),
    ];
  }
  const notes = [];
  if (data.spoiler && _guesses.length) notes.push(el('p', { 'data-testid': 'rv-score' }, null, guessText(_guesses)));
  return notes;
}

/** How a card that the reader picked compares: as the search, as humans, points behind the judge’s best. */
function guessOf({ cards }, name, model) {
  const own = cards.find((row) => row.card === name || row.equals.includes(name));
  const top = Math.max(...cards.map((row) => row.human[model]));
  return {
    asSearch: own.is_search_choice,
    asHuman: own.human[model] > top * (1 - 1e-6),
    lost: own.loss,
  };
}

function guessText(guesses) {
  const count = (is) => guesses.filter(is).length;
  const known = guesses.map((guess) => guess.lost).filter((lost) => lost !== null);
  const mean = known.reduce((sum, lost) => sum + lost, 0) / Math.max(1, known.length);
  return `Your picks: ${count((guess) => guess.asSearch)} of ${guesses.length} as the search, `
    + `${count((guess) => guess.asHuman)} as humans most often; worth ${mean.toFixed(1)} points less `
    + `than the judge’s best in the mean (n = ${known.length}).`;
}

function askingNote({ bids }) {
  if (bids) return [el('p', null, null, bids.complaint || 'The bidders gave no answer.')];
  return [el('p', null, null, 'Asking the bidders … (the first time ever compiles, up to a minute)')];
}

function searchingNote(data) {
  if (!data.progress) return [el('p', null, null, 'This decision has not been searched yet.')];
  const fill = el('i');
  fill.style.width = `${(100 * data.progress.done) / Math.max(1, data.progress.total)}%`;
  return [
    el('p', null, null, `Searching… ${progressText(data)}`),
    el('span', 'track progress', null, fill),
  ];
}
