// The rows of the list: each a link that shows a decision's position and opens it on Replay. Arrow
// keys or J and K move between them; buttons below turn the page.

const RED_CARD = /((?:10|[2-9JQKA])[♥♦])/;
const COLUMNS = [
  ['loss', '', ''], // its words depend on the order
  ['seat', 'Decision', 'Who plays, and in which trick and round of the log'],
  ['trick', 'On the table', 'The trick so far, by seat'],
  ['legal', 'Legal cards', 'Of the hand; the best is underlined, the worse one dashed'],
  ['best', 'Best', 'By the judge, and how likely a human plays it; = joins equivalent cards'],
  ['human', 'Human', 'The likeliest card by the human model, and how likely it is'],
  ['played', 'Played', 'In the log'],
  ['why', 'Why it is worse', 'What a lens finds, and the outcomes that cost most'],
];
const CARDS = ['best', 'human', 'played'];
const MOVES = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };
const _lists = new WeakMap();
let shown = null; // the list that is on the page
let last = {}; // the row that had the focus last, and the data it was a row of

function el(tag, className, attributes, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  Object.entries(attributes || {}).forEach(([name, value]) => node.setAttribute(name, value));
  node.append(...children);
  return node;
}

const isRed = (suit) => suit === '♥' || suit === '♦';

/** A text whose red cards are red. */
const withRed = (text) => text.split(RED_CARD).map((part, i) => (i % 2 ? el('span', 'red', null, part) : part));

const cardsOf = (texts) => withRed(texts.join(' = '));

const small = (text, className) => el('small', className, null, text);

function trickOf({ trick }) {
  if (!trick.length) return [el('span', 'quiet', null, 'leads')];
  return trick.map(([seat, card]) => el('span', 'laid', null, small(seat), ...withRed(card)));
}

/** Suit by suit, ranks alone; `marks` has the cards that are underlined. */
function legalOf({ legal, marks }) {
  return legal.map(([suit, cards]) => el(
    'span', isRed(suit) ? 'suit red' : 'suit', null, `${suit} `,
    ...cards.flatMap(([rank, card]) => [el('span', marks[card], null, rank), ' ']),
  ));
}

function cellsOf(row) {
  return {
    loss: [el('b', row.grade, null, row.first), small(row.second)],
    seat: [el('b', null, null, row.seat), ` · trick ${row.number}`, small(row.about)],
    trick: trickOf(row),
    legal: legalOf(row),
    best: [...cardsOf(row.best), small(row.best_share)],
    human: [...cardsOf(row.human), small(row.human_share)],
    played: cardsOf(row.played),
    why: withRed(row.reason),
  };
}

/** A row for a screen reader. */
function sentenceOf(row) {
  const laid = row.trick.map(([seat, card]) => `${seat} ${card}`).join(', ') || 'nothing';
  return `${row.seat}, trick ${row.number}: ${row.first} ${row.unit}, ${row.second}. On the table: ${laid}. `
    + `Best ${row.best.join(' or ')}, human ${row.human.join(' or ')}, played ${row.played.join(' or ')}. ${row.reason}`;
}

function rowOf(row, i, isMarked) {
  const cells = cellsOf(row);
  const drawn = COLUMNS.map(([name, label]) => {
    const labels = CARDS.includes(name) ? [small(label, 'label')] : [];
    return el('span', name, null, ...labels, ...cells[name]);
  });
  const link = el('a', 'row', { href: row.href, 'data-row': i, 'aria-label': sentenceOf(row) }, ...drawn);
  if (isMarked) link.setAttribute('aria-current', 'true');
  return el('li', null, null, link);
}

const isPlain = (event) => !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button);

/** Whether a key is meant for a field or a dialog. */
function isTaken(event) {
  const target = event.composedPath()[0];
  if (document.querySelector('[role=dialog][aria-modal=true]')) return true;
  return target instanceof Element && target.matches('input, textarea, select, [contenteditable], [role=slider], [role=radio]');
}

class List {
  constructor(root) {
    this.root = root;
    this.links = [];
    this.root.onclick = (event) => this.click(event);
    this.root.onfocusin = () => { last = { text: this.text, row: this.here() }; };
  }

  /** Draw what has changed. A row that was opened is found again, and so is the row that had the
   *  focus if the same list is put on the page once more; a new page is seen from its top. */
  receive(data) {
    const text = JSON.stringify(data);
    if (text === this.text) return;
    const pageBefore = this.data?.page;
    const focused = this.data ? this.here() : -1;
    Object.assign(this, { text, data });
    this.draw();
    if (pageBefore === undefined) {
      const row = last.text === text ? last.row : data.at;
      if (row !== null) this.see(row);
    } else if (pageBefore !== data.page) {
      this.root.scrollIntoView();
    } else if (focused >= 0 && focused < this.links.length) {
      this.links[focused].focus({ preventScroll: true });
    }
  }

  /** The row that has the focus, -1 if none. */
  here() {
    return this.links.indexOf(this.root.getRootNode().activeElement);
  }

  draw() {
    const { data } = this;
    const rows = data.rows.map((row, i) => rowOf(row, i, i === data.at));
    this.root.replaceChildren(
      this.head(),
      el('ol', null, { 'aria-label': 'Disagreements' }, ...rows),
      this.pager(),
    );
    this.links = [...this.root.querySelectorAll('.row')];
  }

  /** The headings; a click, a tap or the focus shows what a column is until the focus leaves it. */
  head() {
    const told = el('p', 'told', { role: 'status' });
    const headings = COLUMNS.map(([name, label, hint]) => {
      const help = hint || this.data.about;
      const heading = el('button', name, { type: 'button', title: help }, label || this.data.order);
      heading.onclick = heading.onfocus = () => { told.textContent = help; };
      heading.onblur = () => { told.textContent = ''; };
      return heading;
    });
    return el('div', 'head', { role: 'group', 'aria-label': 'Columns' }, ...headings, told);
  }

  pager() {
    const { first, rows, total, page, pages } = this.data;
    const button = (label, number, isThere) => {
      const node = el('button', null, { type: 'button' }, label);
      node.disabled = !isThere;
      node.onclick = () => this.setTriggerValue('turn', number);
      return node;
    };
    const where = `${first + 1} to ${first + rows.length} of ${total}`;
    const pager = el('nav', 'pager', { 'aria-label': 'Pages of the list' }, el('span', null, null, where));
    if (pages > 1) {
      pager.prepend(button('Previous page', page - 1, page > 1));
      pager.append(button('Next page', page + 1, page < pages));
    }
    return pager;
  }

  see(i) {
    this.links[i].scrollIntoView({ block: 'center' });
    this.links[i].focus({ preventScroll: true });
  }

  click(event) {
    const link = event.target.closest('.row');
    if (!link || !isPlain(event)) return;
    event.preventDefault();
    this.setTriggerValue('open', Number(link.dataset.row));
  }

  press(event) {
    const move = isPlain(event) ? MOVES[event.key] : undefined;
    const here = this.here();
    if (!move || isTaken(event) || (here < 0 && event.key.startsWith('Arrow'))) return;
    event.preventDefault();
    this.links[Math.min(Math.max(here + move, 0), this.links.length - 1)].focus();
  }
}

export default function list({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector('.list');
  if (!_lists.has(root)) _lists.set(root, new List(root));
  const app = _lists.get(root);
  app.setTriggerValue = setTriggerValue;
  shown = app;
  app.receive(data);
}

// Once for all lists: no key is lost while one takes another's place.
window.addEventListener('keydown', (event) => {
  if (shown?.root.isConnected) shown.press(event);
});
