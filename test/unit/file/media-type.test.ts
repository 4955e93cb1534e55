import { describe, expect, it, test } from 'vitest';
import { findMediaType } from '../../../src/file/content/media-type.js';
import { TextCheck } from '../../../src/file/content/text-check.js';
import { AVIF, GIF, JPEG, PNG, WEBP } from './images.js';

const text = (content: string) => Buffer.from(content);
const hex = (digits: string, length = 64) => Buffer.concat([Buffer.from(digits.replaceAll(' ', ''), 'hex')], length);

/** A ZIP file of one stored file. */
function zip(name: string, content = ''): Buffer {
  const head = Buffer.alloc(30);
  head.write('PK\x03\x04\x14', 'latin1');
  head.writeUInt32LE(content.length, 18);
  head.writeUInt32LE(content.length, 22);
  head.writeUInt16LE(name.length, 26);
  return Buffer.concat([head, text(name), text(content), Buffer.alloc(30)]);
}

const CFB = hex('d0cf11e0a1b11ae1', 512);
const MP4 = hex(`00000018 ${text('ftypisom').toString('hex')}`);
const WEBM = hex('1a45dfa3 8f 4282 84 7765626d');
const MP3 = hex('49443304000000000000fffb9064', 512);
const ZIP = zip('a.txt');
const PDF = text('%PDF-1.7\n');
const LATIN1 = Buffer.from('Gr\xfc\xdfe', 'latin1');
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const ODT = 'application/vnd.oasis.opendocument.text';

type Case = readonly [bytes: Buffer, claimed: string | undefined, found: string, name?: string];

const FOUND: readonly Case[] = [
  [PNG, undefined, 'image/png'],
  [GIF, undefined, 'image/gif'],
  [JPEG, undefined, 'image/jpeg'],
  [WEBP, undefined, 'image/webp'],
  [AVIF, undefined, 'image/avif'],
  [PNG, 'application/octet-stream', 'image/png'],
  [PNG, 'application/x-www-form-urlencoded', 'image/png'],
  [PNG, 'nonsense', 'image/png'],
  [PNG, 'image/png; a=b', 'image/png'],
  [JPEG, 'image/jpg', 'image/jpeg'],
  [JPEG, 'IMAGE/PJPEG', 'image/jpeg'],
  [JPEG, 'application/x-unheard-of', 'image/jpeg'],
  [MP3, 'audio/mp3', 'audio/mpeg'],
  [MP4, 'video/mp4', 'video/mp4'],
  [MP4, 'audio/mp4', 'audio/mp4'],
  [MP4, 'video/quicktime', 'video/mp4'],
  [WEBM, undefined, 'video/webm'],
  [WEBM, 'audio/webm;codecs=opus', 'audio/webm'],
  [PDF, 'application/x-pdf', 'application/pdf'],
  [PDF, 'application/postscript', 'application/pdf'],
  [PDF, undefined, 'application/pdf', 'a.txt'],
  [ZIP, undefined, 'application/zip'],
  [ZIP, 'application/x-zip-compressed', 'application/zip'],
  [ZIP, DOCX, DOCX],
  [ZIP, ODT, ODT],
  [ZIP, 'application/epub+zip', 'application/epub+zip'],
  [ZIP, 'application/x-geogebra', 'application/zip'],
  [zip('mimetype', ODT), undefined, ODT],
  [zip('mimetype', ODT), 'application/zip', ODT],
  [zip('mimetype', 'application/epub+zip'), undefined, 'application/epub+zip'],
  [CFB, undefined, 'application/x-cfb'],
  [CFB, 'application/msword', 'application/msword'],
  [CFB, 'application/vnd.ms-excel', 'application/vnd.ms-excel'],
  [text('{\\rtf1 a}'), 'application/msword', 'application/rtf'],
  [text('<?xml version="1.0"?><a/>'), undefined, 'application/xml'],
  [Buffer.from('\ufeffText', 'utf16le'), 'text/plain', 'application/octet-stream'],
];

const CONTRADICTED: readonly (readonly [Buffer, string])[] = [
  [PNG, 'image/jpeg'],
  [PNG, 'text/plain'],
  [PNG, 'image/svg+xml'],
  [PNG, 'application/pdf'],
  [PNG, 'video/x-unheard-of'],
  [PDF, 'text/plain'],
  [ZIP, 'image/png'],
  [ZIP, 'application/vnd.rar'],
  [ZIP, 'text/html'],
  [zip('mimetype', ODT), DOCX],
  [CFB, DOCX],
  [MP4, 'audio/mpeg'],
  [text('<?xml version="1.0"?><a/>'), 'image/png'],
];

