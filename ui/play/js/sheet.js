// The score sheet: what each round added for each side, and the parts of it; the newest on top.

function scoreSheet(sheet, score, bags, target) {
  const head = el('tr', null, null, ...['Round', 'N/S', 'E/W'].map((text) => el('th', null, { scope: 'col' }, text)));
  const total = el('tr', 'total', null, el('th', null, { scope: 'row' }, target === null ? 'Total' : `Of ${target}`),
    ...score.map((points, i) => el('td', null, null, String(points).replace('-', '\u2212'), entryText(bagsText(bags[i])))));
  const rows = sheet.map((sides, i) => el('tr', null, null, el('th', null, { scope: 'row' }, String(i + 1)), ...sides.map(sheetCell)));
  return [
    el('h3', null, null, 'Score sheet'),
    el('table', null, null, el('thead', null, null, head), el('tbody', null, null, total, ...rows.reverse())),
  ];
}

/** Points of a side, and what they are made of. */
function sheetCell([points, entries]) {
  const parts = entries.map(([text, part]) => entryText(`${text} ${formatSigned(part, 0)}`));
  return el('td', null, null, el('b', null, null, formatSigned(points, 0)), ...parts);
}

const entryText = (text) => el('span', 'entry', null, text);
const bagsText = (n) => `${n} ${n === 1 ? 'bag' : 'bags'}`;
