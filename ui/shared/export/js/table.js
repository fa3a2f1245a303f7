// The numbers that a chart shows, as rows: one for each point, bar or cell.

const TYPES = {
  i1: Int8Array, u1: Uint8Array, i2: Int16Array, u2: Uint16Array, i4: Int32Array, u4: Uint32Array, f4: Float32Array, f8: Float64Array,
};
const COLUMNS = ['panel', 'series', 'x', 'y', 'z', 'x less', 'x more', 'y less', 'y more', 'size', 'text'];
const FORMULA = /^[=+\-@\t\r]/;

/** Values of Plotly: a list, or numbers packed in base64, in rows where they have a ``shape``. */
const unpacked = (values) => {
  if (!values?.bdata) return values;
  const bytes = Uint8Array.from(atob(values.bdata), (letter) => letter.charCodeAt(0));
  const numbers = [...new TYPES[values.dtype](bytes.buffer)];
  const [, width] = String(values.shape ?? '').split(',').map(Number);
  if (!width) return numbers;
  return Array.from({ length: numbers.length / width }, (_, i) => numbers.slice(i * width, (i + 1) * width));
};

/** A label without its markup. */
export const plain = (value) => (typeof value === 'string'
  ? value.replace(/<br\s*\/?>/g, ' ').replace(/<[^>]+>/g, '').replace(/\s+/g, ' ').trim()
  : value);

const at = (values, i) => (Array.isArray(values) ? values[i] : undefined);

/** How far an error bar reaches below and above its point. */
const reaches = (error, i) => {
  if (!error || error.visible === false) return [];
  const more = at(unpacked(error.array), i);
  return [at(unpacked(error.arrayminus), i) ?? more, more];
};

const rowsOfCells = (trace) => {
  const [x, y, z, text] = ['x', 'y', 'z', 'text'].map((name) => unpacked(trace[name]));
  if (!Array.isArray(z?.[0])) return z.map((value, i) => ({ x: at(x, i), y: at(y, i), z: value, text: at(text, i) }));
  return z.flatMap((line, i) => [...line].map((value, j) => ({
    x: at(x, j) ?? j, y: at(y, i) ?? i, z: value, text: at(at(text, i), j),
  })));
};

const rowsOfPoints = (trace) => {
  const [x, y, text, size] = [trace.x, trace.y, trace.text, trace.marker?.size].map(unpacked);
  const n = Math.max(x?.length ?? 0, y?.length ?? 0);
  return Array.from({ length: n }, (_, i) => {
    const [xLess, xMore] = reaches(trace.error_x, i);
    const [yLess, yMore] = reaches(trace.error_y, i);
    return {
      x: at(x, i), y: at(y, i), 'x less': xLess, 'x more': xMore, 'y less': yLess, 'y more': yMore,
      size: trace.type === 'scatter' ? at(size, i) : undefined, text: at(text, i) ?? trace.text,
    };
  });
};

/** Of a trace with points on an axis that isn't drawn, what the names of that axis's ticks are. */
const namesOf = ({ yaxis = 'y' }, layout) => {
  const { visible, tickvals, ticktext } = layout[yaxis.replace('y', 'yaxis')] ?? {};
  if (visible !== false || !tickvals) return new Map();
  return new Map(unpacked(tickvals).map((place, i) => [place, ticktext[i]]));
};

/** Rows of all traces that are drawn, but labels; a gap in a line is no row. */
const rowsOf = ({ data, layout }) => {
  const traces = data.filter(({ visible = true, mode }) => visible === true && mode !== 'text');
  const axes = new Set(traces.map(({ xaxis = 'x', yaxis = 'y' }) => `${xaxis}${yaxis}`));
  return traces.flatMap((trace) => {
    const names = namesOf(trace, layout);
    const rows = (trace.z ? rowsOfCells(trace) : rowsOfPoints(trace))
      .map((row) => ({ ...row, y: names.get(row.y) ?? row.y }));
    const panel = axes.size > 1 ? [...axes].indexOf(`${trace.xaxis ?? 'x'}${trace.yaxis ?? 'y'}`) + 1 : undefined;
    return rows.map((row) => ({ panel, series: trace.name, ...row }));
  }).filter(({ x, y }) => x != null && y != null);
};

const cell = (value) => {
  if (value == null || Number.isNaN(value)) return '';
  const text = String(plain(value));
  const safe = typeof value === 'string' && FORMULA.test(text) ? `'${text}` : text;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** CSV of a chart, with the columns that have values; no text of a record in it is taken
 * for a formula. */
export const writeCsv = (chart) => {
  const rows = rowsOf(chart);
  const columns = COLUMNS.filter((name) => rows.some((row) => row[name] != null && row[name] !== ''));
  const lines = [columns, ...rows.map((row) => columns.map((name) => row[name]))];
  return lines.map((line) => line.map(cell).join(',')).join('\n') + '\n';
};
