// Small helpers for building elements. Text from data reaches the page only as text nodes and
// attribute values.

const SVG_NS = 'http://www.w3.org/2000/svg';

/** An element: class names, attributes (null leaves one out), then children (strings are text). */
function el(tag, className, attributes, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

const button = (className, attributes, onClick, ...children) => {
  const node = el('button', className, { type: 'button', ...attributes }, ...children);
  node.addEventListener('click', onClick);
  return node;
};

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function setAttribute(node, name, value) {
  if (node.getAttribute(name) !== value) node.setAttribute(name, value);
}

function setStyle(node, name, value) {
  if (node.style[name] !== value) node.style[name] = value;
}

function setClass(node, className) {
  if (node.className !== className) node.className = className;
}

const _iconTemplates = new Map();

/** An icon of one path in a 24 x 24 box, or 100 x 100 for suits. */
function icon(path, className, box = 24) {
  const id = `${box}${path}`;
  if (!_iconTemplates.has(id)) {
    const svg = document.createElementNS(SVG_NS, 'svg');
    svg.setAttribute('viewBox', `0 0 ${box} ${box}`);
    svg.setAttribute('aria-hidden', 'true');
    const shape = document.createElementNS(SVG_NS, 'path');
    shape.setAttribute('d', path);
    svg.append(shape);
    _iconTemplates.set(id, svg);
  }
  const copy = _iconTemplates.get(id).cloneNode(true);
  copy.setAttribute('class', className || 'icon');
  return copy;
}

const ICONS = {
  download: 'M11 4h2v8l3-3 1.400 1.400L12 15.800l-5.400-5.400L8 9l3 3zM5 18h14v2H5z',
  first: 'M6 5h2.4v14H6zM19 5v14l-9.5-7z',
  prev: 'M16 5v14L6 12z',
  next: 'M8 5v14l10-7z',
  last: 'M15.6 5H18v14h-2.4zM5 5v14l9.500-7z',
  human: 'M12 12.2a4.1 4.1 0 1 0 0-8.200 4.100 4.100 0 0 0 0 8.200zM4.500 20c0-3.600 3.400-5.700 7.500-5.700s7.500 2.100 7.500 5.700z',
  bot: 'M11 2.500h2V6h4.500A1.500 1.500 0 0 1 19 7.500v9a1.500 1.500 0 0 1-1.500 1.500h-11A1.500 1.500 0 0 1 5 16.500v-9A1.500 1.500 0 0 1 6.500 6H11zM8 10v3h2.500v-3zm5.500 0v3H16v-3zM8 20h8v1.800H8z',
  'simulated-human': 'M12 3.200a4.600 4.600 0 1 1 0 9.200 4.600 4.600 0 0 1 0-9.200zm0 1.800a2.800 2.800 0 1 0 0 5.600 2.800 2.800 0 0 0 0-5.600zM3.800 21c0-4 3.700-6.600 8.200-6.600s8.200 2.600 8.200 6.600h-1.900c0-2.800-2.800-4.800-6.300-4.800S5.700 18.200 5.700 21z',
  hands: 'M9 4h9a1.500 1.500 0 0 1 1.500 1.500V17A1.500 1.500 0 0 1 18 18.500H9A1.500 1.500 0 0 1 7.500 17V5.500A1.500 1.500 0 0 1 9 4zm.500 2v10.500h8V6zM4 7.500h1.800V20h9.700v1.800H5.500A1.500 1.500 0 0 1 4 20.300z',
  // Two backs, the front one with a % on it.
  beliefs: 'M9 4h9a1.500 1.500 0 0 1 1.500 1.500V17A1.500 1.500 0 0 1 18 18.500H9A1.500 1.500 0 0 1 7.500 17V5.500A1.500 1.500 0 0 1 9 4zM10.800 6.800a1.500 1.500 0 1 0 0 3 1.500 1.500 0 0 0 0-3zm5.200 6a1.500 1.500 0 1 0 0 3 1.500 1.500 0 0 0 0-3zm.200-6L9.700 15.200l1.100.800 6.500-8.400zM4 7.500h1.800V20h9.700v1.800H5.500A1.500 1.500 0 0 1 4 20.300z',
};

const clamp = (x, low, high) => Math.max(low, Math.min(high, x));

const _grouped = new Intl.NumberFormat('en-US');
const formatCount = (n) => (n === null || n === undefined ? '–' : _grouped.format(n));

function formatPercent(p) {
  if (p === null || p === undefined) return '–';
  if (p > 0 && p < 0.005) return '<1%';
  if (p < 1 && p >= 0.995) return '>99%';
  return `${Math.round(p * 100)}%`;
}

/** "+12.3", with a true minus sign. */
function formatSigned(x, digits = 1) {
  if (x === null || x === undefined || !Number.isFinite(x)) return '–';
  const text = Math.abs(x).toFixed(digits);
  if (Number(text) === 0) return text;
  return (x < 0 ? '\u2212' : '+') + text;
}

/**
 * One app a mount, made by `make` and kept in `apps` over Streamlit's re-renders: it gets the data,
 * and is detached when the component goes for good. Returns what Streamlit calls before the next.
 */
function mountApp(apps, make, { data, parentElement, setStateValue, setTriggerValue }) {
  const mount = parentElement.querySelector('.rv-mount');
  if (!apps.has(mount)) apps.set(mount, make(mount));
  const app = apps.get(mount);
  app.setStateValue = setStateValue;
  app.setTriggerValue = setTriggerValue;
  app.attach();
  app.receive(data);
  const turn = (app.turn ?? 0) + 1;
  app.turn = turn;
  return () => { if (app.turn === turn) app.detach(); };
}
