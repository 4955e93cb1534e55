/**
 * What every store has to do, and the mark of whose it is. `TEST_S3_URL`, as `FILES_URL`, names a bucket of a real service,
 * which has to do the same: one that takes small parts, as radosgw with `rgw multipart min part size = 1`. What is stored
 * there is below a random prefix, and stays.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { beforeEach, describe, expect, test } from 'vitest';
import { storeAddress } from '../../../src/config/store-address.js';
import type { FileStore } from '../../../src/file/store/file-store.js';
import { openStore } from '../../../src/file/store/open-store.js';
import { claimStore } from '../../../src/file/store/store-marker.js';
import { atEnd } from '../../support/at-end.js';
import { collected } from '../../support/collected.js';
import { lowerLimit } from '../../support/limits.js';
import { FakeS3 } from '../../support/s3.js';

const REAL = process.env['TEST_S3_URL'];
const PART = 1000;

const stores: readonly [name: string, make: () => Promise<FileStore>][] = [
  [
    'folder',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'kind-store-'));
      atEnd(() => rm(folder, { recursive: true }));
      return openStore({ folder: join(folder, 'made/when/needed') });
    },
  ],
  ['bucket', async () => openStore((await FakeS3.start()).address)],
  ['bucket with a prefix', async () => openStore((await FakeS3.start({ prefix: 'my/files/' })).address)],
  ['bucket in the host name', async () => openStore((await FakeS3.start({ pathStyle: false, bucket: '127' })).address)],
  ...(REAL ? [realBucket(REAL)] : []),
];

function realBucket(url: string): [name: string, make: () => Promise<FileStore>] {
  const address = storeAddress.read(url);
  if (!address || 'folder' in address) throw new Error('TEST_S3_URL is no address of a bucket');
  const prefix = () => `${address.prefix}${randomBytes(8).toString('hex')}/`;
  return ['real bucket', () => Promise.resolve(openStore({ ...address, prefix: prefix() }))];
}

/** Bytes that differ, in chunks of some lengths. */
function bytes(length: number): Buffer {
  return Buffer.from(new Uint8Array(length).map((_, at) => (at * 7 + (at >> 8)) % 256));
}

async function* chunks(content: Uint8Array, sizes: readonly number[] = [300]): AsyncIterable<Uint8Array> {
  for (let from = 0, turn = 0; from < content.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield content.subarray(from, from + size);
    from += size;
  }
}

async function* broken(length: number): AsyncIterable<Uint8Array> {
  yield* chunks(bytes(length));
  throw new RangeError('the client is gone');
}

async function read(
  store: FileStore,
  key: string,
  range?: { first: number; last: number },
): Promise<Buffer | undefined> {
  const stream = await store.get(key, range);
  return stream && buffer(stream);
}

async function keys(store: FileStore, prefix = ''): Promise<string[]> {
  return (await collected(store.list(prefix))).map(({ key }) => key);
}

