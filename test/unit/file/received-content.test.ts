import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { withDigest } from '../../../src/http/body/content-digest.js';
import { type ContentFacts, ReceivedContent } from '../../../src/file/content/received-content.js';
import { JPEG, PNG, turnedJpeg } from './images.js';

type Expectations = ConstructorParameters<typeof ReceivedContent>[1];

async function* pieces(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield await Promise.resolve(bytes.subarray(at, at + length));
}

async function received(
  bytes: Uint8Array,
  expectations: Partial<Expectations> = {},
  piece = 1000,
): Promise<ContentFacts> {
  const content = new ReceivedContent(pieces(bytes, piece), { limit: bytes.length, ...expectations });
  const passed: Uint8Array[] = [];
  for await (const chunk of content) passed.push(chunk);
  expect(Buffer.concat(passed).equals(bytes)).toBe(true);
  return content.facts;
}

const hash = (algorithm: string, bytes: Uint8Array) => createHash(algorithm).update(bytes).digest();
const digest = (name: string, bytes: Uint8Array) =>
  `${name}=:${hash(name.replace('-', ''), bytes).toString('base64')}:`;

describe('a received content', () => {
  it('is passed on, and known at its end', async () => {
    const bytes = Buffer.concat([PNG, Buffer.alloc(30_000, 7)]);
    for (const piece of [1, 4100, bytes.length]) {
      expect(await received(bytes, { claimed: 'image/png' }, piece)).toEqual({
        bytes: bytes.length,
        sha256: hash('sha256', bytes).toString('hex'),
        mediaType: 'image/png',
        width: 3,
        height: 2,
      });
    }
  });

  it('can be empty', async () => {
    const none = { bytes: 0, sha256: hash('sha256', Buffer.alloc(0)).toString('hex'), width: null, height: null };
    expect(await received(Buffer.alloc(0))).toEqual({ ...none, mediaType: 'application/octet-stream' });
    expect(await received(Buffer.alloc(0), { claimed: 'text/plain' })).toEqual({ ...none, mediaType: 'text/plain' });
  });

  it('is measured however far behind its beginning the size stands', async () => {
    const { mediaType, width, height } = await received(turnedJpeg(6, 700_000));
    expect([mediaType, width, height]).toEqual(['image/jpeg', 2, 3]);
  });

  it('is a text if all of it is', async () => {
    const text = Buffer.from('ä'.repeat(5000));
    for (const piece of [1, 4100, 4101, text.length]) {
      expect((await received(text, { claimed: 'text/html' }, piece)).mediaType).toBe('text/html');
      expect((await received(text, { name: 'a.csv' }, piece)).mediaType).toBe('text/csv');
      for (const end of [Buffer.from('\0'), Buffer.from([0xc3])]) {
        const other = Buffer.concat([text, end]);
        expect((await received(other, { claimed: 'text/html' }, piece)).mediaType).toBe('application/octet-stream');
      }
    }
  });

  it('is refused beyond its limit, and for its type, before the end and with nothing known', async () => {
    const bytes = Buffer.concat([JPEG, Buffer.alloc(100_000)]);
    for (const [expectations, refused, most] of [
      [{ limit: 50_000 }, { status: 413, code: 'body.too_large' }, 50_000],
      [{ claimed: 'image/png' }, { status: 400, code: 'file.type_mismatch' }, 4100],
    ] as const) {
      const content = new ReceivedContent(pieces(bytes, 500), { limit: bytes.length, ...expectations });
      let passed = 0;
      const read = (async () => {
        for await (const { length } of content) passed += length;
      })();
      await expect(read).rejects.toMatchObject(refused);
      expect(passed).toBeLessThanOrEqual(most);
      expect(() => content.facts).toThrow('not read to its end');
    }
  });

  it('ends with the error of its source', async () => {
    const source = (async function* () {
      yield await Promise.resolve(PNG);
      throw new Error('aborted');
    })();
    const read = async () => {
      for await (const chunk of new ReceivedContent(source, { limit: 1000 })) expect(chunk).toBe(PNG);
    };
    await expect(read()).rejects.toThrow('aborted');
  });
});

describe('a body', () => {
  it('is compared with its Content-Digest', async () => {
    const readWith = async (header: string): Promise<Buffer> => {
      const read: Uint8Array[] = [];
      for await (const piece of withDigest(pieces(bytes, 7), { 'content-digest': header })) read.push(piece);
      return Buffer.concat(read);
    };
    const bytes = Buffer.from('{"hello": "world"}');
    const [sha256, sha512] = [digest('sha-256', bytes), digest('sha-512', bytes)];
    // The example of RFC 9530.
    expect(sha256).toBe('sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:');
    const other = digest('sha-256', Buffer.from('other'));
    for (const good of [
      sha256,
      sha512,
      `${sha512}, ${sha256}`,
      `md5=:AAAA:,${sha256};a=1 ,unixsum=::`,
      `${other}, ${sha256}`,
    ]) {
      expect((await readWith(good)).equals(bytes)).toBe(true);
    }
    for (const wrong of [other, `${sha256}, ${digest('sha-512', Buffer.from('other'))}`, `${sha512},${other}`]) {
      await expect(readWith(wrong)).rejects.toMatchObject({ status: 400, code: 'file.digest' });
    }
    for (const malformed of [
      '',
      'sha-256',
      sha256.replace('=:', '='),
      sha256.toUpperCase(),
      'sha-256=:AAAA:',
      `${sha256},`,
    ]) {
      expect(() => withDigest(pieces(bytes, 9), { 'content-digest': malformed }), malformed).toThrow(
        expect.objectContaining({ status: 400, code: 'file.digest' }) as Error,
      );
    }
  });
});
