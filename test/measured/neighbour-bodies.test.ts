/** One project sends the largest bodies that it may; another one, which reads one unit at a time, does not wait for it. */
import { afterAll, expect, it } from 'vitest';
import { defineKinds } from '../support/callers.js';
import { ok } from '../support/definitions.js';
import { beside } from '../support/neighbour.js';
import { Sender } from '../support/sender.js';
import { sharedService } from '../support/service.js';

const service = await sharedService();
const quiet = await service.project();
const project = await service.project();
await defineKinds(
  project,
  { id: 'other', label: 'Other', parameters: [{ id: 'name', kind_id: 'string' }] },
  {
    id: 'thing',
    label: 'Thing',
    parameters: [
      { id: 'times', kind_id: 'datetime', multiple: true, unique: true },
      { id: 'amounts', kind_id: 'decimal', multiple: true, unique: true },
      { id: 'parts', kind_id: 'json', multiple: true, unique: true },
      { id: 'counts', kind_id: 'integer', multiple: true },
      { id: 'words', kind_id: 'string', multiple: true, pattern: '^[a-z0-9]+$' },
      { id: 'data', kind_id: 'json' },
      { id: 'body', kind_id: 'text' },
      { id: 'other', kind_id: 'unit', reference_kind: 'other' },
    ],
  },
);
await defineKinds(project, { id: 'node', parameters: [{ id: 'code', kind_id: 'string', is_primary: true }] });
await ok(
  project.post(
    '/node/unit',
    Array.from({ length: 1000 }, (_, n) => ({ code: `n${n}` })),
  ),
);
await ok(project.post('/link/unit', { id: 'tie', parameters: ['counts', 'words', 'data'] }));
const sender = new Sender(project);
afterAll(() => sender.stop());

/** Milliseconds: what one of the bodies held everybody up before was several times as long, on a machine with nothing else to do. */
const BOUND = 1000;

const list = (count: number, item: string) => `Array.from({ length: ${count} }, (_, n) => ${item}).join()`;

it.each<[string, string, number]>([
  [
    'unique datetimes in one value',
    `'{"times":[' + ${list(80_000, `'"' + new Date(1e12 + n * 1000).toISOString() + '"'`)} + ']}'`,
    200,
  ],
  ['unique decimals in one value', `'{"amounts":[' + ${list(80_000, `'"' + n + '.1234567890123456789"'`)} + ']}'`, 200],
  [
    'unique JSON values in one value',
    `'{"parts":[' + ${list(60_000, `'{"z":' + n + ',"a":{"c":1,"b":[' + n + ']}}'`)} + ']}'`,
    200,
  ],
  ['texts with a pattern in one value', `'{"words":[' + ${list(400_000, `'"w' + n + '"'`)} + ']}'`, 400],
  ['very many keys', `'{"data":{' + ${list(1_200_000, `'"k' + n + '":1'`)} + '}}'`, 400],
  ['lists inside lists', `'{"data":[' + ${list(80_000, `'['.repeat(90) + ']'.repeat(90)`)} + ']}'`, 400],
  ['a text of escapes', `'{"body":"' + '\\\\"'.repeat(4e6) + '"}'`, 200],
  ['a thousand units of long lists', `'[' + ${list(1000, `'{"counts":[' + ${list(200, 'n')} + ']}'`)} + ']'`, 200],
  [
    'a thousand units around others with unknown keys',
    `'[' + ${list(1000, `'{"other":{' + ${list(500, `'"k' + n + '":1'`)} + '}}'`)} + ']'`,
    400,
  ],
])('keep nobody waiting: %s', async (_, body, status) => {
  const { result, held, waits } = await beside(quiet, '/kind/unit/string', () =>
    sender.send('POST', '/thing/unit', body),
  );
  expect([result.status, result.head]).toEqual([status, expect.anything()]);
  expect(held).toBeLessThan(BOUND);
  expect(Math.max(...waits)).toBeLessThan(BOUND);
});

/** A body of links to a thousand units, with values. */
const links = (values: string) =>
  `'{"replace":true,"items":[' + ${list(1000, `'{"kind_id":"node","id":"n' + n + '",' + ${values} + '}'`)} + ']}'`;

it.each<[string, string, readonly number[]]>([
  ['long lists', links(`'"counts":[' + ${list(300, 'n')} + ']'`), [200]],
  // How many texts are matched in the time that a request has depends on the machine.
  ['texts with a pattern', links(`'"words":[' + ${list(200, `'"w' + n + '"'`)} + ']'`), [200, 400]],
  ['unknown keys', links(list(500, `'"k' + n + '":1'`)), [400]],
])('keep nobody waiting: a thousand links with %s', async (_, body, statuses) => {
  const { result, held, waits } = await beside(quiet, '/kind/unit/string', () =>
    sender.send('POST', '/node/unit/n0/link/tie/child', body),
  );
  expect(statuses, result.head).toContain(result.status);
  expect(held).toBeLessThan(BOUND);
  expect(Math.max(...waits)).toBeLessThan(BOUND);
});

it('do not block others: pages of large units, and several bodies at once', async () => {
  const bodies = Array.from({ length: 4 }, () => `'{"body":"' + 'x'.repeat(3e6) + '"}'`);
  const { result, held, waits } = await beside(quiet, '/kind/unit/string', async () => [
    ...(await Promise.all(bodies.map((body) => sender.send('POST', '/thing/unit', body)))),
    ...(await Promise.all(bodies.map(() => sender.send('GET', '/thing/unit?include=body&limit=5&order=id;desc')))),
  ]);
  expect(result.map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect(held).toBeLessThan(BOUND);
  expect(Math.max(...waits)).toBeLessThan(BOUND);
});
