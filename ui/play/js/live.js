// A seat at a table in play: it draws what the server sends of the table, card by card at the pace
// chosen, and sends the moves. The component is kept over Streamlit's re-renders.

const SLACK = 1000; // ms after which the server says so too
const RETRY = 1500; // ms after the server didn't answer
const TRICK_PAUSES = 2.2; // how much longer a whole trick lies on the table than a card
const CLAIMED_TRICKS = 4; // of which all deals can be listed, where much is known
const AIDS = { hint: 'Hint', explain: 'Explain this trick', undo: 'Take back' };
const _tables = new WeakMap();

class LiveTable {
  constructor(mount) {
    Object.assign(this, { view: 'own', candidate: null, revision: 0, ply: null, failed: '' });
    this.beliefs = new Map();
    this.table = createTable(this);
    this.said = el('p', 'said', { 'data-testid': 'live-said', 'aria-live': 'polite' });
    this.bids = el('div', 'bid-buttons', { 'data-testid': 'live-bids', role: 'group', 'aria-label': 'Your bid' });
    this.how = el('p', 'how', { 'data-testid': 'live-how' });
    this.question = el('div', 'question', { 'data-testid': 'live-question', role: 'group', 'aria-label': 'Confirm' });
    this.history = createHistory();
    this.stand = button('go-on', { 'data-testid': 'live-stand-in' }, () => this.exchange(), '');
    this.next = button('go-on', { 'data-testid': 'live-next' }, () => this.goOn(), 'Next round');
    this.relief = el('p', 'relief', { 'data-testid': 'live-relief', role: 'status' });
    this.results = el('div', 'results', { 'data-testid': 'live-results' });
    this.claim = button('go-on', { 'data-testid': 'live-claim' }, () => this.send({ claim: true }), 'Claim the rest');
    this.aids = el('div', 'bid-buttons', { 'data-testid': 'live-aids', role: 'group', 'aria-label': 'Help' },
      ...Object.entries(AIDS).map(([name, text]) => button('go-on', { 'data-aid': name }, () => this.aid(name), text)));
    this.told = el('div', 'told', { 'data-testid': 'live-told', 'aria-live': 'polite' });
    this.root = el('div', 'rv-root live', { 'data-testid': 'live-root', tabindex: '-1' },
      el('div', 'live-grid', null, this.table.root,
        el('div', 'side-panel', null, this.said, this.how, this.bids, this.question, this.next, this.claim, this.stand, this.relief, this.aids, this.told, this.history.root, this.results)));
    mount.replaceChildren(this.root);
    this.onKey = (event) => this.press(event);
  }

  attach() {
    window.addEventListener('keydown', this.onKey, true);
    this.isOn = true;
    this.watch();
  }

  detach() {
    window.removeEventListener('keydown', this.onKey, true);
    this.isOn = false;
    clearTimeout(this.timer);
    this.timer = null;
    this.stopWatching?.abort();
  }

  receive(settings) {
    const isOther = this.settings?.token !== settings.token;
    this.settings = settings;
    this.root.classList.toggle('four-color', Boolean(settings.four_color));
    if (isOther) {
      this.state = null;
      this.stopWatching?.abort();
      this.load();
    } else if (this.state) this.render();
  }

  // What the drawing of the table asks its owner.
  showsPlayed() { return false; }
  pick(card) {
    if (!this.settings.asks || this.candidate === card) { this.play(card); return; }
    this.candidate = card;
    this.propose({ card }, '', `Play ${cardShort(card)}`);
  }

  async ask(path, body, signal) {
    const headers = { 'Content-Type': 'application/json' };
    const options = body ? { method: 'POST', headers, body: JSON.stringify(body) } : {};
    const response = await fetch(`${this.settings.api}${path}`, { ...options, signal });
    const found = await response.json();
    if (!response.ok) throw new Error(found.error || `The server answered ${response.status}.`);
    return found;
  }

  viewPath(after) {
    const query = new URLSearchParams({ token: this.settings.token });
    if (after !== undefined) query.set('after', after);
    return `/view?${query}`;
  }

  async load() {
    const { token } = this.settings;
    try {
      const found = await this.ask(this.viewPath());
      if (token === this.settings.token) this.take(found);
    } catch (error) {
      this.fail(error);
      if (this.isOn) setTimeout(() => this.isOn && !this.state && this.load(), RETRY);
    }
  }

