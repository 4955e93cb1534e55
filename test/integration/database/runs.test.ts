/** Repeated runs of a transaction: the locks that each takes before its snapshot, and when there are no more runs. */
import { afterAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { trackContention, type ContentionTarget } from '../../../src/database/transaction/contention.js';
import { createDataSource } from '../../../src/database/connection/data-source.js';
import { Database, type Transaction } from '../../../src/database/database.js';
import type { KindDef } from '../../../src/model/model.js';
import { KindError } from '../../../src/shared/errors.js';
import type { Statement } from '../../../src/sql/fragment.js';
import { sideConnection } from '../../support/side-connection.js';
import { keyField } from '../../../src/model/field.js';

const dataSource = createDataSource(inject('database'), { pool: 4 });
await dataSource.initialize();
afterAll(() => dataSource.destroy());
const database = new Database(dataSource);
const side = await sideConnection();

const SCHEMA = 'runs_test';
const statement = (text: string, ...values: unknown[]): Statement => ({ text, values });
const run = (text: string) => database.run(statement(text));
await run(`DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE`);
await run(`CREATE SCHEMA ${SCHEMA}`);
for (const table of ['one', 'two']) await run(`CREATE TABLE ${SCHEMA}.${table} ("id" text PRIMARY KEY, n int)`);
afterAll(() => side.rows(`DROP SCHEMA ${SCHEMA} CASCADE`));
beforeEach(async () => {
  await run(`TRUNCATE ${SCHEMA}.one, ${SCHEMA}.two`);
  for (const table of ['one', 'two']) await run(`INSERT INTO ${SCHEMA}.${table} VALUES ('a', 0), ('b', 0)`);
});

const kindOf = (table: string) =>
  ({ table, fields: new Map(), keyField: keyField('natural', undefined) }) as unknown as KindDef;
const unit = (table: string, ...keys: string[]): ContentionTarget => {
  return { schema: SCHEMA, table, units: { schema: SCHEMA, kind: kindOf(table), keys, forDelete: false } };
};
const FAILURE = statement(`DO $$ BEGIN RAISE EXCEPTION 'provoked' USING ERRCODE = '40001'; END $$`);
const failing = (tx: Transaction, contended: ContentionTarget) =>
  trackContention(
    () => contended,
    () => tx.run(FAILURE),
  );
/** The tables that somebody keeps all others out of but readers. */
const tablesHeld = async () => {
  const found = await side.rows<{ relname: string }>(
    `SELECT c.relname FROM pg_locks AS l JOIN pg_class AS c ON c.oid = l.relation WHERE c.relnamespace = '${SCHEMA}'::regnamespace AND c.relkind = 'r' AND l.mode = 'ExclusiveLock' ORDER BY 1`,
  );
  return found.map(({ relname }) => relname);
};
/** The rows that nobody else can lock. */
const rowsHeld = async () => {
  const free = await side.rows<{ id: string }>(
    `SELECT 'one ' || id AS id FROM (SELECT id FROM ${SCHEMA}.one FOR UPDATE SKIP LOCKED) AS a UNION ALL SELECT 'two ' || id FROM (SELECT id FROM ${SCHEMA}.two FOR UPDATE SKIP LOCKED) AS b`,
  );
  return ['one a', 'one b', 'two a', 'two b'].filter((row) => !free.some(({ id }) => id === row));
};

describe('a run', () => {
  it('locks nothing the first time, and later the units on which earlier runs failed, in a fixed order', async () => {
    const seen: unknown[] = [];
    await database.transaction(async (tx) => {
      await tx.run(statement('SELECT 1'));
      seen.push(await rowsHeld());
      if (seen.length === 1) await failing(tx, unit('two', 'b'));
      if (seen.length === 2) await failing(tx, unit('one', 'b', 'a'));
    });
    expect(seen).toEqual([[], ['two b'], ['one a', 'one b', 'two b']]);
  });

  it('after four locks the tables for all writers', async () => {
    const seen: unknown[] = [];
    await database.transaction(async (tx) => {
      seen.push(await tablesHeld());
      if (seen.length < 5) await failing(tx, unit('one', 'a'));
    });
    expect(seen).toEqual([[], [], [], [], ['one']]);
  });

  it('sees the changes of the transactions for which it waited', async () => {
    let runs = 0;
    const [row] = await database.transaction(async (tx) => {
      runs += 1;
      const read = await tx.run<{ n: number }>(statement(`SELECT n FROM ${SCHEMA}.one WHERE id = 'a'`));
      if (runs === 1) {
        await side.rows(`UPDATE ${SCHEMA}.one SET n = 41 WHERE id = 'a'`);
        await trackContention(
          () => unit('one', 'a'),
          () => tx.run(statement(`UPDATE ${SCHEMA}.one SET n = n + 1 WHERE id = 'a'`)),
        );
      }
      await tx.run(statement(`UPDATE ${SCHEMA}.one SET n = $1::int + 1 WHERE id = 'a'`, read[0]?.n));
      return tx.run<{ n: number }>(statement(`SELECT n FROM ${SCHEMA}.one WHERE id = 'a'`));
    });
    expect([runs, row?.n]).toEqual([2, 42]);
  });

  it('waits for its turn without a connection', async () => {
    const entered: string[] = [];
    let running = 0;
    const work = (name: string) => async (tx: Transaction) => {
      const first = !entered.includes(name);
      entered.push(name);
      if (first) return failing(tx, unit('one', 'a'));
      running += 1;
      expect(running).toBe(1);
      await tx.run(statement(`UPDATE ${SCHEMA}.one SET n = n + 1 WHERE id = 'a'`));
      running -= 1;
    };
    // More than there are connections.
    await Promise.all(Array.from({ length: 12 }, (_, at) => database.transaction(work(`${at}`))));
    expect(await run(`SELECT n FROM ${SCHEMA}.one WHERE id = 'a'`)).toEqual([{ n: 12 }]);
  });
});

it('without time left, the error says that other transactions are in the way', async () => {
  const runs = database.runs({ timeout: 50 });
  const refused = database.transaction((tx) => failing(tx, unit('one', 'a')), { runs });
  await expect(refused).rejects.toMatchObject({ code: 'server.busy', status: 503, retryAfter: 1 });
  await expect(refused).rejects.toBeInstanceOf(KindError);
});

it('recently contended units are locked immediately by the same call, and by no other', async () => {
  const runsOf = (name: string) => database.runs({ workKey: () => name });
  let runs = 0;
  const once = async (tx: Transaction) => {
    if (runs++ === 0) await failing(tx, unit('one', 'a'));
  };
  await database.transaction(once, { runs: runsOf('the same') });
  const rows = async (name: string) => database.transaction(rowsHeld, { runs: runsOf(name) });
  expect([await rows('the same'), await rows('something else')]).toEqual([['one a'], []]);
});

it('effects of the last run are applied when no further run follows', async () => {
  const told: string[] = [];
  let runs = 0;
  await database.transaction(async (tx) => {
    const run = (runs += 1);
    tx.runs.onEnd(() => void told.push(`run ${run}`));
    if (run === 1) await failing(tx, unit('one', 'a'));
    expect(told).toEqual([]);
  });
  expect(told).toEqual(['run 2']);
});

it('the check before COMMIT can fail it, and is not sent at READ COMMITTED', async () => {
  const fails = statement('SELECT 1/0');
  const work = (tx: Transaction) => Promise.resolve(tx.beforeCommit(fails));
  await expect(database.transaction(work)).rejects.toMatchObject({ code: '22012' });
  await database.transaction(work, { isolation: 'read committed' });
});
