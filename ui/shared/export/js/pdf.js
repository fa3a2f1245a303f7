// A figure's SVG as a PDF of one page: lines stay lines, texts stay texts, in the figure's typeface,
// which is embedded. PDF 1.7 (ISO 32000-1). What only a picture can show (the colours of a map, a
// surface) is a picture in it.

import { mounted } from './mount.js';
import { shapeOf } from './shapes.js';

const encoder = new TextEncoder();
const hex = (number) => number.toString(16).padStart(4, '0');
const digits = (number) => String(Math.round(number * 1000) / 1000);
const utf16 = (text) => `<feff${[...Array(text.length).keys()].map((i) => hex(text.charCodeAt(i))).join('')}>`;
const matrixOf = ({ a, b, c, d, e, f }) => [a, b, c, d, e, f].map(digits).join(' ');

const deflate = async (bytes) => {
  const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate'));
  return new Uint8Array(await new Response(packed).arrayBuffer());
};

/** The objects of a file, and where each begins. */
class Objects {
  constructor() {
    this.bodies = [];
  }

  add(body = '') {
    this.bodies.push([body]);
    return this.bodies.length;
  }

  set(number, body) {
    this.bodies[number - 1] = [body];
  }

  async addStream(content, entries = '') {
    const bytes = await deflate(typeof content === 'string' ? encoder.encode(content) : content);
    const head = `<< /Length ${bytes.length} /Filter /FlateDecode ${entries} >>\nstream\n`;
    this.bodies.push([head, bytes, '\nendstream']);
    return this.bodies.length;
  }

  write(root, info) {
    const parts = [];
    let length = 0;
    const put = (part) => {
      const bytes = typeof part === 'string' ? encoder.encode(part) : part;
      parts.push(bytes);
      length += bytes.length;
    };
    put('%PDF-1.7\n');
    put(Uint8Array.of(0x25, 0xe2, 0xe3, 0xcf, 0xd3, 0x0a)); // a comment that says: not a text
    const starts = this.bodies.map((body, i) => {
      const start = length;
      [`${i + 1} 0 obj\n`, ...body, '\nendobj\n'].forEach(put);
      return start;
    });
    const table = length;
    const lines = starts.map((start) => `${String(start).padStart(10, '0')} 00000 n \n`);
    put(`xref\n0 ${starts.length + 1}\n0000000000 65535 f \n${lines.join('')}`);
    put(`trailer\n<< /Size ${starts.length + 1} /Root ${root} 0 R /Info ${info} 0 R >>\nstartxref\n${table}\n%%EOF\n`);
    return new Blob(parts, { type: 'application/pdf' });
  }
}

/** A weight of the typeface, and which of its characters a file uses. */
class Font {
  constructor(font) {
    this.font = font;
    this.used = new Map();
  }

  glyphs(text) {
    return [...text].map((letter) => {
      const code = letter.codePointAt(0);
      const [glyph, advance] = this.font.glyphs[code] ?? this.font.glyphs['?'.codePointAt(0)];
      this.used.set(glyph, { advance, letter });
      return { glyph, advance };
    });
  }

  async add(objects) {
    const { weight, file, ascent, descent, capHeight, box } = this.font;
    const name = `AAAAAA+SourceSans-${weight}`;
    const bytes = Uint8Array.from(atob(file), (letter) => letter.charCodeAt(0));
    const data = await objects.addStream(bytes, `/Length1 ${bytes.length}`);
    const descriptor = objects.add(`<< /Type /FontDescriptor /FontName /${name} /Flags 4 /FontBBox [${box.join(' ')}] /ItalicAngle 0 `
      + `/Ascent ${ascent} /Descent ${descent} /CapHeight ${capHeight} /StemV ${weight / 5} /FontFile2 ${data} 0 R >>`);
    const used = [...this.used].sort(([one], [other]) => one - other);
    const widths = used.map(([glyph, { advance }]) => `${glyph} [${advance}]`).join(' ');
    const letters = objects.add(`<< /Type /Font /Subtype /CIDFontType2 /BaseFont /${name} /CIDToGIDMap /Identity /FontDescriptor ${descriptor} 0 R `
      + `/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW 500 /W [${widths}] >>`);
    const texts = await objects.addStream(this.textsOfGlyphs(used));
    return objects.add(`<< /Type /Font /Subtype /Type0 /BaseFont /${name} /Encoding /Identity-H /DescendantFonts [${letters} 0 R] /ToUnicode ${texts} 0 R >>`);
  }

