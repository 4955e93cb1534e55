/** What is special about a bucket: signatures, parts, and a service that fails or is slow. */
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import { beforeEach, describe, expect, test } from 'vitest';
import type { BucketAddress } from '../../../src/config/store-address.js';
import { S3Store } from '../../../src/file/store/s3.store.js';
import { childrenOf, parseXml, textOf } from '../../../src/file/store/xml.js';
import { collected } from '../../support/collected.js';
import { lowerLimit } from '../../support/limits.js';
import { FakeS3, type Failure } from '../../support/s3.js';

const PART = 1000;
const unavailable = { code: 'file.unavailable', status: 503 };
let s3: FakeS3;
let address: BucketAddress;
let store: S3Store;

beforeEach(async () => {
  lowerLimit('storePart', PART);
  lowerLimit('storeUnpooled', PART / 2);
  lowerLimit('storeParts', 2 * PART);
  ({ s3, address } = await FakeS3.start());
  store = storeAt();
});

const storeAt = (other: Partial<BucketAddress> = {}): S3Store => new S3Store({ ...address, ...other }, 1);

async function* filled(length: number, step = 100): AsyncIterable<Uint8Array> {
  for (let from = 0; from < length; from += step) yield Buffer.alloc(Math.min(step, length - from), from / step);
}

/** Lets the first requests of a pattern fail. */
function failing(pattern: RegExp, failure: Failure, times = 1): void {
  let left = times;
  s3.fail = (request) => (pattern.test(request) && left-- > 0 ? failure : undefined);
}

const sent = (pattern: RegExp): number => s3.requests.filter((request) => pattern.test(request)).length;

test('a content of less than a part is one request; a larger one is sent in parts, each when it is full', async () => {
  await store.put('p/f/small', filled(PART - 1));
  expect(s3.requests).toEqual(['PUT /kind/p/f/small']);
  let most = 0;
  let pulled = 0;
  const watched = (async function* () {
    for await (const chunk of filled(20 * PART)) {
      pulled += chunk.length;
      const arrived = [...s3.uploads.values()].flatMap(({ parts }) => [...parts.values()]);
      most = Math.max(most, pulled - arrived.reduce((sum, { length }) => sum + length, 0));
      yield chunk;
    }
  })();
  await store.put('p/f/large', watched);
  expect(sent(/^PUT \/kind\/p\/f\/large\?partNumber=/)).toBe(20);
  expect(most).toBeLessThanOrEqual(PART + 100);
});

test('uploads share the memory for parts, and those that wait too long are refused', async () => {
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  let waiting = 0;
  const held = async function* () {
    yield Buffer.alloc(PART - 1);
    waiting += 1;
    await gate;
    yield Buffer.alloc(PART);
  };
  const first = [store.put('a/held', held()), store.put('b/held', held())];
  await expect.poll(() => waiting).toBe(2);
  let pulled = 0;
  const third = store.put(
    'c/waits',
    (async function* () {
      for await (const chunk of filled(2 * PART)) {
        pulled += chunk.length;
        yield chunk;
      }
    })(),
  );
  // What is small needs no turn.
  await store.put('d/small', filled(PART / 2));
  await expect.poll(() => pulled).toBe(PART / 2 + 100);
  lowerLimit('storePartSeconds', 0.02);
  await expect(store.put('e/waits', filled(PART))).rejects.toMatchObject({ code: 'server.busy', status: 503 });
  expect(pulled).toBe(PART / 2 + 100);
  open();
  await Promise.all([...first, third]);
  expect([...s3.objects.keys()].sort()).toEqual(['a/held', 'b/held', 'c/waits', 'd/small']);
});

test('lists page by page, and aborts uploads that were cut off', async () => {
  s3.page = 2;
  for (const name of ['a', 'b', 'c', 'd', 'e']) await store.put(`p/${name}`, filled(1));
  s3.objects.set('p/not a key', { body: Buffer.alloc(1), at: new Date() });
  expect((await collected(store.list('p/'))).map(({ key }) => key)).toEqual(['p/a', 'p/b', 'p/c', 'p/d', 'p/e']);
  expect(sent(/list-type=2/)).toBe(3);
  for (const id of ['1', '2', '3', '4', '5']) {
    s3.uploads.set(id, { key: 'p/x', at: new Date(id === '4' ? Date.now() : 0), parts: new Map() });
  }
  await store.removeUnfinished(new Date(Date.now() - 86_400_000));
  expect([...s3.uploads.keys()]).toEqual(['4']);
});

