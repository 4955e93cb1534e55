/** Pictures in other sizes, with the real library; a module around it fails in the ways that native code does. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { crc32, deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { ImageMaker } from '../../../src/file/image/image-maker.js';
import type { SizeOfImage } from '../../../src/shared/image-sizes.js';
import type { ImageFormat } from '../../../src/file/image/image-format.js';
import { atEnd } from '../../support/at-end.js';
import { lowerLimit } from '../../support/limits.js';

const COVER: SizeOfImage = { width: 20, height: 20, mode: 'cover' };

let folder = '';
let maker: ImageMaker;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kind-image-test-'));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  maker = makerWith();
});

function makerWith(options: ConstructorParameters<typeof ImageMaker>[0] = {}): ImageMaker {
  const made = new ImageMaker(options);
  atEnd(() => made.onApplicationShutdown());
  return made;
}

let keys = 0;
async function make(content: Buffer | Sharp, size: SizeOfImage = COVER, format: ImageFormat = 'png', by = maker) {
  const bytes = Buffer.isBuffer(content) ? content : await content.png().toBuffer();
  return by.make(() => Promise.resolve(Readable.from([bytes])), size, format, `key ${(keys += 1)}`, 'acme');
}

/** The colour of a pixel as red, green, blue and alpha. */
async function colourAt(bytes: Buffer, left: number, top: number): Promise<number[]> {
  const pixel = sharp(bytes).ensureAlpha().extract({ left, top, width: 1, height: 1 });
  return [...(await pixel.raw().toBuffer())];
}

const filled = (width: number, height: number, background = '#f00'): Sharp =>
  sharp({ create: { width, height, channels: 3, background } });

const CLEAR = { r: 0, g: 0, b: 255, alpha: 0 };
const clear = (width: number, height: number): Sharp =>
  sharp({ create: { width, height, channels: 4, background: CLEAR } });

/** Left half red, right half green. */
const halves = (width: number, height: number): Sharp => {
  const left = { create: { width: width / 2, height, channels: 3 as const, background: '#f00' } };
  return filled(width, height, '#0f0').composite([{ input: left, left: 0, top: 0 }]);
};

describe('modes', () => {
  const size = (mode: SizeOfImage['mode'], width = 20, height = 20): SizeOfImage => ({ mode, width, height });
  test.each([
    ['cover fills both measures', 40, 20, size('cover'), 20, 20],
    ['cover enlarges', 4, 2, size('cover'), 20, 20],
    ['contain has both measures', 40, 20, size('contain'), 20, 20],
    ['contain enlarges', 4, 2, size('contain'), 20, 20],
    ['inside keeps the shape', 40, 20, size('inside'), 20, 10],
    ['inside does not enlarge', 4, 2, size('inside'), 4, 2],
    ['inside has a free height', 40, 80, size('inside', 10, 0), 10, 20],
    ['inside has a free width', 80, 40, size('inside', 0, 10), 20, 10],
    ['a free side is bounded', 2, 5000, size('inside', 10, 0), 2, 4096],
  ])('%s', async (_, width, height, wanted, madeWidth, madeHeight) => {
    const { bytes, mediaType } = await make(filled(width, height), wanted);
    expect(mediaType).toBe('image/png');
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', width: madeWidth, height: madeHeight });
  });

  test('cover shows the middle', async () => {
    const { bytes } = await make(halves(40, 20));
    expect(await colourAt(bytes, 2, 10)).toEqual([255, 0, 0, 255]);
    expect(await colourAt(bytes, 17, 10)).toEqual([0, 255, 0, 255]);
  });

  test.each([
    ['webp', 'transparent'],
    ['png', 'transparent'],
    ['jpeg', 'white'],
    ['jpeg-or-png', 'white'],
  ] as const)('contain fills up %s %s', async (format, around) => {
    const { bytes } = await make(filled(40, 20), size('contain'), format);
    const [, green = 0, blue = 0, alpha] = await colourAt(bytes, 10, 0);
    expect(alpha).toBe(around === 'white' ? 255 : 0);
    if (around === 'white') expect(Math.min(green, blue)).toBeGreaterThan(250);
    expect((await colourAt(bytes, 10, 10))[0]).toBeGreaterThan(250);
  });
});