  /** What text each glyph stands for, so that the page can be searched and copied from. */
  textsOfGlyphs(used) {
    const lines = used.map(([glyph, { letter }]) => `<${hex(glyph)}> <${[...Array(letter.length).keys()].map((i) => hex(letter.charCodeAt(i))).join('')}>`);
    const blocks = [];
    for (let i = 0; i < lines.length; i += 100) { // as many as a block may have
      const block = lines.slice(i, i + 100);
      blocks.push(`${block.length} beginbfchar\n${block.join('\n')}\nendbfchar`);
    }
    return '/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n'
      + '/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n'
      + `1 begincodespacerange\n<0000> <ffff>\nendcodespacerange\n${blocks.join('\n')}\nendcmap\nCMapName currentdict /CMap defineresource pop\nend\nend`;
  }
}

const colorOf = (css) => {
  const numbers = css.match(/[\d.]+/g)?.map(Number);
  if (!css.startsWith('rgb') || !numbers) return null; // none, or a pattern
  const [red, green, blue, alpha = 1] = numbers;
  return alpha ? { rgb: [red, green, blue].map((part) => digits(part / 255)).join(' '), alpha } : null;
};

/** Writes the operators of a page while it walks through an SVG. */
class Page {
  constructor(root, fonts, objects) {
    this.root = root;
    this.toPage = root.getScreenCTM().inverse();
    this.fonts = fonts;
    this.objects = objects;
    this.operators = [];
    this.opacities = new Map();
    this.images = [];
    this.shadings = [];
  }

  put(...operators) {
    this.operators.push(...operators);
  }

  setOpacity(fill, stroke) {
    const key = `${digits(fill)} ${digits(stroke)}`;
    if (!this.opacities.has(key)) this.opacities.set(key, `G${this.opacities.size}`);
    this.put(`/${this.opacities.get(key)} gs`);
  }

  matrix(node) {
    return matrixOf(this.toPage.multiply(node.getScreenCTM()));
  }

  async walk(node, opacity = 1) {
    if (node.nodeType !== Node.ELEMENT_NODE || /^(defs|clipPath|style|title|desc|metadata)$/.test(node.localName)) return;
    const style = getComputedStyle(node);
    const inner = opacity * parseFloat(style.opacity);
    if (style.display === 'none' || !inner) return;
    this.put('q');
    this.clip(node, style);
    if (node.localName === 'text') this.writeText(node, inner);
    else if (node.localName === 'image') await this.drawImage(node, style, inner);
    else if (style.visibility !== 'hidden') this.drawShape(node, style, inner);
    if (node.localName !== 'text') for (const child of node.children) await this.walk(child, inner);
    this.put('Q');
  }

