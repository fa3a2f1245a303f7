// A figure's SVG as a PNG of so many pixels, which says how wide it is in print and what it shows.

import { crc32 } from './zip.js';

const AFTER_HEADER = 8 + 25; // the signature and the first chunk, which all files begin with
const POINTS_A_METRE = 72 / 0.0254;

const chunk = (type, content) => {
  const bytes = new Uint8Array(12 + content.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, content.length);
  bytes.set(new TextEncoder().encode(type), 4);
  bytes.set(content, 8);
  view.setUint32(8 + content.length, crc32(bytes.subarray(4, 8 + content.length)));
  return bytes;
};

const textChunk = (keyword, text) => chunk('iTXt', new TextEncoder().encode(`${keyword}\0\0\0\0\0${text}`));

const densityChunk = (pixels, points) => {
  const bytes = new Uint8Array(9);
  const view = new DataView(bytes.buffer);
  const density = Math.round((pixels / points) * POINTS_A_METRE);
  view.setUint32(0, density);
  view.setUint32(4, density);
  bytes[8] = 1; // a metre
  return chunk('pHYs', bytes);
};

export const makePng = async (svg, width, meta) => {
  const image = new Image();
  const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  try {
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = width.pixels;
    canvas.height = Math.round((width.pixels * image.naturalHeight) / image.naturalWidth);
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    const plain = await new Promise((done) => { canvas.toBlob(done, 'image/png'); });
    return new Blob([
      plain.slice(0, AFTER_HEADER), densityChunk(width.pixels, width.points),
      textChunk('Title', meta.title), textChunk('Description', meta.text), plain.slice(AFTER_HEADER),
    ], { type: 'image/png' });
  } finally {
    URL.revokeObjectURL(url);
  }
};
