// Shapes of SVG as the path operators of PDF, in the shape's own units.

const digits = (number) => String(Math.round(number * 1000) / 1000);
const move = (x, y) => `${digits(x)} ${digits(y)} m`;
const line = (x, y) => `${digits(x)} ${digits(y)} l`;
const curve = (...points) => `${points.map(digits).join(' ')} c`;
const CLOSE = 'h';

/** The operators of an element; empty where it draws nothing itself. */
export const shapeOf = (node) => {
  const length = (name) => node[name].baseVal.value;
  switch (node.localName) {
    case 'path': return pathOf(node.getAttribute('d') ?? '');
    case 'rect': return rectOf(length('x'), length('y'), length('width'), length('height'));
    case 'line': return `${move(length('x1'), length('y1'))} ${line(length('x2'), length('y2'))}`;
    case 'circle': return ellipseOf(length('cx'), length('cy'), length('r'), length('r'));
    case 'ellipse': return ellipseOf(length('cx'), length('cy'), length('rx'), length('ry'));
    case 'polyline': return pathOf(`M${node.getAttribute('points')}`);
    case 'polygon': return pathOf(`M${node.getAttribute('points')}Z`);
    default: return '';
  }
};

const rectOf = (x, y, width, height) => (width && height ? `${[x, y, width, height].map(digits).join(' ')} re` : '');

const ellipseOf = (x, y, rx, ry) => pathOf(`M${x - rx},${y}A${rx},${ry} 0 1 1 ${x + rx},${y}A${rx},${ry} 0 1 1 ${x - rx},${y}Z`);

const N_NUMBERS = { M: 2, L: 2, H: 1, V: 1, C: 6, S: 4, Q: 4, T: 2, A: 7, Z: 0 };

/** The operators of a path's text. SVG 1.1, 8.3. */
const pathOf = (text) => {
  const operators = [];
  let [x, y, startX, startY] = [0, 0, 0, 0];
  let control; // of the curve before, which a smooth one goes on from
  const steps = {
    M: (toX, toY) => { operators.push(move(toX, toY)); [startX, startY] = [toX, toY]; return [toX, toY]; },
    L: (toX, toY) => { operators.push(line(toX, toY)); return [toX, toY]; },
    C: (...points) => { operators.push(curve(...points)); return points.slice(2); },
    Q: (cx, cy, toX, toY) => {
      operators.push(curve(x + (2 / 3) * (cx - x), y + (2 / 3) * (cy - y), toX + (2 / 3) * (cx - toX), toY + (2 / 3) * (cy - toY), toX, toY));
      return [cx, cy, toX, toY];
    },
    A: (...arc) => { curvesOf(x, y, ...arc).forEach((points) => operators.push(curve(...points))); return arc.slice(5); },
    Z: () => { operators.push(CLOSE); return [startX, startY]; },
  };
  for (const [, letter, list] of text.matchAll(/([a-z])([^a-z]*)/gi)) {
    let kind = letter.toUpperCase();
    const isRelative = letter !== kind;
    const numbers = kind === 'A' ? arcNumbers(list) : numbersOf(list);
    const n = N_NUMBERS[kind];
    do {
      let args = numbers.splice(0, n);
      if (args.length < n) break;
      if (isRelative) args = args.map((number, i) => number + originOf(kind, i, x, y));
      const mirrored = control ? [2 * x - control[0], 2 * y - control[1]] : [x, y];
      if (kind === 'H') args = [args[0], y];
      if (kind === 'V') args = [x, args[0]];
      if (kind === 'S' || kind === 'T') args = [...mirrored, ...args];
      const ends = steps[{ H: 'L', V: 'L', S: 'C', T: 'Q' }[kind] ?? kind](...args);
      control = ends.length === 4 ? ends.slice(0, 2) : undefined;
      [x, y] = ends.slice(-2);
      if (kind === 'M') kind = 'L'; // further pairs are lines
    } while (numbers.length);
  }
  return operators.join(' ');
};

const numbersOf = (list) => (list.match(/[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?/gi) ?? []).map(Number);

/** Numbers of arcs, whose two flags may stand without a gap. */
const arcNumbers = (list) => {
  const number = '([-+]?(?:\\d+\\.?\\d*|\\.\\d+)(?:e[-+]?\\d+)?)';
  const arc = new RegExp([number, number, number, '([01])', '([01])', number, number].join('[\\s,]*'), 'gi');
  return [...list.matchAll(arc)].flatMap((match) => match.slice(1).map(Number));
};

/** What is added to a relative number. */
const originOf = (kind, i, x, y) => {
  if (kind === 'H') return x;
  if (kind === 'V') return y;
  if (kind === 'A') return [0, 0, 0, 0, 0, x, y][i];
  return i % 2 ? y : x;
};

/** Curves, of a quarter turn at most, that follow an arc. SVG 1.1, F.6. */
const curvesOf = (x1, y1, rx, ry, rotation, isLarge, isClockwise, x2, y2) => {
  if (!rx || !ry || (x1 === x2 && y1 === y2)) return [[x1, y1, x2, y2, x2, y2]];
  const turn = (rotation * Math.PI) / 180;
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
  const [dx, dy] = [(x1 - x2) / 2, (y1 - y2) / 2];
  const [px, py] = [cos * dx + sin * dy, cos * dy - sin * dx];
  const grown = Math.max(1, Math.hypot(px / rx, py / ry));
  const [a, b] = [Math.abs(rx) * grown, Math.abs(ry) * grown];
  const rest = (a * b) ** 2 - (a * py) ** 2 - (b * px) ** 2;
  const share = Math.sqrt(Math.max(0, rest / ((a * py) ** 2 + (b * px) ** 2))) * (isLarge === isClockwise ? -1 : 1);
  const [mx, my] = [(share * a * py) / b, (-share * b * px) / a];
  const [cx, cy] = [cos * mx - sin * my + (x1 + x2) / 2, sin * mx + cos * my + (y1 + y2) / 2];
  const from = Math.atan2((py - my) / b, (px - mx) / a);
  let sweep = Math.atan2((-py - my) / b, (-px - mx) / a) - from;
  if (isClockwise && sweep < 0) sweep += 2 * Math.PI;
  if (!isClockwise && sweep > 0) sweep -= 2 * Math.PI;
  const n = Math.ceil(Math.abs(sweep) / (Math.PI / 2) - 1e-9);
  const step = sweep / n;
  const reach = (4 / 3) * Math.tan(step / 4);
  const place = (ux, uy) => [cx + cos * a * ux - sin * b * uy, cy + sin * a * ux + cos * b * uy];
  return Array.from({ length: n }, (_, i) => {
    const [one, other] = [from + i * step, from + (i + 1) * step];
    return [
      ...place(Math.cos(one) - reach * Math.sin(one), Math.sin(one) + reach * Math.cos(one)),
      ...place(Math.cos(other) + reach * Math.sin(other), Math.sin(other) - reach * Math.cos(other)),
      ...(i === n - 1 ? [x2, y2] : place(Math.cos(other), Math.sin(other))),
    ];
  });
};
