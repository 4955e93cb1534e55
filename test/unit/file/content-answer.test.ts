import { Readable } from 'node:stream';
import { describe, expect, it, test } from 'vitest';
import { ContentAnswer } from '../../../src/file/content.answer.js';
import { contentEtag } from '../../../src/file/content/content-etag.js';
import { contentHeaders, type ReadBy } from '../../../src/file/content/content-headers.js';
import { contentRange, requestedRange } from '../../../src/file/content/range.js';
import type { HttpResponse } from '../../../src/http/request/request.js';

const sha256 = '0123456789abcdef'.repeat(4);
const modified = new Date('2026-11-29T17:48:06.789Z');
const content = { name: 'a.jpg', mediaType: 'image/jpeg', sha256, modified };

describe('the headers of a content', () => {
  it('let it be nothing but what it is', () => {
    expect(contentHeaders(content, 'nothing')).toEqual({
      'Content-Type': 'image/jpeg',
      'Content-Disposition': 'inline; filename=a.jpg',
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'Referrer-Policy': 'no-referrer',
      'Accept-Ranges': 'bytes',
      ETag: '"0123456789abcdef0123456789abcdef"',
      'Last-Modified': 'Sun, 29 Nov 2026 17:48:06 GMT',
      'Cache-Control': 'public, max-age=300',
    });
    expect(contentEtag({ sha256, size: 'thumb.webp' })).toBe('"0123456789abcdef0123456789abcdef-thumb.webp"');
  });

  test.each([
    ['image/png', true],
    ['image/avif', true],
    ['audio/mpeg', true],
    ['video/x-m4v', true],
    ['application/pdf', true],
    ['text/plain', true],
    ['image/svg+xml', false],
    ['image/tiff', false],
    ['video/x+xml', false],
    ['text/html', false],
    ['text/csv', false],
    ['application/xml', false],
    ['application/pdf+xml', false],
    ['application/octet-stream', false],
  ])('show %s by itself: %s', (mediaType, shown) => {
    const disposition = (download?: boolean) =>
      contentHeaders({ ...content, mediaType }, 'token', download)['Content-Disposition'];
    expect(disposition()).toBe(`${shown ? 'inline' : 'attachment'}; filename=a.jpg`);
    expect(disposition(true)).toBe('attachment; filename=a.jpg');
    const type = mediaType === 'text/plain' ? 'text/plain; charset=utf-8' : mediaType;
    expect(contentHeaders({ ...content, mediaType }, 'token')['Content-Type']).toBe(type);
  });

  test.each([
    ['a "b" \\c.txt', 'attachment; filename="a \\"b\\" \\\\c.txt"'],
    ['Grüße 😀.txt', `attachment; filename="Gr??e ??.txt"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%F0%9F%98%80.txt`],
    ['50%20.txt', `attachment; filename=50%20.txt; filename*=UTF-8''50%2520.txt`],
    ["a';*.txt", `attachment; filename="a';*.txt"`],
  ])('name it %s', (name, disposition) =>
    expect(contentHeaders({ ...content, name }, 'nothing', true)['Content-Disposition']).toBe(disposition),
  );

  it('let it be kept as long as its address is good', () => {
    const cached = (readBy: ReadBy) => {
      const { 'Cache-Control': cache, Vary: vary } = contentHeaders(content, readBy);
      return [cache, vary];
    };
    expect(cached('token')).toEqual(['private, max-age=300', 'Authorization']);
    expect(cached({ signatureFor: 90.7 })).toEqual(['private, max-age=90', undefined]);
    expect(cached({ signatureFor: 100_000 })).toEqual(['private, max-age=3600', undefined]);
    expect(cached({ signatureFor: -1 })).toEqual(['private, max-age=0', undefined]);
  });
});

describe('a range', () => {
  const etag = contentEtag(content);
  const ranged = (range: string | undefined, ifRange?: string, bytes = 1000) => {
    const found = requestedRange({ range, 'if-range': ifRange }, { bytes, etag, modified });
    return found && contentRange(found, bytes);
  };

  test.each([
    ['bytes=0-0', 'bytes 0-0/1000'],
    ['bytes=10-19', 'bytes 10-19/1000'],
    ['BYTES= 990- ', 'bytes 990-999/1000'],
    ['bytes=999-5000', 'bytes 999-999/1000'],
    ['bytes=-10', 'bytes 990-999/1000'],
    ['bytes=-5000', 'bytes 0-999/1000'],
    [`bytes=0-${'9'.repeat(400)}`, 'bytes 0-999/1000'],
  ])('%s is %s', (range, part) => expect(ranged(range)).toBe(part));

  test.each([
    undefined,
    '',
    'bytes',
    'bytes=',
    'bytes=-',
    'bytes=5-2',
    'bytes=a-b',
    'bytes=1-2,4-5',
    'bytes=0x1-2',
    'items=0-1',
    'bytes=1 -2',
    'bytes=--1',
  ])('%s is all', (range) => expect(ranged(range)).toBeUndefined());

  test.each([
    ['bytes=1000-', 1000],
    ['bytes=1000-1001', 1000],
    [`bytes=${'9'.repeat(400)}-`, 1000],
    ['bytes=-0', 1000],
    ['bytes=0-', 0],
    ['bytes=0-0', 0],
  ])('%s is not there in %d bytes', (range, bytes) => {
    const refused = { status: 416, code: 'file.range', contentRange: `bytes */${bytes}` };
    expect(() => ranged(range, undefined, bytes)).toThrow(expect.objectContaining(refused) as Error);
  });

  it('of the last bytes is all of an empty content', () => expect(ranged('bytes=-5', undefined, 0)).toBeUndefined());

  it('is of the version that If-Range names', () => {
    const part = 'bytes 0-1/1000';
    expect(ranged('bytes=0-1', etag)).toBe(part);
    expect(ranged('bytes=0-1', ' Sun, 29 Nov 2026 17:48:06 GMT ')).toBe(part);
    for (const other of ['"0"', `W/${etag}`, '*', '', 'Sun, 29 Nov 2026 17:48:07 GMT', '2026-11-29']) {
      expect(ranged('bytes=0-1', other)).toBeUndefined();
      expect(ranged('bytes=2000-', other)).toBeUndefined();
    }
  });
});

test('a content whose client has gone before its answer begins is closed', () => {
  const body = Readable.from(['content']);
  new ContentAnswer(200, {}, body).start({ destroyed: true } as HttpResponse);
  expect(body.destroyed).toBe(true);
});