  /** Wait for moves made elsewhere: by others, or for this seat on another screen. */
  async watch() {
    if (this.isWatching) return;
    this.isWatching = true;
    while (this.isOn) {
      if (!this.state || this.state.phase === 'over' || this.isSending) { await pause(200); continue; }
      this.stopWatching = new AbortController();
      try {
        const found = await this.ask(this.viewPath(this.state.n), null, this.stopWatching.signal);
        if (found.n !== this.state?.n || this.failed) this.take(found);
        else this.takeQueue(found.thinking);
      } catch (error) {
        if (error.name !== 'AbortError') { this.fail(error); await pause(RETRY); }
      }
    }
    this.isWatching = false;
  }

  /** A state of the table: nothing older than what is known. */
  take(found) {
    if (this.state && found.n < this.state.n) return;
    const isNewRound = this.state?.number !== found.number && found.phase !== 'round over' && found.phase !== 'over';
    const isFirst = !this.state;
    if (isFirst || isNewRound || this.ply === null) {
      this.revision += 1;
      // On coming back everything lies there; in a new round the bids are seen coming.
      this.ply = isFirst ? plyOf(found) : firstPly(found.round);
    } else if (plyOf(found) < this.ply) { // taken back
      this.revision += 1;
      this.ply = plyOf(found);
    }
    const told = this.state && found.results.length !== this.state.results.length;
    this.state = found;
    this.failed = '';
    if (told || isFirst) this.report();
    this.step();
  }

  /** Where the agent that is due is in the queue, of a table that hasn't gone on. */
  takeQueue(thinking) {
    if (JSON.stringify(thinking) === JSON.stringify(this.state.thinking)) return;
    this.state.thinking = thinking;
    this.render();
  }

  /** Tell Python how many rounds are over: it stores their log and links to it. */
  report() { this.setStateValue('rounds', this.state.results.length); }

  /** One card or bid further, and on until the table is as the server has it. */
  step() {
    clearTimeout(this.timer);
    this.timer = null;
    this.render();
    if (this.ply >= plyOf(this.state)) {
      this.since = performance.now();
      this.lookForClaim();
      return;
    }
    const isTrick = this.ply > 0 && this.ply % 4 === 0;
    const wait = this.settings.pace * (isTrick ? TRICK_PAUSES : 1);
    this.timer = setTimeout(() => { this.ply += 1; this.step(); }, wait);
  }

  isShown() { return this.state && this.ply >= plyOf(this.state); }
  isMine() { return this.state?.turn === this.state?.seat && this.state?.turn !== null; }
  mayAct() { return this.isShown() && this.isMine() && !this.isSending; }

  render() {
    const { state } = this;
    const legal = this.mayAct() && state.phase === 'play' ? state.legal : [];
    this.data = {
      seat: SEATS[state.seat], is_closed: state.may_look, round: awaited(state), spoiler: false, dealing: '',
      decisions: { [this.ply]: { cards: legal.map((card) => ({ card, equals: [] })) } },
    };
    if (!legal.includes(this.candidate)) this.candidate = null;
    const position = positionAt(this.data.round, this.ply);
    updateTable(this, position);
    setText(this.said, this.failed || this.saying(position));
    this.said.classList.toggle('failed', Boolean(this.failed));
    this.said.classList.toggle('due', !this.failed && this.mayAct());
    setText(this.how, this.howTo());
    this.how.hidden = !this.how.textContent;
    this.showBids();
    this.showQuestion();
    this.next.hidden = this.isSending || !(this.isShown() && state.phase === 'round over');
    this.showStandIn();
    this.showAids();
    setText(this.relief, reliefText(state));
    this.relief.hidden = !state.relieved?.length;
    updateHistory(this.history, this.data.round, position);
    this.showResults();
  }

  /** Taking back, and help where it is turned on; what was found goes with the next move. */
  showAids() {
    const { state } = this;
    const has = this.mayAct() && !state.may_look ? state.help : [];
    const may = has.filter((name) => this.settings.help || name === 'undo');
    for (const one of this.aids.children) one.hidden = !may.includes(one.dataset.aid);
    this.aids.hidden = may.length === 0;
    this.claim.hidden = !(this.mayAct() && this.claimable === state.n);
    const isOld = this.helped?.n !== state.n || !this.settings.help;
    if (isOld && this.told.firstChild) this.told.replaceChildren();
  }

