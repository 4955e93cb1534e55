/** Contents that programs show, made here. */
import { crc32, deflateSync } from 'node:zlib';

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function chunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, check]);
}

/** A picture whose colors change from left to right and from top to bottom. */
export function pngOf(width: number, height: number): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2], 8);
  const row = 1 + 3 * width;
  const rows = Buffer.alloc(row * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      rows.set([40, (255 * y) / height, 255 - (200 * x) / width], y * row + 1 + 3 * x);
    }
  }
  const pixels = deflateSync(rows, { level: 1 });
  return Buffer.concat([PNG, chunk('IHDR', head), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}

const RATE = 8000;

/** A sound of so many seconds. */
export function wavOf(seconds: number): Buffer {
  const second = Buffer.from(Array.from({ length: RATE }, (_, at) => 128 + 60 * Math.sin(at / 3)));
  const samples = Buffer.concat(Array.from({ length: seconds }, () => second));
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(RATE, 24);
  head.writeUInt32LE(RATE, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}

/** One frame of 64 × 36 pixels, by VP8. */
const FRAME = Buffer.from('kAMAnQEqQAAkAD8RiL5YrCkmo6KoAYAiCWcA1UAJiw+EJH0gAAD8uH/dD31eVPNXsZDGTJbiAAA=', 'base64');

/** A part of a webm file, which is EBML. @param id in hex */
function element(id: string, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE((1n << 56n) | BigInt(content.length));
  return Buffer.concat([Buffer.from(id, 'hex'), length, content]);
}

function whole(id: string, value: number): Buffer {
  const content = Buffer.alloc(8);
  content.writeBigUInt64BE(BigInt(value));
  return element(id, content);
}

/** A film of so many seconds, each with one frame and `padding` bytes that no program shows. */
export function webmOf(seconds: number, padding: number): Buffer {
  const duration = Buffer.alloc(8);
  duration.writeDoubleBE(1000 * seconds);
  const head = element(
    '1a45dfa3',
    element('4282', Buffer.from('webm')),
    ...[whole('4287', 2), whole('4285', 2), whole('42f7', 1), whole('42f2', 4), whole('42f3', 8)],
  );
  const info = element('1549a966', whole('2ad7b1', 1_000_000), element('4489', duration));
  const video = element('e0', whole('b0', 64), whole('ba', 36));
  const codec = element('86', Buffer.from('V_VP8'));
  const tracks = element('1654ae6b', element('ae', whole('d7', 1), whole('73c5', 1), whole('83', 1), codec, video));
  const times = Array.from({ length: seconds }, (_, at) => 1000 * at);
  // After a byte for the track: the time from the beginning of its cluster, and that it needs no frame before it.
  const frame = element('a3', Buffer.from([0x81, 0, 0, 0x80]), FRAME);
  const clusters = times.map((time) =>
    Buffer.concat([element('1f43b675', whole('e7', time), frame), element('ec', Buffer.alloc(padding))]),
  );
  const cuesAt = (first: number): Buffer => {
    const points = times.map((time, at) => {
      const place = first + at * (clusters[0]?.length ?? 0);
      return element('bb', whole('b3', time), element('b7', whole('f7', 1), whole('f1', place)));
    });
    return element('1c53bb6b', ...points);
  };
  const before = info.length + tracks.length;
  // All numbers have the same length.
  const cues = cuesAt(before + cuesAt(0).length);
  return Buffer.concat([head, element('18538067', info, tracks, cues, ...clusters)]);
}
