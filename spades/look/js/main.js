// The component: one app a mount, kept over Streamlit's re-renders; it owns position and reports it.

const REPORT_DELAY = 120; // ms after the last step
const LINK_DELAY = 2000; // ms after a click on a link that leads to no other page
const LEAVE_PATIENCE = 60_000; // ms after one that does, by which a slow server has answered
const _guesses = []; // in spoiler mode, of all rounds: what the reader picked, once looked at
const _places = new Map(); // last position by round and revision: a page change and back keeps it

class ReplayApp {
  constructor(mount) {
    Object.assign(this, { ply: 0, view: 'all', candidate: null, isHidden: false, revision: 0, showsTricks: false, order: 'loss' });
    this.revealed = new Set();
    this.beliefs = new Map(); // by dealing, ply and seat
    this.sent = {};
    this.timer = null;
    this.exporting = null; // the figure asked for, until it comes
    this.exported = null; // the figure last asked for
    this.leftAt = -Infinity;
    this.table = createTable(this);
    this.controls = createControls(this);
    this.tricks = createTricks(this);
    this.panel = createPanel(this);
    this.toast = createToast();
    this.live = el('p', 'sr-only', { 'aria-live': 'polite' });
    this.root = el('div', 'rv-root', { 'data-testid': 'rv-root' }, el('div', 'grid', null,
      el('div', 'left', null, this.table.root, this.controls.root, this.tricks.root),
      this.panel.top, this.panel.root), this.live);
    mount.replaceChildren(this.root, this.toast.root);
  }

  attach() { this.stop ??= listenToKeys(this); }

  detach() {
    clearTimeout(this.timer);
    this.timer = null;
    this.stop?.();
    this.stop = null;
  }

  /** New data from Python: jump only if it says so. */
  receive(sent) {
    const data = { ...sent, decisions: sent.decisions.map((text) => text && JSON.parse(text)) };
    const at = `${data.id}|${data.rev}`;
    const isNewRound = this.data?.id !== data.id;
    this.leftAt = -Infinity; // Python still draws this page
    if (isNewRound) { this.revealed.clear(); this.isHidden = false; }
    if (isNewRound || JSON.stringify(this.data.round) !== JSON.stringify(data.round)) this.revision += 1;
    this.data = data;
    keepBeliefs(this);
    if (this.at !== at) this.jump(at, { keepsPly: !isNewRound && data.keeps_ply });
    this.ply = clamp(this.ply, firstPly(data.round), data.round.plays.length);
    this.root.classList.toggle('four-color', Boolean(data.four_color));
    this.render();
    openExported(this, data.export);
  }

  /** To the place that Python says; a reader who has stepped on before it was said stays there. */
  jump(at, { keepsPly }) {
    const remembered = this.at === undefined ? _places.get(at) : undefined;
    this.at = at;
    this.candidate = null;
    if (!keepsPly) this.ply = remembered?.ply ?? this.data.ply;
    this.view = remembered?.view ?? this.data.view;
    this.sent = { ply: this.data.ply, view: this.data.view, candidate: null, revealed: '' };
    if (remembered || keepsPly) this.reportSoon();
  }

  render() {
    const position = positionAt(this.data.round, this.ply);
    _places.set(this.at, { ply: this.ply, view: this.view });
    updateTable(this, position);
    updateControls(this, position);
    updateTricks(this, position);
    updatePanel(this, position);
    setText(this.live, lastPlayText(this.data.round, position));
  }

  goTo(ply) {
    const target = clamp(ply, firstPly(this.data.round), this.data.round.plays.length);
    if (target === this.ply) return;
    this.ply = target;
    this.candidate = null;
    this.change();
  }

  goToDecisionOfSeat(step) {
    const ply = nextDecisionOfSeat(this.data, this.ply, step);
    if (ply !== null) this.goTo(ply);
  }

  goToMistake(step) {
    const ply = nextMistake(this, step);
    if (ply !== null) this.goTo(ply);
    else this.toast.say(`${step > 0 ? 'No further' : 'No earlier'} mistake among the plays judged so far`);
  }