  async aid(name) {
    if (name === 'undo') { this.send({ undo: true }); return; }
    const { token } = this.settings;
    this.isSending = true;
    this.render();
    setText(this.said, name === 'hint' ? 'Searching …' : ' ');
    try {
      const found = await this.ask('/help', { token, n: this.state.n, ask: name });
      this.isSending = false;
      if (token !== this.settings.token) return;
      this.helped = { n: found.table.n };
      this.told.replaceChildren(...toldOf(found.help));
      this.take(found.table);
    } catch (error) {
      this.isSending = false;
      this.fail(error);
    }
  }

  /** In the last tricks: whether the rest may be claimed. */
  async lookForClaim() {
    const { state } = this;
    const left = 13 - Math.floor(state.round.plays.length / 4);
    if (!this.mayAct() || state.phase !== 'play' || !state.help.length || left > CLAIMED_TRICKS || left < 2) return;
    try {
      const found = await this.ask('/help', { token: this.settings.token, n: state.n, ask: 'claim' });
      if (!found.may_claim || this.state !== state) return;
      this.claimable = state.n;
      this.render();
    } catch { /* it is an offer: who isn't answered plays on */ }
  }

  /** Who is away comes back; for another person who is long due an agent may play on. */
  showStandIn() {
    const { state } = this;
    const isAway = state.away.includes(state.seat);
    const isOther = state.turn !== null && !this.isMine() && state.players[state.turn].kind !== 'agent';
    const away = this.settings.away + SLACK;
    const isLate = isOther && this.isShown() && performance.now() - (this.since ?? performance.now()) > away;
    this.stand.hidden = this.isSending || state.phase === 'over' || !(isAway || isLate);
    setText(this.stand, isAway ? 'Play on yourself' : `Let an agent play for ${SEAT_NAMES[state.turn ?? 0]}`);
    clearTimeout(this.lateTimer);
    if (isOther && !isLate) this.lateTimer = setTimeout(() => this.isOn && this.state && this.render(), away + SLACK);
  }

  exchange() {
    const { state } = this;
    if (state.away.includes(state.seat)) { this.send({ back: true }); return; }
    const text = `${SEAT_NAMES[state.turn]} plays on only once back.`;
    this.propose({ leave: SEATS[state.turn] }, text, 'Let an agent play');
  }

  /** Ask before a move that can't be taken back, or that ends much. */
  propose(move, text, yes) {
    this.proposed = { move, text, yes, n: this.state.n };
    this.render();
    this.question.querySelector('button').focus();
  }

  proposeNil(isBlind) {
    const worth = isBlind ? this.settings.blind_nil : this.settings.nil;
    const name = isBlind ? 'blind nil' : 'nil';
    const text = `You bid to take no trick: +${worth} points, or \u2212${worth} if you take one.`;
    this.propose({ bid: isBlind ? 'blind nil' : 0 }, text, `Bid ${name}`);
  }

  bid(bid) {
    if (bid === 0 && this.settings.nil !== null) this.proposeNil(false);
    else if (this.settings.asks) this.propose({ bid }, '', `Bid ${bid}`);
    else this.send({ bid });
  }

  showQuestion() {
    const { card } = this.proposed?.move ?? {};
    const isOld = this.proposed?.n !== this.state.n || (card && card !== this.candidate);
    if (this.isSending || isOld) this.proposed = null;
    const { proposed } = this;
    if (this.questionShown === proposed) return;
    this.questionShown = proposed;
    this.question.hidden = !proposed;
    this.question.replaceChildren(...(proposed ? [
      proposed.text && el('p', null, null, proposed.text),
      button('go-on', { 'data-testid': 'live-yes' }, () => this.send(proposed.move), proposed.yes),
      button('go-on quiet', { 'data-testid': 'live-no' }, () => this.withdraw(), 'Not yet'),
    ].filter(Boolean) : []));
  }

  withdraw() {
    Object.assign(this, { proposed: null, candidate: null });
    this.render();
  }

