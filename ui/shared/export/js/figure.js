// A figure as it goes to paper: drawn anew at a chosen width, light whatever the screen, with its
// caption. The SVG made here is what the other formats are made of.

import { mounted } from './mount.js';

const SVG = 'http://www.w3.org/2000/svg';
const FAMILY = '"Source Sans", "Source Sans 3", "Source Sans Pro", Arial, sans-serif';
const CAPTION_EDGE = 12; // around a caption, in the figure's own units
const LINE = 1.35; // of a caption, in sizes of its text

/** Widths to choose from. ``drawn``: how wide a figure may be laid out, which decides how large its
 * texts are: at the last they are as small as can be read; ``isNarrow``: whether a figure is laid out
 * as on a phone, if it says how; ``pixels``: of a PNG; ``points``: of a PDF's page. */
export const WIDTHS = {
  column: { label: 'Column, 85 mm', unit: '85mm', isNarrow: true, drawn: [480, 560, 640], pixels: 1004, points: 240.94 },
  page: { label: 'Page, 174 mm', unit: '174mm', drawn: [800, 1000, 1280], pixels: 2055, points: 493.23 },
  slide: { label: 'Slide, 1920 px', unit: '1920px', drawn: [960, 1120, 1280], pixels: 1920, points: 960 },
};

let plotly;

/** Plotly, loaded with the first export: Streamlit keeps its own to itself. */
const loadPlotly = () => {
  plotly ??= new Promise((done, fail) => {
    const script = document.createElement('script');
    script.src = new URL('./plotly.js', import.meta.url);
    script.onload = () => done(window.Plotly);
    script.onerror = () => {
      plotly = undefined;
      fail(new Error('the server did not send Plotly'));
    };
    document.head.append(script);
  });
  return plotly;
};

/** What a style sheet's variables are in the light scheme. */
const lightColors = (...names) => {
  const probe = document.createElement('span');
  probe.style.colorScheme = 'light';
  document.body.append(probe);
  const colors = {};
  names.forEach((name) => {
    probe.style.color = `var(--${name})`;
    colors[name] = getComputedStyle(probe).color;
  });
  probe.remove();
  return colors;
};

const textSize = () => parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--size-1'));

/** The page's template with the colours of light paper, as its style sheet colours texts. */
const lightTemplate = (template, colors) => {
  const quiet = { color: colors.quiet };
  const axis = { gridcolor: colors.line, zerolinecolor: colors.line, tickcolor: colors.line, tickfont: quiet, title: { font: quiet } };
  const { xaxis, yaxis, legend, ...layout } = template?.layout ?? {};
  const cells = { ...template?.data?.heatmap?.[0], type: 'heatmap', textfont: { color: colors.ink } };
  return {
    data: { ...template?.data, heatmap: [cells] },
    layout: {
      ...layout,
      font: { ...layout.font, family: FAMILY, color: colors.ink },
      title: { ...layout.title, font: { ...layout.title?.font, family: FAMILY, color: colors.ink } },
      legend: { ...legend, font: { ...legend?.font, color: colors.ink } },
      paper_bgcolor: colors.surface,
      plot_bgcolor: colors.surface,
      xaxis: { ...xaxis, ...axis },
      yaxis: { ...yaxis, ...axis },
    },
  };
};

/** Lines of a text, none wider than ``room``. */
const wrap = (text, room, font) => {
  const pen = document.createElement('canvas').getContext('2d');
  pen.font = font;
  const lines = [''];
  text.split(/\s+/).forEach((word) => {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (lines.at(-1) && pen.measureText(longer).width > room) lines.push(word);
    else lines[lines.length - 1] = longer;
  });
  return lines;
};

const svgNode = (name, attributes, text) => {
  const node = document.createElementNS(SVG, name);
  Object.entries(attributes).forEach(([key, value]) => node.setAttribute(key, value));
  if (text !== undefined) node.textContent = text;
  return node;
};

