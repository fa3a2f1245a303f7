// The decision panel: heading, the decision at a glance, the table, and what to say without one.

const DIVERGENCE_HELP = 'Jensen–Shannon divergence between the search’s visit shares and the human '
  + 'probabilities over the legal cards, in bits: 0 same, 1 opposite';

const MOST_EQUAL = 3; // cards that humans play equally often, shown as such

function createPanel(app) {
  const heading = el('h3');
  const agent = el('span', 'agent');
  const searches = el('div', 'searches', { role: 'group', 'aria-label': 'Search shown' });
  const glance = el('div', 'glance');
  const rows = createRows(app);
  const note = el('div', 'note');
  const summary = el('div', 'summary');
  const bidRows = createBidRows();
  const needs = el('span', 'needs');
  const looks = el('span', 'looks', null,
    button('toggle', { title: HELP.leads }, () => app.toggleLook('showsLeads'), 'Leads to'),
    button('toggle', { title: 'Touching cards apart: how often the search visits each' }, () => app.toggleLook('showsEach'), 'Each card'));
  const root = el('section', 'panel', { 'aria-label': 'Decision' },
    el('header', null, null, heading, agent), searches, glance, el('div', 'below', null, needs, looks), note, el('div', 'rows', null, rows.root), bidRows.root, summary);
  const verdict = el('p', 'verdict', { 'data-testid': 'rv-verdict' });
  return { root, heading, agent, needs, looks, searches, searchNames: '', glance, rows, bidRows, note, summary, verdict, shown: '' };
}