describe('formats', () => {
  test.each([
    ['jpeg', () => filled(40, 20).jpeg().toBuffer()],
    ['png', () => filled(40, 20).png().toBuffer()],
    ['webp', () => filled(40, 20).webp().toBuffer()],
    ['avif', () => filled(40, 20).avif().toBuffer()],
    ['the first frame of a gif', () => animated(['#f00', '#00f'])],
  ])('reads %s', async (_, content) => {
    const { bytes, mediaType } = await make(await content(), COVER, 'webp');
    expect(mediaType).toBe('image/webp');
    const { pages = 1, ...header } = await sharp(bytes).metadata();
    expect({ pages, format: header.format, width: header.width, height: header.height }).toEqual({
      pages: 1,
      format: 'webp',
      width: 20,
      height: 20,
    });
    const [red = 0, , blue] = await colourAt(bytes, 10, 10);
    expect(red).toBeGreaterThan(240);
    expect(blue).toBeLessThan(15);
  });

  test('keeps an alpha channel where the format has one, and is white elsewhere', async () => {
    expect((await colourAt((await make(clear(40, 20), COVER, 'webp')).bytes, 5, 5))[3]).toBe(0);
    expect(await colourAt((await make(clear(40, 20), COVER, 'jpeg')).bytes, 5, 5)).toEqual([255, 255, 255, 255]);
    expect(await make(clear(40, 20), COVER, 'jpeg-or-png')).toMatchObject({ mediaType: 'image/png' });
    expect(await make(filled(40, 20), COVER, 'jpeg-or-png')).toMatchObject({ mediaType: 'image/jpeg' });
  });

  test('is upright, in sRGB and without metadata', async () => {
    const camera = { IFD0: { Make: 'Acme' }, IFD3: { GPSLatitude: '52/1 31/1 12/1', GPSLatitudeRef: 'N' } };
    const photograph = await halves(40, 20)
      .withExif(camera)
      .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/"><secret/></x:xmpmeta>')
      .withIccProfile('p3')
      .withMetadata({ orientation: 6 })
      .jpeg({ quality: 100, chromaSubsampling: '4:4:4' })
      .toBuffer();
    expect(await sharp(photograph).metadata()).toMatchObject({ orientation: 6, exif: expect.anything() as Buffer });
    for (const format of ['jpeg', 'webp', 'png'] as const) {
      const { bytes } = await make(photograph, { width: 40, height: 40, mode: 'inside' }, format);
      const { width, height, orientation, exif, xmp, icc, iptc, space } = await sharp(bytes).metadata();
      const none = { orientation: undefined, exif: undefined, xmp: undefined, icc: undefined, iptc: undefined };
      expect({ width, height, orientation, exif, xmp, icc, iptc, space }).toEqual({
        ...none,
        width: 20,
        height: 40,
        space: 'srgb',
      });
      expect(bytes.includes('Acme') || bytes.includes('secret')).toBe(false);
      // It was turned to the right: what was left is at the top.
      const [red = 0, green = 0] = await colourAt(bytes, 10, 5);
      expect(red - green).toBeGreaterThan(200);
    }
  });
});