const TEXTS: readonly Case[] = [
  [text('a,b\n1,2\n'), 'text/csv; charset=utf-8', 'text/csv'],
  [text('{"a":1}'), 'application/json', 'application/json'],
  [text('{"a":1}'), 'application/ld+json', 'application/ld+json'],
  [text(SVG), 'image/svg+xml', 'image/svg+xml'],
  [text(`<?xml version="1.0"?>${SVG}`), 'image/svg+xml', 'image/svg+xml'],
  [text(SVG), 'text/plain', 'text/plain'],
  [text('<html><script>alert(1)</script>'), 'text/plain', 'text/plain'],
  [text('<html>'), 'text/html', 'text/html'],
  [text('let a'), 'text/javascript', 'text/javascript'],
  [text('BEGIN:VCALENDAR\n'), 'text/plain', 'text/plain'],
  [text(''), 'text/plain', 'text/plain'],
  // Bitmaps and MP3 begin with these letters.
  [text('BMW and others'), 'text/plain', 'text/plain'],
  [text('ID3 is an algorithm'), undefined, 'text/markdown', 'id3.md'],
  [text('a;b'), undefined, 'text/csv', 'A.CSV'],
  [text('# a'), 'application/octet-stream', 'text/markdown', 'a.b.markdown'],
  [text('a'), undefined, 'text/plain', 'a.txt'],
];

const UNKNOWN: readonly (readonly [Buffer, string | undefined, string])[] = [
  // A few letters that begin programs too.
  [text('MZ is short for Mainz'), undefined, 'mz'],
  [text(''), undefined, 'a'],
  [text(''), 'image/png', 'a'],
  [text('a'), undefined, 'a.html'],
  [text('a'), undefined, 'a.json'],
  [text('a'), 'image/png', 'a.txt'],
  [text('a'), 'application/pdf', 'a.csv'],
  [LATIN1, 'text/plain', 'a.txt'],
  [LATIN1, undefined, 'a.csv'],
  [text('a\0b'), 'application/json', 'a'],
  [hex('00112233'), undefined, 'a.md'],
];

describe('the type of a content', () => {
  it('is found from its bytes', async () => {
    for (const [bytes, claimed, mediaType, name] of FOUND) {
      const found = await findMediaType(bytes, { claimed, name });
      expect(found, `${mediaType}, claimed ${claimed}`).toEqual({ mediaType, ifText: false });
    }
  });

  test.each(CONTRADICTED)('is not another one than claimed (%#)', async (bytes, claimed) => {
    await expect(findMediaType(bytes, { claimed })).rejects.toMatchObject({ status: 400, code: 'file.type_mismatch' });
  });

  it('is the claimed one of a text, or that of its name', async () => {
    for (const [bytes, claimed, mediaType, name] of TEXTS) {
      const found = await findMediaType(bytes, { claimed, name });
      expect(found, bytes.toString()).toEqual({ mediaType, ifText: true });
    }
  });

  it('is not known', async () => {
    for (const [bytes, claimed, name] of UNKNOWN) {
      const found = await findMediaType(bytes, { claimed, name });
      expect(found, `${name}, claimed ${claimed}`).toEqual({ mediaType: 'application/octet-stream', ifText: false });
    }
  });
});

describe('a text in pieces', () => {
  function checked(bytes: Buffer, piece: number): TextCheck {
    const check = new TextCheck();
    for (let at = 0; at < bytes.length; at += piece) check.add(bytes.subarray(at, at + piece));
    return check;
  }

  it('is one wherever its characters are cut', () => {
    for (const piece of [1, 2, 3, 5]) expect(checked(text('aü€😀'.repeat(9)), piece).isText).toBe(true);
  });

  it('is none with a NUL, with another encoding, or with an end in a character', () => {
    for (const piece of [1, 2, 3, 9]) {
      for (const bytes of [text('aaaa\0'), LATIN1, hex('f4908080', 4), hex('eda080', 3), hex('8080', 2)]) {
        expect(checked(bytes, piece).canBeText).toBe(false);
      }
      const cut = checked(text('a😀').subarray(0, -1), piece);
      expect([cut.canBeText, cut.isText]).toEqual([true, false]);
    }
  });
});
