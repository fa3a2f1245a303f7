// Ctrl K: a field that finds pages, hands, logs, agents and terms. What it finds are links to where
// the pages lead as well; a term opens in the glossary.
const BUTTON = '[data-tool=find]';
const MOST = 12; // shown
const USUAL = 'Page'; // what is shown before anything is typed

let palette;
let source = ''; // the address of what is to be found: empty on pages without the bar

const make = (tag, className, text = '') => {
  const node = document.createElement(tag);
  node.className = className;
  node.textContent = text;
  return node;
};

/** How well a place fits the words, the more the better; 0 where a word is missing. */
const fit = ({ kind, title, about }, words) => {
  const name = title.toLowerCase();
  const all = `${name} ${kind.toLowerCase()} ${about.toLowerCase()}`;
  if (!words.every((word) => all.includes(word))) return 0;
  if (name === words.join(' ')) return 4;
  if (name.startsWith(words[0])) return 3;
  return words.every((word) => name.includes(word)) ? 2 : 1;
};

const matching = (places, text) => {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return places.filter(({ kind }) => kind === USUAL);
  return places.map((place) => [fit(place, words), place]).filter(([points]) => points)
    .sort(([one], [other]) => other - one).map(([, place]) => place).slice(0, MOST);
};

/** Have Streamlit go to an address as the browser's Back does, without loading the page anew. */
const go = (href) => {
  history.pushState(null, '', href);
  window.dispatchEvent(new PopStateEvent('popstate'));
};

/** Give a field of Streamlit's a text, as if it were typed. */
const type = (field, text) => {
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, text);
  field.dispatchEvent(new Event('input', { bubbles: true }));
  field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
};

const openGlossary = (term) => {
  document.querySelector('.st-key-bar_glossary button')?.click();
  const observer = new MutationObserver(() => {
    const field = document.querySelector('[role=dialog] .st-key-glossary_search input');
    if (!field) return;
    observer.disconnect();
    type(field, term);
  });
  observer.observe(document.body, { childList: true, subtree: true });
};

class Palette {
  constructor() {
    this.places = [];
    this.dialog = make('dialog', 'palette');
    this.dialog.setAttribute('role', 'dialog');
    this.dialog.setAttribute('aria-modal', 'true');
    this.dialog.setAttribute('aria-label', 'Find');
    this.field = make('input', '');
    Object.assign(this.field, { placeholder: 'Find pages, hands, logs, agents, terms', autocomplete: 'off', spellcheck: false });
    this.field.setAttribute('aria-label', this.field.placeholder);
    this.field.oninput = () => this.edit();
    this.list = make('ul', '');
    this.told = make('p', '');
    this.told.setAttribute('role', 'status');
    this.dialog.append(this.field, this.list, this.told);
    this.dialog.addEventListener('keydown', (event) => this.press(event));
    this.dialog.addEventListener('click', (event) => this.click(event));
    document.body.append(this.dialog);
  }

  async open() {
    this.field.value = '';
    this.isAwaited = false; // whether Enter was pressed before the places were loaded: it leads there then
    this.dialog.style.colorScheme = getComputedStyle(document.querySelector('.stApp')).colorScheme;
    this.dialog.showModal();
    this.field.focus();
    const loading = this.load();
    this.draw();
    await loading;
    this.draw();
    if (this.isAwaited && this.dialog.open) this.links()[0]?.click();
  }

  async load() {
    this.problem = 'Looking ...';
    try {
      const answer = await fetch(source);
      if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
      const home = new URL('..', answer.url);
      this.places = (await answer.json()).places;
      this.places.forEach((place) => { place.href = place.address === null ? null : new URL(place.address, home).href; });
      this.problem = '';
    } catch (error) {
      this.problem = `Nothing can be found: ${error.message}.`;
    }
  }

  edit() {
    this.isAwaited = false;
    this.draw();
  }

  /** The links and buttons of what is found, in order. */
  links() {
    return [...this.list.querySelectorAll('a, button')];
  }

  /** Show what fits the field's text. A reader who has stepped into the list stays there: it is drawn
      again once the places are loaded. */
  draw() {
    const at = this.links().indexOf(document.activeElement);
    const found = matching(this.places, this.field.value);
    this.list.replaceChildren(...found.map((place) => this.row(place)));
    if (at >= 0) (this.links()[at] ?? this.field).focus();
    const number = found.length === MOST ? `The first ${MOST}` : `${found.length} found`;
    this.told.textContent = this.problem || (this.field.value.trim() ? number : '');
  }

  row({ kind, title, about, href }) {
    const link = make(href === null ? 'button' : 'a', '');
    if (href === null) {
      link.type = 'button';
      link.dataset.term = title;
    } else {
      link.href = href;
    }
    link.append(make('b', '', title), ' ', make('span', 'kind', kind), ' ', make('small', '', about));
    const row = make('li', '');
    row.append(link);
    return row;
  }

  press(event) {
    event.stopPropagation();
    const links = this.links();
    const stops = [this.field, ...links];
    const at = stops.indexOf(document.activeElement);
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) {
      event.preventDefault();
      stops[Math.max(0, Math.min(at + by, links.length))].focus();
    } else if (event.key === 'Enter' && at === 0) {
      event.preventDefault();
      if (links.length) links[0].click();
      else this.isAwaited = true;
    } else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) {
      this.field.focus();
    }
  }

  click(event) {
    const link = event.target.closest('a, button');
    const isPlain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button);
    if (event.target === this.dialog) this.dialog.close(); // beside what is in it
    if (!link || !isPlain) return;
    event.preventDefault();
    this.dialog.close();
    if (link.dataset.term) openGlossary(link.dataset.term);
    else go(link.href);
  }
}

/** Open or close it; whether it could be. While a page changes, its bar may be missing. */
const toggle = () => {
  source = document.querySelector(BUTTON)?.dataset.places || source;
  if (!source) return false;
  palette ??= new Palette();
  if (palette.dialog.open) palette.dialog.close();
  else palette.open();
  return true;
};

document.addEventListener('click', (event) => {
  if (event.target.closest(BUTTON)) toggle();
});
window.addEventListener('keydown', (event) => {
  const isAsked = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === 'k';
  if (!isAsked || !toggle()) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}, true);