  goToDisagreement(step) {
    const ply = nextDisagreement(this.data, this.view, this.ply, step);
    if (ply !== null) this.goTo(ply);
    else this.toast.say(step > 0 ? 'No further disagreement' : 'No earlier disagreement');
  }

  toggleTricks() {
    this.showsTricks = !this.showsTricks;
    this.render();
  }

  /** Sort the table by loss, or by suit (``card``). */
  sortBy(order) {
    this.order = order;
    this.render();
  }

  toggleView() {
    const views = viewsOf(this.data);
    this.setView(views[(views.indexOf(this.view) + 1) % views.length]);
  }

  setView(view) {
    this.view = view;
    this.change();
  }

  modelsShown(ply) {
    return this.data.spoiler ? this.revealed.has(ply) : !this.isHidden;
  }

  /** Whether the card about to be played, or the bid about to be made, may be marked: not before a spoiler is asked for. */
  showsPlayed(position) {
    return !this.data.spoiler || this.revealed.has(position.ply);
  }

  toggleModels() {
    if (!this.data.spoiler) this.isHidden = !this.isHidden;
    else if (!this.revealed.delete(this.ply)) this.reveal();
    this.change();
  }

  /** Show what is hidden here, and count the reader's own card the first time. */
  reveal() {
    this.revealed.add(this.ply);
    const decision = decisionAt(this.data, this.ply);
    const place = `${this.data.id} ${this.ply}`;
    if (!this.candidate || !decision || _guesses.some((guess) => guess.place === place)) return;
    _guesses.push({ place, ...guessOf(decision, this.candidate, this.data.models[0].id) });
  }

  pick(card) {
    this.candidate = this.candidate === card ? null : card;
    this.change();
  }

  pickRow(i) {
    const rows = this.panel.rows;
    const row = rows.root.hidden ? null : rows.body.children[i];
    if (row) this.pick(row.getAttribute('data-card'));
  }

  escape() {
    if (this.help) return this.toggleHelp();
    if (this.showsTricks) return this.toggleTricks();
    if (this.candidate === null) return false;
    return this.pick(this.candidate);
  }

  toggleHelp() {
    if (this.help) {
      this.help.remove();
      this.help = null;
    } else {
      this.help = createHelp(this);
      this.root.append(this.help);
      this.help.firstChild.scrollIntoView({ block: 'nearest' });
    }
  }

  async copyLink() {
    const isCopied = await copyText(linkTo(this));
    this.toast.say(isCopied ? 'Link copied' : 'The browser refused to copy; use the address bar');
  }

  change() {
    this.render();
    this.reportSoon();
  }

  reportSoon(delay = REPORT_DELAY) {
    clearTimeout(this.timer);
    const patience = this.leftAt + LEAVE_PATIENCE - performance.now();
    this.timer = setTimeout(() => this.reportNow(), Math.max(delay, patience));
  }

  /** Put off what waits to be reported; a page that goes away never reports it. */
  reportLater() {
    if (this.timer !== null) this.reportSoon(LINK_DELAY);
  }

  /** The reader has left for another page, which may take its time; `_places` knows the place. */
  leave() {
    this.leftAt = performance.now();
    this.reportLater();
  }

  /** Report what waits to be reported, before something else on the page is used. */
  reportNow() {
    if (this.timer === null) return;
    if (performance.now() < this.leftAt + LEAVE_PATIENCE) return;
    clearTimeout(this.timer);
    this.timer = null;
    this.report();
  }

  /** Tell Python what changed; `at` last, so that it never reads a position under the wrong round. */
  report() {
    const isFirst = this.sent.at !== this.at;
    const revealed = [...this.revealed].join(' ');
    const now = { revealed, candidate: this.candidate, view: this.view, ply: this.ply, at: this.at };
    const changed = Object.keys(now).filter((name) => isFirst || this.sent[name] !== now[name]);
    this.sent = now;
    changed.forEach((name) => this.setStateValue(name, now[name]));
  }
}