describe('refused', () => {
  const refusedContents: [string, () => Promise<Buffer> | Buffer, string][] = [
    ['an empty file', () => Buffer.alloc(0), 'file.no_image'],
    ['a text', () => Buffer.from('thumb'), 'file.no_image'],
    ['svg', () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'), 'file.no_image'],
    ['tiff', () => filled(9, 9).tiff().toBuffer(), 'file.no_image'],
    ['a jpeg that is cut off', async () => half(await noise().jpeg().toBuffer()), 'file.no_image'],
    ['a png that is cut off', async () => half(await noise().png().toBuffer()), 'file.no_image'],
    ['a png with a wrong byte', async () => withWrongByte(await noise().png().toBuffer()), 'file.no_image'],
    // Its content is not read: it is not that of such a picture.
    ['a bomb of 30,000 by 30,000 pixels', () => png(30_000, 30_000), 'file.image_too_large'],
    ['one pixel too much', () => png(50_000_001, 1), 'file.image_too_large'],
    ['50 megapixels without content', () => png(50_000_000, 1), 'file.no_image'],
  ];
  test.each(refusedContents)('%s', async (_, content, code) => {
    await expect(make(await content())).rejects.toMatchObject({ status: 400, code });
  });

  test('is remembered for a content, so that it costs nothing to ask again', async () => {
    const source = vi.fn(() => Promise.resolve(Readable.from([Buffer.from('thumb')])));
    const again = () => maker.make(source, COVER, 'png', 'remembered', 'acme');
    await expect(again()).rejects.toMatchObject({ code: 'file.no_image' });
    await expect(again()).rejects.toMatchObject({ code: 'file.no_image' });
    expect(source).toHaveBeenCalledTimes(1);
  });

  test('what its source refuses, and the next one is made', async () => {
    const failing = new Readable({ read: () => failing.destroy(new Error('no store')) });
    const answer = maker.make(() => Promise.resolve(failing), COVER, 'png', 'failing', 'acme');
    await expect(answer).rejects.toThrow('no store');
    const made = maker.make(() => Promise.resolve(filled(9, 9).png()), COVER, 'png', 'failing', 'acme');
    expect(await made).toMatchObject({ mediaType: 'image/png' });
  });
});

describe('its processes', () => {
  test('are two, a queue has an end, and other projects have places in it and their turn', async () => {
    lowerLimit('imagesWaiting', 4);
    lowerLimit('imagesWaitingPerProject', 3);
    const busy = makerWith();
    const content = await filled(40, 20).png().toBuffer();
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    const begun: string[] = [];
    const ask = (key: string, project: string) => {
      const source = async () => {
        begun.push(key);
        await opened;
        return Readable.from([content]);
      };
      return busy.make(source, COVER, 'png', key, project);
    };
    const many = [1, 2, 3, 4, 5].map((n) => ask(`a${n}`, 'acme'));
    await expect(ask('a6', 'acme')).rejects.toMatchObject({ status: 503, code: 'server.busy', retryAfter: 2 });
    const neighbour = ask('b1', 'globex');
    await expect(ask('b2', 'globex')).rejects.toMatchObject({ code: 'server.busy' });
    await vi.waitUntil(() => begun.length === 2, { timeout: 10_000 });
    open();
    await Promise.all([...many, neighbour]);
    expect(begun.slice(0, 2).sort()).toEqual(['a1', 'a2']);
    expect(begun.slice(2, 4)).toContain('b1');
  });

  test('make nothing without the library, and read nothing then', async () => {
    const source = vi.fn(() => Promise.resolve(Readable.from([])));
    const without = makerWith({ library: 'a-package-that-is-not-installed' });
    const answer = () => without.make(source, COVER, 'png', 'without', 'acme');
    await expect(answer()).rejects.toMatchObject({ status: 503, code: 'file.no_images' });
    await expect(answer()).rejects.toMatchObject({ status: 503, code: 'file.no_images' });
    expect(source).not.toHaveBeenCalled();
  });

  test('are replaced when one ends by itself; a picture that ends two is refused', async () => {
    const library = await libraryThat('if (takeFlag()) process.kill(process.pid, "SIGKILL");');
    const ending = makerWith({ library: library.url });
    await library.setFlags(1);
    expect(await make(filled(40, 20), COVER, 'png', ending)).toMatchObject({ mediaType: 'image/png' });
    await library.setFlags(2);
    await expect(make(filled(40, 20), COVER, 'png', ending)).rejects.toMatchObject({ code: 'file.no_image' });
    expect(await make(filled(40, 20), COVER, 'png', ending)).toMatchObject({ mediaType: 'image/png' });
  });

  test('are ended when a picture takes too long, or too much memory', async () => {
    lowerLimit('imageSeconds', 0.5);
    const slow = await libraryThat('if (takeFlag()) return { metadata: () => new Promise(() => undefined) };');
    const slowly = makerWith({ library: slow.url });
    await slow.setFlags(1);
    await expect(make(filled(40, 20), COVER, 'png', slowly)).rejects.toMatchObject({
      status: 400,
      code: 'file.image_too_large',
      messages: [{ text: 'The picture takes more than 0.5 seconds to change' }],
    });
    lowerLimit('imageSeconds', 8);
    lowerLimit('imageMemory', 256 * 1024 * 1024);
    const large = await libraryThat(
      'if (takeFlag()) { globalThis.kept = Buffer.alloc(3e8, 1); return { metadata: () => new Promise(() => undefined) }; }',
    );
    const largely = makerWith({ library: large.url });
    await large.setFlags(1);
    await expect(make(filled(40, 20), COVER, 'png', largely)).rejects.toMatchObject({
      messages: [{ text: 'The picture takes more than 256 MB of memory to change' }],
    });
    // The process with that memory is gone.
    expect(await make(filled(40, 20), COVER, 'png', largely)).toMatchObject({ mediaType: 'image/png' });
  });

  test('get nothing of the environment, end without work, and leave nothing behind', async () => {
    const library = await libraryThat('');
    const resting = makerWith({ library: library.url, idleTime: 1 });
    await make(filled(40, 20), COVER, 'png', resting);
    const { environment, folder: own } = JSON.parse(await readFile(join(library.folder, 'started'), 'utf8')) as {
      environment: string[];
      folder: string;
    };
    expect(environment.filter((name) => name in process.env && name !== 'VIPSHOME')).toEqual([]);
    await expect.poll(() => isThere(own), { timeout: 10_000 }).toBe(false);
    expect(await make(filled(40, 20), COVER, 'png', resting)).toMatchObject({ mediaType: 'image/png' });
  });

  test('end with the service', async () => {
    const stopping = makerWith();
    const source = new Readable({ read: () => undefined });
    let opened = (): void => undefined;
    const begun = new Promise<void>((resolve) => (opened = resolve));
    const open = () => {
      opened();
      return Promise.resolve(source);
    };
    const answer = stopping.make(open, COVER, 'png', 'stopping', 'acme');
    const refused = expect(answer).rejects.toMatchObject({ status: 503, code: 'server.stopping' });
    await begun;
    await stopping.onApplicationShutdown();
    await refused;
    expect(source.destroyed).toBe(true);
    await expect(make(filled(40, 20), COVER, 'png', stopping)).rejects.toMatchObject({ code: 'server.stopping' });
  });

  test('end where the service is killed', async () => {
    const own = join(folder, 'orphan');
    await mkdir(own);
    const script = fileURLToPath(new URL('../../../src/file/image/image.child.mjs', import.meta.url));
    const child = fork(script, [own, 'sharp', '1e9'], { execArgv: [], stdio: 'ignore', env: {} });
    await once(child, 'message');
    child.disconnect();
    await once(child, 'exit');
    expect(await isThere(own)).toBe(false);
  });
});

/**
 * A module like the real one that does something else first, where a flag is taken, and says what it was started with.
 */
async function libraryThat(does: string) {
  const own = await mkdtemp(join(folder, 'library-'));
  const file = join(own, 'library.mjs');
  await writeFile(
    file,
    `import { rmSync, writeFileSync } from 'node:fs';
    import real from ${JSON.stringify(import.meta.resolve('sharp'))};
    const environment = Object.keys(process.env).filter((name) => !name.startsWith('NODE_CHANNEL_'));
    writeFileSync(${JSON.stringify(join(own, 'started'))}, JSON.stringify({ environment, folder: process.argv[2] }));
    function takeFlag() {
      for (const flag of ['1', '2']) try { rmSync(${JSON.stringify(`${own}/`)} + flag); return true; } catch {}
      return false;
    }
    function library(...args) { ${does} return real(...args); }
    export default Object.assign(library, real);`,
  );
  const setFlags = async (count: 1 | 2): Promise<void> => {
    for (const flag of ['1', '2'].slice(0, count)) await writeFile(join(own, flag), '');
  };
  return { url: pathToFileURL(file).href, folder: own, setFlags };
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function animated(colours: readonly string[]): Promise<Buffer> {
  const frames = await Promise.all(colours.map((colour) => filled(40, 20, colour).png().toBuffer()));
  return sharp(frames, { join: { animated: true } })
    .gif()
    .toBuffer();
}

function noise(): Sharp {
  const background = '#000';
  return sharp({
    create: { width: 99, height: 99, channels: 3, background, noise: { type: 'gaussian', mean: 128, sigma: 30 } },
  });
}

const half = (bytes: Buffer): Buffer => bytes.subarray(0, bytes.length / 2);

function withWrongByte(bytes: Buffer): Buffer {
  const at = Math.floor(bytes.length / 2);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 0xff, at);
  return bytes;
}

/** A picture whose header says so, with one line of nothing. */
function png(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(1, 8);
  const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.alloc(100))), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks]);
}

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const content = Buffer.concat([Buffer.from(type), data]);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, check]);
}
