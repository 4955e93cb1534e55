// Makes sizes of pictures for another process, one at a time: of the file `source` in its folder it makes the file
// `result`. It is a process of its own because the decoders are native code that reads what strangers upload.
import { rmSync } from 'node:fs';
import { join } from 'node:path';

const [folder, library, memory] = process.argv.slice(2);
const source = join(folder, 'source');
const result = join(folder, 'result');

/** Milliseconds between two looks at the memory of this process. */
const WATCH_INTERVAL = 100;

/** What is read, by the names of the decoders: never svg, which refers to other files, and none of the rarer ones. */
const DECODERS = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif'].map((name) => `VipsForeignLoad${name}`);

const WHITE = { r: 255, g: 255, b: 255, alpha: 1 };
const TRANSPARENT = { r: 0, g: 0, b: 0, alpha: 0 };

async function load() {
  try {
    const { default: sharp } = await import(library);
    sharp.block({ operation: ['VipsForeignLoad'] });
    sharp.unblock({ operation: DECODERS });
    sharp.cache(false);
    // The service needs the other processors.
    sharp.concurrency(1);
    return sharp;
  } catch {
    return undefined;
  }
}

/** In HEIF containers, only AVIF. */
function isImage({ format, compression }) {
  return format === 'heif' ? compression === 'av1' : ['jpeg', 'png', 'webp', 'gif'].includes(format);
}

/** Its media type, or why there is none: `pixels` or `damaged`. */
async function make(sharp, { size, format, pixels }) {
  try {
    const header = await sharp(source, { limitInputPixels: false }).metadata();
    if (!isImage(header)) return { refused: 'damaged' };
    if (header.width * header.height > pixels) return { refused: 'pixels' };
    const made = format === 'jpeg-or-png' ? (header.hasAlpha ? 'png' : 'jpeg') : format;
    await resized(sharp(source, { limitInputPixels: pixels, failOn: 'error', autoOrient: true }), size, made, header)
      .toColourspace('srgb')
      .toFormat(made)
      .toFile(result);
    return { made: `image/${made}` };
  } catch {
    return { refused: 'damaged' };
  }
}

function resized(image, { width, height, mode }, format) {
  const opaque = format === 'jpeg' ? image.flatten({ background: WHITE }) : image;
  return opaque.resize({
    width,
    height,
    fit: mode,
    withoutEnlargement: mode === 'inside',
    background: format === 'jpeg' ? WHITE : TRANSPARENT,
  });
}

/** The other process may be gone. */
function tell(message) {
  process.send(message, () => undefined);
}

/** Tells when this process has more memory than it may; the other one ends it then. */
function watchMemory() {
  return setInterval(() => {
    if (process.memoryUsage.rss() > Number(memory)) tell({ refused: 'memory' });
  }, WATCH_INTERVAL);
}

const sharp = await load();
process.on('message', async (job) => {
  const watch = watchMemory();
  const answer = await make(sharp, job);
  clearInterval(watch);
  tell(answer);
});
// The other process may have been killed. Work under way would keep this one running.
process.on('disconnect', () => {
  rmSync(folder, { recursive: true, force: true });
  process.kill(process.pid, 'SIGKILL');
});
tell({ ready: sharp !== undefined });
