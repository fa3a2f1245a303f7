// A position to be answered: the table from the seat to play, which sees its own cards alone. The
// answer is reported once; what is right comes with the next data.

const _drills = new WeakMap();

class DrillTable {
  constructor(mount) {
    Object.assign(this, { view: 'own', candidate: null, revision: 0 });
    this.beliefs = new Map();
    this.table = createTable(this);
    this.history = createHistory();
    this.root = el('div', 'rv-root drill', { 'data-testid': 'drill-root', tabindex: '-1' }, this.table.root, this.history.root);
    mount.replaceChildren(this.root);
    this.onKey = (event) => this.press(event);
  }

  attach() { window.addEventListener('keydown', this.onKey, true); }
  detach() { window.removeEventListener('keydown', this.onKey, true); }

  receive(sent) {
    if (this.sent?.id !== sent.id) {
      Object.assign(this, { candidate: null, isSent: false, since: performance.now() });
      this.revision += 1;
    }
    this.sent = sent;
    this.ply = sent.round.plays.length - 1; // the place for the card that is due
    this.render();
  }

  // What the drawing of the table asks its owner.
  showsPlayed() { return false; }
  pick(card) { this.answer(card); }

  isOpen() { return !this.isSent && !this.sent.answer; }

  render() {
    const { round, seat, lit, answer } = this.sent; // lit: the legal cards, then the right ones
    if (answer) this.candidate = answer;
    this.data = {
      seat, round, spoiler: false, dealing: '',
      decisions: { [this.ply]: { cards: lit.map((card) => ({ card, equals: [] })) } },
    };
    const position = positionAt(round, this.ply);
    updateTable(this, position);
    updateHistory(this.history, round, position);
  }

  answer(card) {
    if (!this.isOpen() || !this.sent.lit.includes(card)) return;
    Object.assign(this, { candidate: card, isSent: true });
    this.render();
    this.setStateValue('answer', { id: this.sent.id, card, ms: Math.round(performance.now() - this.since) });
  }

  press(event) {
    if (!this.root.isConnected) { this.detach(); return; }
    if (!isForTable(event) || !this.isOpen()) return;
    const slots = this.table.slots[SEATS.indexOf(this.sent.seat)];
    pressCard(this, event, slots, this.sent.lit, (card) => this.answer(card));
  }
}

export default function drillTable(component) {
  return mountApp(_drills, (mount) => new DrillTable(mount), component);
}