  /** How a bid or a card is made here. */
  howTo() {
    if (!this.mayAct()) return '';
    if (this.state.phase === 'auction') return this.state.may_look ? '' : 'Click a bid, or type it and press Enter.';
    const click = this.settings.asks ? 'A click chooses a card, a second one plays it' : 'A click plays a card';
    return `${click}; 1 to 9 or the arrows choose, Enter plays.`;
  }

  saying(position) {
    const { state } = this;
    if (this.isSending) return ' ';
    if (!this.isShown()) return position.isTrickDone ? `${SEAT_NAMES[trickWinner(position)]} takes the trick.` : ' ';
    if (state.phase === 'over') return this.outcome();
    if (state.phase === 'round over') return `The round is over: ${sidesText(state.round.points)}.`;
    if (!this.isMine()) return waitingText(state);
    if (this.mayAct() && this.claimable === state.n) return 'Your turn. The rest is yours, however the cards lie.';
    if (state.phase === 'play') {
      const n = state.legal.length;
      return n === 1 ? `Your turn: only ${cardShort(state.legal[0])} is legal.` : 'Your turn: play a card.';
    }
    return this.bidding();
  }

  bidding() {
    const { round, seat } = this.state;
    const bids = round.seats.map(({ bid }) => bid);
    const partner = bids[(seat + 2) % 4];
    const total = bids.reduce((sum, bid) => sum + (bid ?? 0), 0);
    const parts = [this.state.may_look ? 'Your bid: nil before you look, or look first.' : 'Your bid.'];
    if (partner !== null) parts.push(`Your partner bid ${round.seats[(seat + 2) % 4].bid_text}.`);
    parts.push(total ? `Bids so far: ${total} of 13 tricks.` : 'Nobody has bid a trick yet.');
    return parts.join(' ');
  }

  outcome() {
    const { won, score, target } = this.state;
    const verdict = won === null ? 'It is level' : won ? 'You have won' : 'You have lost';
    return `${target === null ? 'That was the last round' : verdict}: ${sidesText(score)}.`;
  }

  showBids() {
    const mayLook = this.isShown() && !this.isSending && this.state.may_look;
    const isDue = mayLook || (this.mayAct() && this.state.phase === 'auction');
    const key = isDue ? [this.state.legal, this.state.n, mayLook].join() : '';
    if (this.bidsShown === key) return;
    this.bidsShown = key;
    this.bids.hidden = !isDue;
    const hasNil = this.settings.nil !== null;
    if (mayLook) {
      const blind = button('bid-button', { 'data-bid': 'blind' }, () => this.proposeNil(true), 'Blind nil');
      blind.disabled = !this.isMine();
      const look = button('bid-button', { 'data-bid': 'look' }, () => this.send({ look: true }), 'Look at the cards');
      this.bids.replaceChildren(look, blind);
      return;
    }
    this.bids.replaceChildren(...(isDue ? this.state.legal : []).map((bid) =>
      button('bid-button', { 'data-bid': bid }, () => this.bid(bid), bid === 0 && hasNil ? 'nil' : String(bid))));
  }

  showResults() {
    const { sheet, score, bags, target } = this.state;
    const key = JSON.stringify([sheet, score]);
    if (this.resultsShown === key) return;
    this.resultsShown = key;
    this.results.hidden = sheet.length === 0;
    this.results.replaceChildren(...scoreSheet(sheet, score, bags, target));
  }

  play(card) { if (this.mayAct() && this.state.legal.includes(card)) this.send({ card }); }
  goOn() { this.send({ deal: true }); }

  async send(move) {
    if (this.isSending) return;
    const { token } = this.settings;
    const ms = Math.round(performance.now() - (this.since ?? performance.now()));
    const body = { token, n: this.state.n, ms, ...move };
    this.isSending = true;
    this.render();
    let wait = 0;
    for (;;) { // until the server has it: the same move is made once
      try {
        const found = await this.ask('/move', body);
        this.isSending = false;
        this.candidate = null;
        if (token === this.settings.token) this.take(found);
        return;
      } catch (error) {
        this.fail(error);
        if (!(error instanceof TypeError) || !this.isOn) break; // the server's own word
        wait = Math.min(10_000, wait + RETRY);
        await pause(wait);
      }
    }
    this.isSending = false;
    await this.load();
  }