test('an upload whose content or store fails is aborted', async () => {
  const broken = (async function* () {
    yield* filled(2 * PART + 10);
    expect(s3.uploads.size).toBe(1);
    throw new RangeError('gone');
  })();
  await expect(store.put('p/a', broken)).rejects.toThrow(RangeError);
  s3.fail = (request) => (/partNumber=2/.test(request) ? [400, 'InvalidRequest'] : undefined);
  let ended = false;
  const content = (async function* () {
    try {
      yield* filled(9 * PART);
    } finally {
      ended = true;
    }
  })();
  await expect(store.put('p/b', content)).rejects.toMatchObject(unavailable);
  expect(ended).toBe(true);
  s3.fail = (request) => (/^POST .*uploadId=/.test(request) ? [400, 'EntityTooSmall'] : undefined);
  await expect(store.put('p/c', filled(3 * PART))).rejects.toMatchObject(unavailable);
  expect([s3.uploads.size, s3.objects.size]).toEqual([0, 0]);
});

describe('a failure that passes', () => {
  test.each<[string, RegExp, Failure, number]>([
    ['an error of the service', /^PUT/, [500, 'InternalError'], 2],
    ['too many requests', /^PUT/, [503, 'SlowDown'], 2],
    ['a closed connection', /^PUT/, 'unheard', 2],
    ['a part that was lost', /partNumber=2/, [500, ''], 2],
    ['a beginning that was lost', /\?uploads/, 'unheard', 1],
    ['an error in an answer of success', /^POST .*uploadId=/, [200, 'InternalError'], 1],
    ['an end whose answer was lost', /^POST .*uploadId=/, 'unheard', 1],
    ['half an answer', /^POST .*uploadId=/, 'half', 1],
    ['a proxy', /^PUT/, [502, ''], 1],
  ])('%s is tried again', async (_name, pattern, failure, times) => {
    failing(pattern, failure, times);
    await store.put('p/f/a', filled(2 * PART + 5));
    expect(s3.objects.get('p/f/a')?.body).toEqual(Buffer.concat(await collected(filled(2 * PART + 5))));
  });

  test('reading too', async () => {
    await store.put('p/f/a', filled(5));
    for (const pattern of [/^GET \/kind\/p/, /^HEAD/, /list-type/, /^DELETE/]) {
      failing(pattern, [503, 'SlowDown'], 2);
      expect(await store.head('p/f/a')).toBe(5);
      expect(await store.get('p/f/a').then((got) => got && buffer(got))).toEqual(Buffer.alloc(5));
      expect(await collected(store.list(''))).toHaveLength(1);
      await store.delete(['p/f/none']);
      expect(sent(pattern)).toBeGreaterThanOrEqual(3);
    }
  });
});

