/** Images of three by two pixels, and what lies on its side. */

const base64 = (text: string) => Buffer.from(text, 'base64');

export const PNG = base64(
  'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAADklEQVQImWPogAEGOAsAX7QJkSwaNlgAAAAASUVORK5CYII=',
);
export const GIF = base64('R0lGODlhAwACAIAAAExpcYiIiCH5BAUAAAAALAAAAAADAAIAAAICjF8AOw==');
export const JPEG = base64(
  '/9j/2wBDAFA3PEY8MlBGQUZaVVBfeMiCeG5uePWvuZHI////////////////////////////////////////////////////2wBDAVVaWnhpeOuCguv/////////////////////////////////////////////////////////////////////////wAARCAACAAMDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAH/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFAEBAAAAAAAAAAAAAAAAAAAAAP/EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAMAwEAAhEDEQA/AKAD/9k=',
);
export const WEBP = base64('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoDAAIADMDOJaQAA3AAzQAA');
export const WEBP_LOSSLESS = base64('UklGRh4AAABXRUJQVlA4TBEAAAAvAkAAAAdQxCIWsf+BiOh/AAA=');
export const AVIF = base64(
  'AAAAHGZ0eXBhdmlmAAAAAG1pZjFhdmlmbWlhZgAAANZtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAACJpbG9jAAAAAERAAAEAAQAAAAAA+gABAAAAAAAAABsAAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABhdjAxAAAAAA5waXRtAAAAAAABAAAAVmlwcnAAAAA4aXBjbwAAAAxhdjFDgSACAAAAABRpc3BlAAAAAAAAAAMAAAACAAAAEHBpeGkAAAAAAwgICAAAABZpcG1hAAAAAAAAAAEAAQOBAgMAAAAjbWRhdBIACgg4BCtICGg0gDINH/JihOAAFgAAkDWNkA==',
);

/** EXIF that says how the image is turned. */
function exif(orientation: number): Buffer {
  const tiff = Buffer.from('49492a00080000000100120103000100000000000000', 'hex');
  tiff.writeUInt16LE(orientation, 18);
  return tiff;
}

/** @param before bytes of other segments, of at most 64 KiB each, before the EXIF */
export function turnedJpeg(orientation: number, before = 0): Buffer {
  const content = Buffer.concat([Buffer.from('Exif\0\0'), exif(orientation)]);
  const others: Buffer[] = [];
  for (let rest = before; rest > 0; rest -= 60_000) others.push(segment(0xe2, Buffer.alloc(Math.min(rest, 60_000), 1)));
  return Buffer.concat([JPEG.subarray(0, 2), ...others, segment(0xe1, content), JPEG.subarray(2)]);
}

function segment(marker: number, content: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
}

/** @param between bytes of a chunk between the image and the EXIF, which stands at the end */
export function turnedWebp(orientation: number, between = 0): Buffer {
  const chunks = [
    chunk('VP8X', Buffer.from('08000000020000010000', 'hex')),
    WEBP.subarray(12),
    chunk('XXXX', Buffer.alloc(between, 1)),
    chunk('EXIF', exif(orientation)),
  ];
  return chunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks]));
}

function chunk(name: string, content: Buffer): Buffer {
  const head = Buffer.from(`${name}....`);
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
}

/** @param turns quarters, against the clock */
export function turnedAvif(turns: number): Buffer {
  const irot = Buffer.from([0, 0, 0, 9, ...Buffer.from('irot'), turns]);
  const at = AVIF.indexOf('ispe') - 4;
  const turned = Buffer.concat([AVIF.subarray(0, at), irot, AVIF.subarray(at)]);
  for (const box of ['meta', 'iprp', 'ipco']) {
    const start = turned.indexOf(box) - 4;
    turned.writeUInt32BE(turned.readUInt32BE(start) + irot.length, start);
  }
  return turned;
}