function updatePanel(app, position) {
  const { data, panel } = app;
  const state = panelState(app, position);
  app.search = Math.min(app.search, data.searches.length - 1);
  const found = position.bid ? null : decisionAt(data, position.ply);
  const searched = found ? [found, ...found.others] : [];
  const decision = position.bid ? bidDecisionAt(data, position.ply) : searched[app.search] || null;
  const hasRows = !position.bid && (state === 'open' || state === 'unrevealed');
  setText(panel.heading, headingText(data.round, position));
  setClass(panel.root, `panel ${state}`);
  panel.rows.root.hidden = !hasRows;
  if (hasRows) {
    const played = app.showsPlayed(position) ? decision.played : null;
    updateRows(app, panel.rows, decision, searched.filter((one) => one !== decision), state === 'open', played);
  } else {
    panel.rows.body.replaceChildren(); // another hand's cards may not stay in the page
  }
  updateSearches(app, hasRows);
  updateLooks(app, hasRows && state === 'open' ? decision : null);
  setText(panel.agent, position.bid ? '' : agentText(app, state, decision));
  const verdict = state === 'open' ? decision.verdict : '';
  setText(panel.verdict, verdict);
  panel.verdict.hidden = !verdict;
  const shown = state !== 'closed' && decision;
  const key = JSON.stringify([state, position.ply, app.search, app.showsEach, data.progress, app.revision, data.seat, shown, data.bids?.complaint]);
  if (panel.shown === key) return;
  panel.shown = key;
  updateBidRows(panel.bidRows, position.bid && state === 'open' ? decision : null);
  const glance = position.bid ? bidGlance : (found) => glanceOf(data, found);
  panel.glance.replaceChildren(...(state === 'open' ? glance(decision) : []));
  panel.note.replaceChildren(...noteOf(app, state, position, decision));
  panel.summary.replaceChildren(...(state === 'end' ? summaryOf(data.round, position) : []));
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

function agentText({ data, search }, state, decision) {
  if (state === 'end' || state === 'closed') return '';
  const isRunning = data.progress && data.progress.done < data.progress.total && state !== 'searching';
  const isLonger = decision?.iterations > data.iterations[search];
  const agent = isLonger ? `searched longer: ${formatCount(decision.iterations)} iterations` : data.searches[0];
  const times = decision?.searches > 1 ? `${formatCount(decision.searches)} searches` : decision?.is_first_look && !isLonger ? 'first look' : '';
  return [data.searches.length > 1 ? '' : agent, times, isRunning ? progressText(data) : ''].filter(Boolean).join(' · ');
}

/** What both sides need, and the buttons for other columns and for touching cards apart. */
function updateLooks({ panel, showsLeads, showsEach }, decision) {
  const [leads, each] = panel.looks.children;
  panel.needs.parentElement.hidden = !decision;
  setText(panel.needs, decision?.needs || '');
  leads.hidden = !decision?.cards.some((row) => row.outcomes) && !showsLeads;
  each.hidden = !decision?.each.length;
  setAttribute(leads, 'aria-pressed', String(showsLeads));
  setAttribute(each, 'aria-pressed', String(showsEach));
}

/** A button a search, where there are several: whose visits the table shows first. */
function updateSearches(app, hasRows) {
  const { data: { searches }, panel } = app;
  panel.searches.hidden = !hasRows || searches.length < 2;
  const names = JSON.stringify(searches);
  if (panel.searchNames !== names) {
    panel.searchNames = names;
    panel.searches.replaceChildren(...searches.map((name, i) => button('toggle', null, () => app.showSearch(i), name)));
  }
  [...panel.searches.children].forEach((node, i) => setAttribute(node, 'aria-pressed', String(i === app.search)));
}

/**
 * What was played, what humans would most likely play, what the search chooses, how far apart, and
 * what the judge says. While the judge is at work the search's share is not shown as a result.
 */
function glanceOf(data, decision) {
  const model = data.models[0];
  const top = Math.max(...decision.cards.map((row) => row.human[model.id]));
  const likeliest = decision.cards.filter((row) => row.human[model.id] > top * (1 - 1e-6));
  const choice = decision.cards.find((row) => row.is_search_choice);
  const best = decision.cards.filter((row) => row.is_judged_best);
  const fact = (kind, label, cards, number) => el(
    'span', `fact ${kind}`, null, el('span', 'label', null, label),
    ...cards.slice(0, MOST_EQUAL).map((card) => cardChip(card, data.round)),
    number ? el('span', 'number', null, number) : null,
  );
  const each = likeliest.length > 1 ? ` each${likeliest.length > MOST_EQUAL ? ` of ${likeliest.length}` : ''}` : '';
  return [
    decision.played && fact('played', '● Played', [decision.played]),
    fact('human', 'Human', likeliest.map((row) => row.card), `${formatPercent(top)}${each}`),
    choice && fact('search', '★ Search', [choice.card], decision.is_checking ? '' : formatPercent(choice.share)),
    decision.is_checking && fact('judged', '✓ Judge', [], 'checking …'),
    best.length && fact('judged', '✓ Judge', best.map((row) => row.card), decision.kind),
    divergenceGauge(decision),
  ].filter(Boolean);
}

function divergenceGauge({ divergence }) {
  const known = divergence !== null && divergence !== undefined;
  const fill = el('i');
  fill.style.width = `${known ? 100 * clamp(divergence, 0, 1) : 0}%`;
  return el('span', 'gauge', { 'data-testid': 'rv-divergence', title: DIVERGENCE_HELP },
    el('span', 'label', null, 'Divergence'),
    el('span', 'track', null, fill),
    el('b', null, null, known ? divergence.toFixed(2) : '–'), el('small', null, null, ' bits'));
}

function noteOf(app, state, position, decision) {
  const { data } = app;
  if (state === 'closed') {
    return [
      el('p', null, null,
        `${SEAT_NAMES[position.mover]} to ${position.bid ? 'bid' : 'play'} — cards hidden in this view. H goes round the views.`),
      button('show', null, () => app.setView('all'), 'All hands'),
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
  if (state === 'open' && decision.cards?.length === 1) notes.push(el('p', null, null, 'Forced: only one legal card'));
  if (data.spoiler && _guesses.length) notes.push(el('p', { 'data-testid': 'rv-score' }, null, guessText(_guesses)));
  return notes;
}

/** How a card that the reader picked compares: as the search, as humans, points behind the judge’s best. */
function guessOf({ cards }, name, model) {
  const own = cards.find((row) => row.card === name || row.equals.includes(name));
  const values = cards.map((row) => row.judged_value).filter(Number.isFinite);
  const top = Math.max(...cards.map((row) => row.human[model]));
  return {
    asSearch: own.is_search_choice,
    asHuman: own.human[model] > top * (1 - 1e-6),
    lost: Number.isFinite(own.judged_value) ? Math.max(...values) - own.judged_value : null,
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