  fail(error) {
    const isAway = error instanceof TypeError;
    this.failed = isAway ? 'The server does not answer. What you have played is stored; trying again.' : error.message;
    if (this.state) this.render();
    else { setText(this.said, this.failed); this.said.classList.add('failed'); }
  }

  /** 1 to 9 and arrows choose, Enter plays; in the auction they choose and make a bid. */
  press(event) {
    if (!this.root.isConnected) { this.detach(); return; }
    if (!isForTable(event)) return;
    if (event.key === 'Enter' && event.repeat) { swallow(event); return; }
    if (event.key === 'Escape' && this.proposed) { swallow(event); this.withdraw(); return; }
    if (event.key === 'Enter' && !this.next.hidden) { swallow(event); this.goOn(); return; }
    if (!this.mayAct()) return;
    if (this.state.phase === 'auction') { this.pressBid(event); return; }
    pressCard(this, event, this.table.slots[this.state.seat], this.state.legal, (card) => this.play(card));
  }

  pressBid(event) {
    const buttons = [...this.bids.children];
    const at = buttons.indexOf(this.root.getRootNode().activeElement);
    let wanted;
    if (/^[0-9]$/.test(event.key)) wanted = buttons.find((one) => one.dataset.bid === event.key);
    else if (event.key === 'ArrowRight') wanted = buttons[Math.min(at + 1, buttons.length - 1)];
    else if (event.key === 'ArrowLeft') wanted = buttons[Math.max(at - 1, 0)];
    if (!wanted) return;
    swallow(event);
    wanted.focus();
  }
}

/** Sentences, and a row for each class of equal cards, as on Replay: what humans play, what the search visits, the loss. */
function toldOf({ text, rows }) {
  const lossText = (loss) => (loss > 0 ? formatSigned(-loss) : '0');
  const head = ['Card', 'Human', 'Search', 'Loss'].map((name) => el('th', null, { scope: 'col' }, name));
  const body = rows.map(({ card, human, visits, loss }) => el('tr', null, null,
    el('th', null, { scope: 'row' }, card),
    ...[formatPercent(human), formatPercent(visits), loss === null ? '–' : lossText(loss)].map((one) => el('td', null, null, one))));
  const table = rows.length ? [el('table', null, null, el('thead', null, null, el('tr', null, null, ...head)), el('tbody', null, null, ...body))] : [];
  return [...text.map((one) => el('p', null, null, one)), ...table];
}

const pause = (ms) => new Promise((done) => { setTimeout(done, ms); });

/** Where the table stands as the server has it: bids count from -4. */
function plyOf(state) {
  const made = state.round.seats.filter(({ bid }) => bid !== null).length;
  return made < 4 ? made - 4 : state.round.plays.length;
}

/** The round with a place for the card that is due: nothing has ended there. */
function awaited({ round, phase, turn }) {
  if (phase !== 'play') return round;
  return { ...round, plays: [...round.plays, ''], play_seats: [...round.play_seats, turn] };
}

/** Whom the table waits for: a person, or an agent that thinks or waits for its turn to. */
function waitingText({ turn, thinking }) {
  const who = SEAT_NAMES[turn];
  if (!thinking || thinking.place === 0) return `${who} is thinking.`;
  if (thinking.place) return `${who} waits: ${ordinal(thinking.place)} in the queue of ${thinking.waiting}.`;
  return `${who} waits${thinking.problem ? `: ${thinking.problem}` : ''}.`;
}

function ordinal(n) {
  const isTeen = n % 100 > 10 && n % 100 < 14;
  return `${n}${(!isTeen && ['th', 'st', 'nd', 'rd'][n % 10]) || 'th'}`;
}

/** For which agents, that thought too long, another plays on. */
function reliefText({ relieved = [] }) {
  const names = relieved.map((seat) => SEAT_NAMES[seat]).join(' and ');
  return relieved.length ? `${names} thought too long about a card: a quick agent plays on there.` : '';
}

const sidesText = (values) => ['N/S', 'E/W'].map((name, i) => `${name} ${String(values[i]).replace('-', '\u2212')}`).join(', ');

export default function liveTable(component) {
  return mountApp(_tables, (mount) => new LiveTable(mount), component);
}
