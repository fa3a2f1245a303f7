// Files in one ZIP, as they are: pictures gain little by packing. PKWARE APPNOTE 6.3.9, 4.3.

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let rest = n;
  for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? 0xedb88320 ^ (rest >>> 1) : rest >>> 1;
  return rest;
});

/** CRC-32 of bytes, as ZIP and PNG have it. */
export const crc32 = (bytes) => {
  let rest = 0xffffffff;
  bytes.forEach((byte) => { rest = TABLE[(rest ^ byte) & 255] ^ (rest >>> 8); });
  return (rest ^ 0xffffffff) >>> 0;
};

/** Bytes of numbers ``[size, value]``, the low byte first. */
const packed = (...fields) => {
  const bytes = new Uint8Array(fields.reduce((sum, [size]) => sum + size, 0));
  let at = 0;
  fields.forEach(([size, value]) => {
    for (let i = 0; i < size; i += 1) bytes[at + i] = Math.floor(value / 256 ** i) & 255;
    at += size;
  });
  return bytes;
};

const UTF8_NAMES = 1 << 11;
const VERSION = 20;
const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;

/** A ZIP of ``{name: Blob}``. */
export const makeZip = async (files, made = new Date()) => {
  const time = (made.getHours() << 11) | (made.getMinutes() << 5) | (made.getSeconds() >> 1);
  const date = ((made.getFullYear() - 1980) << 9) | ((made.getMonth() + 1) << 5) | made.getDate();
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const [title, blob] of Object.entries(files)) {
    const name = new TextEncoder().encode(title);
    const content = new Uint8Array(await blob.arrayBuffer());
    const about = [
      [2, VERSION], [2, UTF8_NAMES], [2, 0], [2, time], [2, date],
      [4, crc32(content)], [4, content.length], [4, content.length], [2, name.length], [2, 0],
    ];
    const head = packed([4, LOCAL], ...about);
    parts.push(head, name, content);
    directory.push(packed([4, CENTRAL], [2, VERSION], ...about, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]), name);
    offset += head.length + name.length + content.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const n = Object.keys(files).length;
  const end = packed([4, END], [2, 0], [2, 0], [2, n], [2, n], [4, size], [4, offset], [2, 0]);
  return new Blob([...parts, ...directory, end], { type: 'application/zip' });
};