/** A style with the typeface in it: a picture may use no other. */
const fontStyle = (fonts, text) => svgNode('style', {}, [
  'text { text-rendering: geometricPrecision; }', // else letters keep the gaps of whole pixels
  ...fonts
    .filter(({ weight }) => weight === 400 || /font-weight: ?(bold|[6-9]00)/.test(text))
    .map(({ weight, file }) => `@font-face { font-family: "Source Sans"; font-weight: ${weight}; src: url(data:font/ttf;base64,${file}); }`),
].join('\n'));

/** Number of pairs of texts that lie on one another, or run together. */
const countOverlaps = (svg) => mounted(svg.cloneNode(true), (root) => {
  const boxes = [...root.querySelectorAll('text')].map((text) => text.getBoundingClientRect());
  const lieOnOneAnother = (one, other) => one.left < other.right + 2 && other.left < one.right + 2
    && one.top < other.bottom - 1 && other.top < one.bottom - 1;
  return boxes.reduce((sum, one, i) => sum + boxes.slice(i + 1).filter((other) => lieOnOneAnother(one, other)).length, 0);
});

/** The plot alone, laid out as wide as its texts need: ``{plot, drawn, height, overlaps}``. */
const drawPlot = async (chart, width, colors) => {
  const { toImage } = await loadPlotly();
  const { template, ...wide } = structuredClone(chart.layout);
  const { narrow } = width.isNarrow ? wide.meta : {};
  const layout = narrow?.layout ?? wide;
  const height = Math.round(layout.height ?? chart.offsetHeight);
  const figure = {
    data: structuredClone(chart.data).map((trace, i) => ({ ...trace, ...narrow?.axes[i] })),
    layout: { ...layout, template: lightTemplate(template, colors) },
    config: { staticPlot: true },
  };
  let best;
  for (const drawn of width.drawn) {
    const text = await toImage(figure, { format: 'svg', width: drawn, height, imageDataOnly: true });
    const plot = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
    const overlaps = await countOverlaps(plot);
    if (!best || overlaps < best.overlaps) best = { plot, text, drawn, height, overlaps };
    if (!overlaps) break;
  }
  return best;
};

/** The figure of a chart on the page, as an SVG element; ``meta``: its title, its caption and what is
 * said of it; ``hasCaption``: whether the caption is written under it. */
export const drawFigure = async (chart, width, meta, fonts, hasCaption) => {
  const colors = lightColors('ink', 'quiet', 'line', 'surface');
  const { plot, text, drawn, height } = await drawPlot(chart, width, colors);
  const font = `400 ${textSize()}px ${FAMILY}`;
  const lines = hasCaption ? wrap(meta.caption, drawn - 2 * CAPTION_EDGE, font) : [];
  const lineHeight = textSize() * LINE;
  const total = Math.round(height + (lines.length && lines.length * lineHeight + CAPTION_EDGE));
  const root = svgNode('svg', {
    xmlns: SVG, width: width.unit, height: scaled(width.unit, total / drawn), viewBox: `0 0 ${drawn} ${total}`, role: 'img',
  });
  root.append(
    svgNode('title', {}, meta.title),
    svgNode('desc', {}, meta.alt),
    fontStyle(fonts, text),
    svgNode('rect', { width: drawn, height: total, style: `fill: ${colors.surface};` }),
    plot,
  );
  if (lines.length) {
    const caption = svgNode('text', { style: `font: ${font}; fill: ${colors.ink}; white-space: pre;` });
    lines.forEach((line, i) => caption.append(svgNode('tspan', { x: CAPTION_EDGE, y: height + (i + 0.8) * lineHeight }, line)));
    root.append(caption);
  }
  return root;
};

const scaled = (length, share) => {
  const [, number, unit] = length.match(/([\d.]+)(\w+)/);
  return `${(number * share).toFixed(2)}${unit}`;
};

export const writeSvg = (root) => `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(root)}`;
