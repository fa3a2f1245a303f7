// A tour of the landing page in five spotlights: a ring around what is there, a text beside it. What
// isn't there is left out. Nothing on the page moves, and the server isn't asked.
const STEPS = [
  ['[data-testid=rv-verdict]', 'The judgement',
    'What the card played costs, why another is better, and how sure the judge is: strong agents play the rest of the round many times.'],
  ['[data-testid=rv-decision]', 'Every legal card',
    'The least loss first. Blue: how likely a human plays it. Orange: how often the search chose it. ● was played, ★ is the search’s choice, ✓ the judge’s best. A click on a heading explains its column.'],
  ['.scrubber', 'The whole hand',
    'Points given away, play by play. Step with the arrow keys or the buttons; N goes to the next mistake.'],
  ['[class*=st-key-replay_open_hand] button', 'Your own hand',
    'Paste a record or open a file: the page asks which card it is about and judges it. Report turns the judgement into a text to send.'],
  ['.st-key-bar', 'All pages',
    'Play and train, compare styles, tune the search, bid, see the agents and the papers, bring logs in. Ctrl K, or the search in the bar, finds any of it.'],
];
const LANDING = '.st-key-bar_name a';
const VIEW = '.st-key-replay_view';
const GAP = 12; // pixels between ring, text and the window's edge
const REST_MS = 2000; // a page that draws nothing for so long has drawn all that it has

const find = (selector) => {
  const hosts = [...document.querySelectorAll(`${VIEW} *`)].filter((node) => node.shadowRoot);
  const found = [document, ...hosts.map((host) => host.shadowRoot)].map((node) => node.querySelector(selector));
  return found.find((node) => node?.checkVisibility()) || null;
};

const make = (tag, className, text = '') => {
  const node = document.createElement(tag);
  node.className = className;
  node.textContent = text;
  return node;
};

const clamp = (x, low, high) => Math.max(low, Math.min(x, high));

/** Where a card of this size stands: below, above, right or left of a box, or over its lower end. */
const beside = (box, width, height) => {
  const x = clamp(box.left, GAP, innerWidth - width - GAP);
  const y = clamp(box.top, GAP, innerHeight - height - GAP);
  const places = [
    [x, box.bottom + GAP], [x, box.top - GAP - height],
    [box.right + GAP, y], [box.left - GAP - width, y],
  ];
  const fits = ([left, top]) => left >= GAP && top >= GAP
    && left + width <= innerWidth - GAP && top + height <= innerHeight - GAP;
  return places.find(fits) || [x, innerHeight - height - GAP];
};

class Tour {
  constructor() {
    this.dialog = make('dialog', 'spotlights');
    this.dialog.setAttribute('role', 'dialog');
    this.dialog.setAttribute('aria-modal', 'true');
    this.dialog.setAttribute('aria-labelledby', 'spotlights-title');
    this.ring = make('div', 'ring');
    this.title = make('h2', '');
    this.title.id = 'spotlights-title';
    this.text = make('p', '');
    const told = make('div', 'told');
    told.setAttribute('aria-live', 'polite');
    told.append(this.title, this.text);
    this.count = make('span', 'count');
    this.back = this.button('Back', () => this.go(-1));
    this.next = this.button('Next', () => this.go(1));
    const buttons = make('div', 'buttons');
    buttons.append(this.count, this.button('Close', () => this.dialog.close()), this.back, this.next);
    this.card = make('div', 'card');
    this.card.append(told, buttons);
    this.dialog.append(this.ring, this.card);
    this.dialog.addEventListener('keydown', (event) => this.press(event));
    document.body.append(this.dialog);
  }

  button(label, act) {
    const node = make('button', '', label);
    node.type = 'button';
    node.onclick = act;
    return node;
  }

  start() {
    this.steps = STEPS.filter(([selector]) => find(selector));
    this.at = 0;
    if (!this.steps.length || this.dialog.open) return;
    this.dialog.style.colorScheme = getComputedStyle(document.querySelector('.stApp')).colorScheme;
    this.dialog.showModal();
    this.next.focus();
    this.show();
    this.follow();
  }

  go(by) {
    this.at += by;
    if (this.at === this.steps.length) this.dialog.close();
    else this.show();
  }

  show() {
    const [selector, title, text] = this.steps[this.at];
    this.title.textContent = title;
    this.text.textContent = text;
    this.count.textContent = `${this.at + 1} of ${this.steps.length}`;
    this.back.disabled = this.at === 0;
    this.next.textContent = this.at === this.steps.length - 1 ? 'Done' : 'Next';
    if (this.back.disabled) this.next.focus();
    const target = find(selector);
    const { top, bottom } = target?.getBoundingClientRect() || {};
    if (top < 0 || bottom > innerHeight) target.scrollIntoView({ block: 'center', inline: 'nearest' });
  }

  /** Keep the ring on its target, which may grow while a judgement is made. */
  follow() {
    if (!this.dialog.open) return;
    const box = find(this.steps[this.at][0])?.getBoundingClientRect();
    if (box) this.place(box);
    requestAnimationFrame(() => this.follow());
  }

  place(box) {
    const left = clamp(box.left - GAP / 3, 0, innerWidth);
    const top = clamp(box.top - GAP / 3, 0, innerHeight);
    const right = clamp(box.right + GAP / 3, 0, innerWidth);
    const bottom = clamp(box.bottom + GAP / 3, 0, innerHeight);
    const { style } = this.ring;
    Object.assign(style, { left: `${left}px`, top: `${top}px`, width: `${right - left}px`, height: `${bottom - top}px` });
    const [x, y] = beside({ left, top, right, bottom }, this.card.offsetWidth, this.card.offsetHeight);
    Object.assign(this.card.style, { left: `${x}px`, top: `${y}px` });
  }

  press(event) {
    event.stopPropagation();
    if (event.key === 'ArrowRight') this.go(1);
    if (event.key === 'ArrowLeft' && this.at) this.go(-1);
  }
}

let tour;
let waiting;

const isDrawing = () => !document.querySelector('.stApp[data-test-script-state=notRunning]');

/**
 * Lead to the landing page, whose link may not be drawn yet, and begin there: once there is a
 * judgement to show, or without one once the page has come to rest.
 */
const begin = (isLed = false, restsAt = Infinity) => {
  const now = performance.now();
  const isThere = document.querySelector(VIEW) !== null;
  if (find(STEPS[0][0]) || (isThere && now > restsAt)) {
    tour ??= new Tour();
    tour.start();
    return;
  }
  const link = document.querySelector(LANDING);
  if (!isThere && !isLed) link?.click();
  const rests = isThere && !isDrawing() ? Math.min(restsAt, now + REST_MS) : Infinity;
  waiting = setTimeout(begin, 100, isLed || link !== null, rests);
};

document.addEventListener('click', (event) => {
  clearTimeout(waiting); // who clicks elsewhere meanwhile has something else in mind
  if (event.target.closest('[data-tool=tour]')) begin();
});