  /** Cut what follows to a node's clip path. The operator for a matrix holds for what follows too, so
   * its inverse comes after. */
  clip(node, style) {
    const id = style.clipPath?.match(/#([^"')]+)/)?.[1];
    const clip = id && this.root.querySelector(`[id="${CSS.escape(id)}"]`);
    if (!clip) return;
    const shapes = [...clip.children].map(shapeOf).filter(Boolean);
    if (!shapes.length) return;
    const matrix = this.toPage.multiply(node.getScreenCTM());
    this.put(`${matrixOf(matrix)} cm`, ...shapes, 'W n', `${matrixOf(matrix.inverse())} cm`);
  }

  drawShape(node, style, opacity) {
    const shape = shapeOf(node);
    if (!shape) return;
    this.put(`${this.matrix(node)} cm`);
    const id = style.fill.match(/#([^"')]+)/)?.[1];
    const server = id && this.root.querySelector(`[id="${CSS.escape(id)}"]`);
    if (server) this.fillBy(server, node.getBBox(), shape, opacity * parseFloat(style.fillOpacity));
    this.paint(shape, style, opacity);
  }

  /** Fill and outline a shape in the colours of its style. */
  paint(shape, style, opacity) {
    const fill = colorOf(style.fill);
    const stroke = parseFloat(style.strokeWidth) ? colorOf(style.stroke) : null;
    if (!fill && !stroke) return;
    this.setOpacity(
      opacity * (fill?.alpha ?? 1) * parseFloat(style.fillOpacity),
      opacity * (stroke?.alpha ?? 1) * parseFloat(style.strokeOpacity),
    );
    if (fill) this.put(`${fill.rgb} rg`);
    if (stroke) {
      const dashes = style.strokeDasharray.match(/[\d.]+/g) ?? [];
      this.put(
        `${stroke.rgb} RG`, `${digits(parseFloat(style.strokeWidth))} w`, `[${dashes.join(' ')}] ${digits(parseFloat(style.strokeDashoffset) || 0)} d`,
        `${['butt', 'round', 'square'].indexOf(style.strokeLinecap)} J`, `${['miter', 'round', 'bevel'].indexOf(style.strokeLinejoin)} j`,
        `${digits(parseFloat(style.strokeMiterlimit))} M`,
      );
    }
    const even = style.fillRule === 'evenodd' ? '*' : '';
    this.put(shape, (stroke && fill && `B${even}`) || (fill && `f${even}`) || 'S');
  }

  /** Fill a shape with the tiles of a pattern or with a gradient. */
  fillBy(server, box, shape, opacity) {
    this.put('q', shape, 'W n');
    if (server.localName === 'pattern') this.putTiles(server, box, opacity);
    if (server.localName === 'linearGradient') {
      this.setOpacity(opacity, 1);
      if (server.getAttribute('gradientUnits') !== 'userSpaceOnUse') this.put(`${[box.width, 0, 0, box.height, box.x, box.y].map(digits).join(' ')} cm`);
      this.shadings.push(this.addShading(server));
      this.put(`/S${this.shadings.length - 1} sh`);
    }
    this.put('Q');
  }

  putTiles(pattern, box, opacity) {
    const [width, height] = ['width', 'height'].map((name) => pattern[name].baseVal.value);
    if (!width || !height) return;
    const { a = 1, d = 1 } = pattern.patternTransform.baseVal.consolidate()?.matrix ?? {}; // Plotly scales at most
    const matrix = new DOMMatrix([a, 0, 0, d, 0, 0]);
    const area = DOMRect.fromRect(box);
    const corners = [[area.left, area.top], [area.right, area.bottom]].map(([x, y]) => matrix.inverse().transformPoint(new DOMPoint(x, y)));
    this.put(`${matrixOf(matrix)} cm`);
    for (let x = Math.floor(corners[0].x / width) * width; x < corners[1].x; x += width) {
      for (let y = Math.floor(corners[0].y / height) * height; y < corners[1].y; y += height) {
        this.put('q', `1 0 0 1 ${digits(x)} ${digits(y)} cm 0 0 ${digits(width)} ${digits(height)} re W n`);
        [...pattern.children].forEach((part) => this.paint(shapeOf(part), getComputedStyle(part), opacity));
        this.put('Q');
      }
    }
  }

  /** A gradient along a line, on white paper where it is translucent. */
  addShading(gradient) {
    const ends = ['x1', 'y1', 'x2', 'y2'].map((name) => digits(gradient[name].baseVal.valueInSpecifiedUnits / (/%/.test(gradient.getAttribute(name) ?? '%') ? 100 : 1)));
    const stops = [...gradient.querySelectorAll('stop')].map((stop) => {
      const style = getComputedStyle(stop);
      const [red, green, blue, alpha = 1] = style.stopColor.match(/[\d.]+/g).map(Number);
      const opacity = alpha * parseFloat(style.stopOpacity);
      return { at: stop.offset.baseVal, color: [red, green, blue].map((part) => digits(1 - opacity * (1 - part / 255))).join(' ') };
    });
    const steps = stops.slice(1).map(({ color }, i) => `<< /FunctionType 2 /Domain [0 1] /C0 [${stops[i].color}] /C1 [${color}] /N 1 >>`);
    const bounds = stops.slice(1, -1).map(({ at }) => digits(at));
    return this.objects.add(`<< /ShadingType 2 /ColorSpace /DeviceRGB /Coords [${ends.join(' ')}] /Extend [true true] /Function `
      + `<< /FunctionType 3 /Domain [0 1] /Functions [${steps.join(' ')}] /Bounds [${bounds.join(' ')}] /Encode [${steps.map(() => '0 1').join(' ')}] >> >>`);
  }

  /** The texts of an element, each piece where the browser has put it and as wide. */
  writeText(element, opacity) {
    const pieces = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    let start = 0;
    for (let piece = pieces.nextNode(); piece; piece = pieces.nextNode()) {
      const n = piece.data.length;
      const style = getComputedStyle(piece.parentElement);
      const color = colorOf(style.fill);
      if (color && piece.data.trim() && style.visibility !== 'hidden') {
        const place = element.getStartPositionOfChar(start);
        const width = element.getSubStringLength(start, n);
        this.writePiece(element, piece.data, { place, width, style, color, opacity });
      }
      start += n;
    }
  }

  writePiece(element, text, { place, width, style, color, opacity }) {
    const weight = Number(style.fontWeight) >= 600 ? 'bold' : 'regular';
    const size = parseFloat(style.fontSize);
    const glyphs = this.fonts[weight].glyphs(text);
    const own = glyphs.reduce((sum, { advance }) => sum + advance, 0) * (size / 1000);
    const letters = glyphs.map(({ glyph }) => hex(glyph)).join('');
    this.setOpacity(opacity * color.alpha * parseFloat(style.fillOpacity), 1);
    this.put(
      'q', `${this.matrix(element)} cm`, `${color.rgb} rg`, 'BT', `/${weight} ${digits(size)} Tf`, `${digits((100 * width) / own)} Tz`,
      `1 0 0 -1 ${digits(place.x)} ${digits(place.y)} Tm`, `<${letters}> Tj`, 'ET', 'Q',
    );
  }

  async drawImage(node, style, opacity) {
    const { x, y, width, height } = node.getBBox();
    if (!width || !height) return;
    const image = new Image();
    image.src = node.href.baseVal;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = image.naturalWidth;
    canvas.height = image.naturalHeight;
    const pen = canvas.getContext('2d');
    pen.drawImage(image, 0, 0);
    const { data } = pen.getImageData(0, 0, canvas.width, canvas.height);
    const n = data.length / 4;
    const rgb = new Uint8Array(3 * n);
    const alpha = new Uint8Array(n);
    for (let i = 0; i < n; i += 1) {
      rgb.set(data.subarray(4 * i, 4 * i + 3), 3 * i);
      alpha[i] = data[4 * i + 3];
    }
    const entries = `/Type /XObject /Subtype /Image /Width ${canvas.width} /Height ${canvas.height} /BitsPerComponent 8`;
    const mask = await this.objects.addStream(alpha, `${entries} /ColorSpace /DeviceGray`);
    this.images.push(await this.objects.addStream(rgb, `${entries} /ColorSpace /DeviceRGB /SMask ${mask} 0 R`));
    this.setOpacity(opacity, 1);
    this.put(`${this.matrix(node)} cm`, `${digits(width)} 0 0 ${digits(-height)} ${digits(x)} ${digits(y + height)} cm`, `/I${this.images.length - 1} Do`);
  }

  resources(fonts) {
    const states = [...this.opacities].map(([key, name]) => {
      const [fill, stroke] = key.split(' ');
      return `/${name} << /ca ${fill} /CA ${stroke} >>`;
    });
    const images = this.images.map((number, i) => `/I${i} ${number} 0 R`);
    const shadings = this.shadings.map((number, i) => `/S${i} ${number} 0 R`);
    const named = Object.entries(fonts).map(([name, number]) => `/${name} ${number} 0 R`);
    return `<< /Font << ${named.join(' ')} >> /ExtGState << ${states.join(' ')} >> /XObject << ${images.join(' ')} >> /Shading << ${shadings.join(' ')} >> >>`;
  }
}

/** A PDF of an SVG element, ``width.points`` wide; ``fonts``: the regular and the bold weight. */
export const makePdf = (svg, width, meta, fonts) => mounted(svg.cloneNode(true), async (root) => {
  const { width: drawn, height } = root.viewBox.baseVal;
  const scale = width.points / drawn;
  const objects = new Objects();
  const [regular, bold] = fonts.map((font) => new Font(font));
  const page = new Page(root, { regular, bold }, objects);
  page.put(`${digits(scale)} 0 0 ${digits(-scale)} 0 ${digits(height * scale)} cm`);
  await page.walk(root);
  const content = await objects.addStream(page.operators.join('\n'));
  const used = {};
  for (const [name, font] of Object.entries(page.fonts)) if (font.used.size) used[name] = await font.add(objects);
  const pages = objects.add();
  const leaf = objects.add(`<< /Type /Page /Parent ${pages} 0 R /MediaBox [0 0 ${digits(width.points)} ${digits(height * scale)}] `
    + `/Contents ${content} 0 R /Resources ${page.resources(used)} >>`);
  objects.set(pages, `<< /Type /Pages /Kids [${leaf} 0 R] /Count 1 >>`);
  const catalog = objects.add(`<< /Type /Catalog /Pages ${pages} 0 R /Lang (en) >>`);
  const info = objects.add(`<< /Title ${utf16(meta.title)} /Subject ${utf16(meta.text)} /Creator (Spades decision lab) >>`);
  return objects.write(catalog, info);
});
