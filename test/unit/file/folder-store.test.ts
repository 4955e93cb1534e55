/** What is special about a folder: files and disks. */
import { mkdtemp, open, readdir, rm, stat, utimes, writeFile, mkdir, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeEach, expect, test, vi } from 'vitest';
import { FolderStore } from '../../../src/file/store/folder.store.js';
import { atEnd } from '../../support/at-end.js';
import { collected } from '../../support/collected.js';
import { changeLimit } from '../../support/limits.js';

const MEGABYTE = 1024 * 1024;
let root: string;
let store: FolderStore;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'kind-store-'));
  atEnd(() => rm(root, { recursive: true, force: true }));
  store = new FolderStore(`${root}/`);
});

async function* one(content = Buffer.from('content')): AsyncIterable<Uint8Array> {
  yield content;
}

const found = async (): Promise<string[]> => (await readdir(root, { recursive: true })).sort();

test('a file is under a name that is no key until it is complete, for its owner alone', async () => {
  const seen: (string | undefined)[] = [];
  await store.put(
    'p/f/a',
    (async function* () {
      yield Buffer.from('half');
      seen.push(...(await found()));
    })(),
  );
  expect(seen).toEqual(['p', 'p/f', expect.stringMatching(/^p\/f\/\.part-[\da-f]{24}$/)]);
  expect(await found()).toEqual(['p', 'p/f', 'p/f/a']);
  expect((await stat(join(root, 'p/f/a'))).mode & 0o777).toBe(0o600);
});

test('folders go with their last object, and with a content that fails', async () => {
  for (const key of ['p/f/a', 'p/f/b', 'p/g/a']) await store.put(key, one());
  await store.delete(['p/f/a', 'p/f/b']);
  expect(await found()).toEqual(['p', 'p/g', 'p/g/a']);
  await store.delete(['p/g/a']);
  expect(await found()).toEqual([]);
  const fails = (async function* () {
    yield Buffer.from('half');
    throw new Error('gone');
  })();
  await expect(store.put('p/f/a', fails)).rejects.toThrow('gone');
  expect(await found()).toEqual([]);
});

test('files of puts that were cut off are removed when they are old, and files that are no objects stay', async () => {
  await mkdir(join(root, 'p/f'), { recursive: true });
  for (const name of ['p/f/.part-old', 'p/f/.part-new', 'p/f/a', 'note.txt~']) await writeFile(join(root, name), 'x');
  await utimes(join(root, 'p/f/.part-old'), 1000, 1000);
  await utimes(join(root, 'p/f/a'), 1000, 1000);
  expect((await collected(store.list(''))).map(({ key }) => key)).toEqual(['p/f/a']);
  await store.removeUnfinished(new Date(Date.now() - 86_400_000));
  expect(await found()).toEqual(['note.txt~', 'p', 'p/f', 'p/f/.part-new', 'p/f/a']);
});

test('a disk that is nearly full takes nothing more, from the beginning or in the middle', async () => {
  await expect(store.put('p/f/a', one(), 2 ** 60)).rejects.toMatchObject({ code: 'server.busy', status: 503 });
  const fills = (async function* () {
    yield Buffer.alloc(MEGABYTE);
    changeLimit('storePart', 0);
    changeLimit('storeFreePercent', 100);
    changeLimit('storeFreeBytes', 2 ** 60);
    yield Buffer.alloc(1);
  })();
  await expect(store.put('p/f/a', fills)).rejects.toMatchObject({ code: 'server.busy', retryAfter: 60 });
  expect(await found()).toEqual([]);
  // Of the two, the one that is less is kept free.
  changeLimit('storeFreeBytes', 1);
  await store.put('p/f/a', one());
});

test('what the system refuses is 503, and nothing is left', async () => {
  await writeFile(join(root, 'p'), 'a file where a folder has to be');
  await expect(store.put('p/f/a', one())).rejects.toMatchObject({ code: 'file.unavailable', status: 503 });
  await mkdir(join(root, 'q/f/a'), { recursive: true });
  await expect(store.put('q/f/a', one())).rejects.toMatchObject({ code: 'file.unavailable' });
  expect(await found()).toEqual(['p', 'q', 'q/f', 'q/f/a']);
});

test('a file that is opened and not read is closed', async () => {
  await store.put('p/f/a', one());
  const handle = await open(join(root, 'p/f/a'));
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const stat = vi.spyOn(prototype, 'stat').mockRejectedValueOnce(new Error('EIO'));
  await expect(store.get('p/f/a')).rejects.toMatchObject({ code: 'file.unavailable' });
  expect((stat.mock.contexts[0] as FileHandle).fd).toBe(-1);
});

test('200 MB take no memory', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const inMemory = (): number => {
    collect();
    const { arrayBuffers, heapUsed } = process.memoryUsage();
    return arrayBuffers + heapUsed;
  };
  const before = inMemory();
  let most = 0;
  const content = (async function* () {
    for (let megabytes = 0; megabytes < 200; megabytes += 1) {
      for (let piece = 0; piece < 16; piece += 1) yield Buffer.alloc(MEGABYTE / 16, megabytes);
      if (megabytes % 50 === 49) most = Math.max(most, inMemory() - before);
    }
  })();
  await store.put('p/f/a', content, 200 * MEGABYTE);
  expect(await store.head('p/f/a')).toBe(200 * MEGABYTE);
  expect(most).toBeLessThan(MEGABYTE);
});
