// Previous, next, and back to the list, by button and by key. The browser steps at once and says,
// once it rests, which row it is at: quick key presses are never lost.

const REST_MS = 150;
const KEYS = { j: 'next', k: 'previous', u: 'back' };
const _steps = new WeakMap();

/** Whether a key is meant for a field or a dialog. */
function isTaken(event) {
  const target = event.composedPath()[0];
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.isComposing) return true;
  if (document.querySelector('[role=dialog][aria-modal=true]')) return true;
  return target instanceof Element && target.matches('input, textarea, select, [contenteditable]');
}

class Steps {
  constructor(root) {
    this.root = root;
    this.place = root.querySelector('.place');
    this.buttons = Object.fromEntries(Object.values(KEYS).map((name) => [name, root.querySelector(`.${name}`)]));
    this.buttons.previous.onclick = () => this.go(-1);
    this.buttons.next.onclick = () => this.go(1);
    this.buttons.back.onclick = () => this.setTriggerValue('back', true);
    document.querySelector('[data-testid=stMain]')?.scrollTo(0, 0); // the list may have been scrolled
  }

  /** New data: where Python is, unless it has yet to answer the last step. */
  receive(data) {
    const isAnswered = this.asked === undefined || data.asked === this.asked;
    this.total = data.total;
    if (this.timer === undefined && isAnswered) {
      this.at = data.at;
      this.asked = undefined;
    }
    this.render();
  }

  render() {
    const where = this.at === null ? 'not in the list' : `${this.at + 1} of ${this.total}`;
    this.place.textContent = where;
    this.buttons.previous.disabled = this.at === null || this.at === 0;
    this.buttons.next.disabled = this.at === null || this.at + 1 === this.total;
  }

  go(step) {
    if (this.at === null) return;
    const at = Math.min(Math.max(this.at + step, 0), this.total - 1);
    if (at === this.at) return;
    this.at = at;
    this.render();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.report(), REST_MS);
  }

  report() {
    this.timer = undefined;
    this.asked = this.at;
    this.setTriggerValue('go', this.at);
  }

  press(event) {
    const name = KEYS[event.key.toLowerCase()];
    if (!name || isTaken(event)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!event.repeat || name !== 'back') this.buttons[name].click();
  }
}

export default function steps({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector('.steps');
  if (!_steps.has(root)) _steps.set(root, new Steps(root));
  const app = _steps.get(root);
  app.setTriggerValue = setTriggerValue;
  app.receive(data);
  const stop = () => window.removeEventListener('keydown', onKey, true);
  const onKey = (event) => (root.isConnected ? app.press(event) : stop());
  window.addEventListener('keydown', onKey, true);
  return stop;
}