describe.each(stores)('%s', (_name, make) => {
  let store: FileStore;

  beforeEach(async () => {
    lowerLimit('storePart', PART);
    lowerLimit('storeUnpooled', PART / 2);
    store = await make();
  });

  test.each([
    ['nothing', 0, [1]],
    ['one byte', 1, [1]],
    ['less than a part', PART - 1, [100, 1]],
    ['exactly a part', PART, [PART]],
    ['a part and a byte', PART + 1, [7, 400]],
    ['several parts in large chunks', 5 * PART + 3, [3 * PART]],
    ['several parts in empty and small chunks', 3 * PART, [0, 33]],
  ])('keeps %s', async (_what, length, sizes) => {
    const content = bytes(length);
    await store.put('p/f/a', chunks(content, sizes), length);
    expect(await read(store, 'p/f/a')).toEqual(content);
    expect(await store.head('p/f/a')).toBe(length);
    const [listed, ...others] = await collected(store.list('p/f/'));
    expect(listed).toEqual({ key: 'p/f/a', bytes: length, storedAt: expect.any(Date) as Date });
    expect(Math.abs(Date.now() - Number(listed?.storedAt))).toBeLessThan(10_000);
    expect(others).toEqual([]);
  });

  test('ranges are inclusive, and end with the object', async () => {
    const content = bytes(2500);
    await store.put('p/f/a', chunks(content));
    expect(await read(store, 'p/f/a', { first: 0, last: 0 })).toEqual(content.subarray(0, 1));
    expect(await read(store, 'p/f/a', { first: 900, last: 1100 })).toEqual(content.subarray(900, 1101));
    expect(await read(store, 'p/f/a', { first: 2000, last: 9999 })).toEqual(content.subarray(2000));
  });

  test('what is not there is undefined, passed over and not listed', async () => {
    expect(await store.get('p/f/a')).toBeUndefined();
    expect(await store.head('p/f/a')).toBeUndefined();
    await store.delete(['p/f/a', 'q']);
    expect(await keys(store)).toEqual([]);
    await store.put('p/f/a', chunks(bytes(1)));
    // Neither a folder nor what is below an object.
    expect(await Promise.all(['p/f', 'p/f/a/b'].flatMap((key) => [store.get(key), store.head(key)]))).toEqual(
      Array(4).fill(undefined),
    );
  });

  test('lists what begins with a text, in order, and deletes some of it', async () => {
    const all = ['a/1-x', 'a/1/x', 'a/12/y', 'a/12/z', 'ab/1/x', 'b'];
    for (const key of all.toReversed()) await store.put(key, chunks(bytes(3)));
    expect(await keys(store)).toEqual(all);
    expect(await keys(store, 'a/')).toEqual(all.slice(0, 4));
    expect(await keys(store, 'a/1')).toEqual(all.slice(0, 4));
    expect(await keys(store, 'a/12/')).toEqual(['a/12/y', 'a/12/z']);
    expect(await keys(store, 'c/')).toEqual([]);
    await store.delete(['a/12/y', 'a/1/x', 'a/1-x', 'none']);
    expect(await keys(store)).toEqual(['a/12/z', 'ab/1/x', 'b']);
  });

  test.each([0, 10, PART, 3 * PART + 10])('a content that fails after %i bytes leaves nothing', async (length) => {
    await expect(store.put('p/f/a', broken(length))).rejects.toThrow(new RangeError('the client is gone'));
    expect(await store.head('p/f/a')).toBeUndefined();
    expect(await keys(store)).toEqual([]);
  });

  test.each([
    '',
    '/',
    '/etc/passwd',
    '../a',
    'a/../../b',
    'a/./b',
    'a//b',
    'a/',
    '.part-1',
    'a/.hidden',
    'a\\..\\b',
    'a\0b',
    'a\nb',
    'a b',
    'ä',
    'a%2e%2e',
    'a?b',
    'x'.repeat(201),
    Array(11).fill('a').join('/'),
  ])('%j is no key', async (key) => {
    const refused = { name: 'TypeError' };
    await expect(store.put(key, chunks(bytes(1)))).rejects.toMatchObject(refused);
    await expect(store.get(key)).rejects.toMatchObject(refused);
    await expect(store.head(key)).rejects.toMatchObject(refused);
    await expect(store.delete([key])).rejects.toMatchObject(refused);
    if (key !== '' && key !== 'a/') await expect(keys(store, key)).rejects.toMatchObject(refused);
  });

  test('objects of one folder are stored and deleted at the same time', async () => {
    const content = bytes(PART + 1);
    const put = async (at: number): Promise<void> => {
      await store.put(`p/f/${at}`, chunks(content));
      if (at % 2 === 0) await store.delete([`p/f/${at}`]);
    };
    await Promise.all(Array.from({ length: 20 }, (_, at) => put(at)));
    expect(await keys(store)).toHaveLength(10);
    expect(await read(store, 'p/f/1')).toEqual(content);
    await store.removeUnfinished(new Date(Date.now() + 60_000));
    expect(await keys(store)).toHaveLength(10);
  });

  test('services of one database mark it at the same time, and another database is refused', async () => {
    await Promise.all([1, 2, 3, 4].map(() => claimStore(store, 'first', false)));
    await claimStore(store, 'first', true);
    await expect(claimStore(store, 'second', false)).rejects.toThrow(
      'FILES_URL: the folder or bucket belongs to another database, as its kind-files.json says',
    );
    expect((await read(store, 'kind-files.json'))?.toString()).toBe('{"database":"first"}\n');
  });

  test('a store without a mark is not that of a database that has contents, and one with a broken mark is of none', async () => {
    await expect(claimStore(store, 'first', true)).rejects.toThrow(
      'FILES_URL: the folder or bucket has no kind-files.json, so that it is not the one with the contents of this database',
    );
    expect(await keys(store)).toEqual([]);
    await store.put('kind-files.json', chunks(bytes(3000)));
    await expect(claimStore(store, 'first', false)).rejects.toThrow('belongs to another database');
  });
});