describe('a failure that stays is 503 without credentials', () => {
  const works = (): Record<string, () => Promise<unknown>> => ({
    put: () => store.put('p/a', filled(1)),
    'put of parts': () => store.put('p/a', filled(2 * PART)),
    get: () => store.get('p/a'),
    head: () => store.head('p/a'),
    delete: () => store.delete(['p/a']),
    list: () => collected(store.list('')),
    removeUnfinished: () => store.removeUnfinished(new Date()),
  });

  async function expectUnavailable(but: readonly string[] = []): Promise<void> {
    for (const [name, work] of Object.entries(works()).filter(([other]) => !but.includes(other))) {
      const refused: unknown = await work().catch((error: unknown) => error);
      expect(refused, name).toMatchObject({ ...unavailable, retryAfter: 5 });
      expect(inspect(refused, { depth: 10 })).not.toMatch(/sec\/ret|sec%2F|KEY|Signature=/);
    }
  }

  test.each<[string, Failure]>([
    ['errors', [500, 'InternalError']],
    ['refusals', [403, 'AccessDenied']],
    ['redirects', [301, 'PermanentRedirect']],
    ['answers of something else', [404, '']],
    ['lost answers', 'unheard'],
  ])('%s', async (name, failure) => {
    s3.fail = () => failure;
    await expectUnavailable(name === 'answers of something else' ? ['head'] : []);
  });

  test('a service that never answers', async () => {
    lowerLimit('storeSeconds', 0.1);
    s3.fail = () => 'silent';
    await expectUnavailable();
    expect(sent(/^GET \/kind\/p/)).toBeLessThanOrEqual(1);
  });

  test('one that is not there, and a bucket that is not', async () => {
    store = storeAt({ origin: 'http://127.0.0.1:1' });
    await expectUnavailable();
    store = storeAt({ bucket: 'another' });
    await expectUnavailable(['head']);
  });

  test.each<[string, Partial<BucketAddress>]>([
    ['secret', { secret: 'wrong' }],
    ['key', { key: 'wrong' }],
    ['region', { region: 'wrong' }],
  ])('a wrong %s, at once', async (_name, wrong) => {
    store = storeAt(wrong);
    await expectUnavailable();
    expect(sent(/^PUT/)).toBe(1);
    expect(s3.objects.size).toBe(0);
  });

  test('a clock that differs, and requests without a signature', async () => {
    s3.ahead = 3_600_000;
    await expectUnavailable();
    s3.ahead = 0;
    const anonymous = await fetch(`${address.origin}/kind/p/a`);
    expect([anonymous.status, await anonymous.text()]).toEqual([403, expect.stringContaining('AccessDenied')]);
  });
});

describe('an object that is read', () => {
  const content = Buffer.alloc(300_000, 'x');
  const read = async (): Promise<Buffer> => buffer((await store.get('p/a')) as Readable);

  beforeEach(() => void s3.objects.set('p/a', { body: content, at: new Date() }));

  test('fails if it is cut off, or the rest does not come', async () => {
    s3.fail = () => 'half';
    await expect(read()).rejects.toMatchObject(unavailable);
    lowerLimit('storeSeconds', 0.1);
    s3.fail = () => 'halfway';
    await expect(read()).rejects.toMatchObject(unavailable);
  });

  test('fails if another range is answered', async () => {
    s3.fail = () => [200, 'x'];
    await expect(store.get('p/a', { first: 1, last: 5 })).rejects.toMatchObject(unavailable);
  });

  test('waits for its reader, who may go', async () => {
    lowerLimit('storeSeconds', 0.5);
    const stream = (await store.get('p/a')) as Readable;
    await delay(600);
    expect((await buffer(stream)).equals(content)).toBe(true);
    s3.fail = () => 'halfway';
    const given = (await store.get('p/a')) as Readable;
    given.on('error', () => undefined).destroy(new Error('the client is gone'));
    await expect.poll(() => s3.open).toBe(0);
  });
});

describe('XML', () => {
  test('is read', () => {
    const root = parseXml(
      '<?xml version="1.0"?>\n<A xmlns="x"><B>1 &lt;&amp;&#x41;&#66;</B><C/><B >2</B><D>\n<B>3</B></D></A>\n',
    );
    expect(childrenOf(root, 'B').map(({ text }) => text)).toEqual(['1 <&AB', '2']);
    expect(childrenOf(root, 'D').map((d) => textOf(d, 'B'))).toEqual(['3']);
    expect([textOf(root, 'C'), textOf(root, 'E')]).toEqual(['', undefined]);
    expect(() => textOf(root, 'B')).toThrow(SyntaxError);
  });

  test.each([
    '',
    'text',
    '<A>',
    '</A>',
    '<A></B>',
    '<A><B></A></B>',
    '<A/><B/>',
    '<A/>text',
    '<A>&nbsp;</A>',
    '<A>& </A>',
    '<A>&lt</A>',
    '<!DOCTYPE A [<!ENTITY b "c">]><A>&b;</A>',
    '<A><![CDATA[x]]></A>',
    '<A b=c/>',
    '<A>&#x110000;</A>',
    '<a>'.repeat(11) + '</a>'.repeat(11),
  ])('%j is none', (source) => expect(() => parseXml(source)).toThrow(SyntaxError));
});
