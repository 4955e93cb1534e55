/**
 * What tenants can take of the connections without using a processor: imports and edits of two projects wait for rows
 * that somebody has locked, and a third project goes on. Beside waits for the same rows straight in PostgreSQL.
 */
import { inject } from 'vitest';
import { expect, it } from 'vitest';
import { Client } from 'pg';
import { setTimeout as delay } from 'node:timers/promises';
import { asMember, defineKinds } from '../support/callers.js';
import { createdId, ok } from '../support/definitions.js';
import { startTestService, type TestProject } from '../support/service.js';

/** Seconds of each measurement. */
const SECONDS = 4;
/** Requests of the quiet project at the same time: reads, and writes. */
const QUIET = { reads: 4, writes: 2 };
/** Edits of each noisy project that wait for rows at the same time. */
const EDITS = 40;
const ROWS = 200;

const service = await startTestService({ databasePool: 10 });

async function projectWithItems(): Promise<TestProject> {
  const project = await service.project();
  await defineKinds(project, {
    id: 'item',
    access: { create: 'member', read: 'member', update: 'member' },
    parameters: [
      { id: 'code', kind_id: 'string', is_primary: true },
      { id: 'n', kind_id: 'integer' },
    ],
  });
  await ok(
    project.post(
      '/item/unit',
      Array.from({ length: ROWS }, (_, at) => ({ code: `c${at}`, n: 0 })),
    ),
  );
  return project;
}

const [first, second, quiet] = [await projectWithItems(), await projectWithItems(), await projectWithItems()];
await defineKinds(quiet, { id: 'note', parameters: [{ id: 'text', kind_id: 'string' }] });
const note = await createdId(quiet.post('/note/unit', { text: 'one' }));

interface Figures {
  /** Of a second. */
  readonly reads: number;
  readonly writes: number;
  /** Milliseconds. */
  readonly readP99: number;
  readonly writeP99: number;
  readonly refused: number;
}

async function measure(): Promise<Figures> {
  const end = performance.now() + SECONDS * 1000;
  let refused = 0;
  const loop = async (times: number[], ask: () => Promise<{ readonly status: number }>): Promise<void> => {
    while (performance.now() < end) {
      const begun = performance.now();
      const { status } = await ask();
      if (status === 200) times.push(performance.now() - begun);
      else refused += 1;
    }
  };
  const [reads, writes]: [number[], number[]] = [[], []];
  await Promise.all([
    ...Array.from({ length: QUIET.reads }, () => loop(reads, () => quiet.get(`/note/unit/${note}`))),
    ...Array.from({ length: QUIET.writes }, () => loop(writes, () => quiet.post('/note/unit', { text: 'more' }))),
  ]);
  return {
    reads: reads.length / SECONDS,
    writes: writes.length / SECONDS,
    readP99: p99(reads),
    writeP99: p99(writes),
    refused,
  };
}

function p99(times: number[]): number {
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Infinity;
}

async function connect(): Promise<Client> {
  const database = inject('database');
  const client = new Client('url' in database ? database.url : database);
  await client.connect();
  return client;
}

const TABLES = [first, second].map(({ id }) => `"project_${id}"."item"`);

/** Measures while all rows of the noisy projects are locked, and what `wait` begins waits for them. */
async function whileLocked(wait: () => Promise<() => Promise<unknown>>): Promise<Figures> {
  const holders = await Promise.all(TABLES.map(connect));
  for (const [at, holder] of holders.entries())
    await holder.query(['BEGIN; UPDATE', TABLES[at], 'SET n = 2'].join(' '));
  const end = await wait();
  // Longer than a statement waits for a lock at first.
  await delay(500);
  const figures = await measure();
  for (const holder of holders) await holder.query('ROLLBACK');
  await end();
  await Promise.all(holders.map((holder) => holder.end()));
  return figures;
}

/** Edits that wait straight in PostgreSQL. */
async function direct(): Promise<() => Promise<unknown>> {
  const waiters = await Promise.all(
    TABLES.flatMap((table) => Array.from({ length: 4 }, async () => ({ table, client: await connect() }))),
  );
  const waiting = waiters.map(({ table, client }) =>
    client.query(['UPDATE', table, "SET n = 3 WHERE id = 'c1'"].join(' ')),
  );
  return async () => {
    await Promise.all(waiting);
    await Promise.all(waiters.map(({ client }) => client.end()));
  };
}

/** Imports and edits of members that wait for the same rows, and are sent again when they are refused. */
async function throughService(): Promise<() => Promise<unknown>> {
  const members = [await asMember(first), await asMember(second)];
  let over = false;
  const again = async (send: () => Promise<unknown>): Promise<void> => {
    while (!over) await send();
  };
  const file = `code,n\n${Array.from({ length: ROWS }, (_, at) => `c${at},1\n`).join('')}`;
  const headers = { 'content-type': 'text/csv' };
  const waiting = members.flatMap((member) => [
    ...[0, 1].map(() => again(() => member.call('POST', '/item/import?on_conflict=update&by=code', file, { headers }))),
    ...Array.from({ length: EDITS }, (_, at) => again(() => member.put(`/item/unit/c${at}`, { n: at }))),
  ]);
  return () => {
    over = true;
    return Promise.all(waiting);
  };
}

it('a third project goes on as beside the same waits in PostgreSQL itself', { timeout: 120_000 }, async () => {
  await measure();
  const alone = await measure();
  const beside = await whileLocked(direct);
  const besideUs = await whileLocked(throughService);
  console.table({ alone, 'beside PostgreSQL': beside, 'beside the service': besideUs });
  expect(besideUs.refused).toBe(0);
  // What is refused and sent again takes processor time, which waits in PostgreSQL do not.
  expect(besideUs.reads).toBeGreaterThan(beside.reads / 3);
  expect(besideUs.readP99).toBeLessThan(5 * Math.max(beside.readP99, 5));
  expect(besideUs.writeP99).toBeLessThan(5 * Math.max(beside.writeP99, 10));
});
