// What a figure can be taken away as: a dialog with a preview, a width to choose, and the files.

import { WIDTHS, drawFigure, writeSvg } from './figure.js';
import { makePdf } from './pdf.js';
import { makePng } from './png.js';
import { plain, writeCsv } from './table.js';
import { makeZip } from './zip.js';

const KINDS = { SVG: 'SVG', PDF: 'PDF', PNG: 'PNG', CSV: 'Data (CSV)', TXT: 'Caption (TXT)' };
const FORM = `
  <header><h2 id=export-title>Export this figure</h2><button data-closes aria-label=Close>✕</button></header>
  <div class=preview><img alt=""></div>
  <fieldset><legend>Width</legend>${Object.entries(WIDTHS).map(([name, { label }]) => `
    <label><input type=radio name=export-width value=${name}>${label}</label>`).join('')}
  </fieldset>
  <label><input type=checkbox name=caption checked>Caption under the figure</label>
  <div class=files>
    <button class=primary data-kind=ZIP autofocus>All (ZIP)</button>
    ${Object.entries(KINDS).map(([kind, label]) => `<button data-kind=${kind}>${label}</button>`).join('')}
  </div>
  <p role=status></p>`;

let dialog;
let fonts;
let chart; // that is exported
let findOpener; // the button that opened the dialog
let drawing; // the figure as it is chosen, begun once

const fetchFonts = () => {
  fonts ??= fetch(new URL('./fonts.json', import.meta.url)).then((answer) => {
    if (!answer.ok) throw new Error('the server did not send the typeface');
    return answer.json();
  });
  fonts.catch(() => { fonts = undefined; });
  return fonts;
};

/** What is said of a figure: its title, caption and description, and the text that goes with it. */
const aboutOf = ({ layout: { meta } }) => {
  const title = document.title;
  const caption = `${meta.shows.slice(0, 1).toUpperCase()}${meta.shows.slice(1).replace(/\.$/, '')}.`;
  const axes = ['x', 'y'].filter((name) => meta[name]).map((name) => `${name}: ${plain(meta[name])}`);
  const lines = [title, '', meta.alt, ...axes, '', `Shown again by ${location.href}`];
  if (meta.command) lines.push(`Made again by ${meta.command}`);
  return { title, caption, alt: meta.alt, file: meta.file, text: `${lines.join('\n')}\n` };
};

/** The figure as it is chosen, and all that its files are made of. */
const draw = async () => {
  const drawn = { chart, about: aboutOf(chart), width: WIDTHS[dialog.querySelector('[type=radio]:checked').value] };
  const hasCaption = dialog.querySelector('[name=caption]').checked;
  drawn.fonts = await fetchFonts();
  drawn.root = await drawFigure(drawn.chart, drawn.width, drawn.about, drawn.fonts, hasCaption);
  return drawn;
};

const MAKERS = {
  SVG: async ({ root }) => new Blob([writeSvg(root)], { type: 'image/svg+xml' }),
  PDF: async ({ root, about, width, fonts: embedded }) => makePdf(root, width, about, embedded),
  PNG: async ({ root, about, width }) => makePng(writeSvg(root), width, about),
  CSV: async ({ chart: shown }) => new Blob([writeCsv(shown)], { type: 'text/csv' }),
  TXT: async ({ about }) => new Blob([about.text], { type: 'text/plain' }),
  ZIP: async (drawn) => {
    const files = {};
    for (const kind of Object.keys(KINDS)) files[nameOf(drawn.about, kind)] = await MAKERS[kind](drawn);
    return makeZip(files);
  },
};

const nameOf = ({ file }, kind) => `${file}.${kind.toLowerCase()}`;

const save = (blob, name) => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
};

const say = (text) => { dialog.querySelector('[role=status]').textContent = text; };

/** Do what may fail, and say it if it does. */
const attempt = async (act) => {
  try {
    await act();
  } catch (error) {
    say(`That did not work: ${error.message}`);
  }
};

const preview = () => attempt(async () => {
  const own = draw();
  drawing = own;
  say('Drawing …');
  const { root } = await own;
  if (own !== drawing) return; // another has been chosen
  say('');
  const image = dialog.querySelector('img');
  URL.revokeObjectURL(image.src);
  image.src = URL.createObjectURL(new Blob([writeSvg(root)], { type: 'image/svg+xml' }));
});

const saveAs = (kind) => attempt(async () => {
  say(`Making the ${kind} …`);
  const drawn = await drawing;
  const name = nameOf(drawn.about, kind);
  save(await MAKERS[kind](drawn), name);
  say(`Saved ${name}`);
});

/** Whether a click is on the page behind the dialog. */
const isBeside = ({ target, clientX: x, clientY: y }) => {
  const { left, right, top, bottom } = dialog.getBoundingClientRect();
  return target === dialog && (x < left || x > right || y < top || y > bottom);
};

const makeDialog = () => {
  const style = document.createElement('link');
  style.rel = 'stylesheet';
  style.href = new URL('./export.css', import.meta.url);
  document.head.append(style);
  dialog = document.createElement('dialog');
  dialog.className = 'export';
  dialog.setAttribute('role', 'dialog');
  dialog.setAttribute('aria-modal', 'true'); // pages' own keys rest while such a dialog is there
  dialog.setAttribute('aria-labelledby', 'export-title');
  dialog.innerHTML = FORM;
  dialog.querySelector('[type=radio]').checked = true;
  dialog.addEventListener('change', preview);
  dialog.addEventListener('click', (event) => {
    const { kind } = event.target.closest('button')?.dataset ?? {};
    if (kind) saveAs(kind);
    else if (event.target.closest('[data-closes]') || isBeside(event)) dialog.close();
  });
  dialog.addEventListener('close', () => {
    dialog.remove();
    findOpener()?.focus(); // the page may have drawn it anew meanwhile
  });
};

/** Open the dialog for a chart of the page; when it closes, the button that `opener` finds has the
 * focus. */
export const openExport = (shown, opener) => {
  if (!dialog) makeDialog();
  chart = shown;
  findOpener = opener;
  dialog.style.colorScheme = getComputedStyle(document.querySelector('.stApp')).colorScheme;
  dialog.querySelector('img').removeAttribute('src');
  document.body.append(dialog);
  dialog.showModal();
  preview();
};
