/** Access to PostgreSQL: limits, retries, prepared statements, work after a commit, and the conversion of errors. */
import { Client, type Pool, type PoolClient } from 'pg';
import { describe, expect, inject, it, vi } from 'vitest';
import { atEnd } from '../../support/at-end.js';
import { createDataSource } from '../../../src/database/connection/data-source.js';
import { openPool } from '../../../src/database/connection/open-pool.js';
import { Database, type CommitWitness, type Transaction } from '../../../src/database/database.js';
import { commonRefusal } from '../../../src/database/statement/sqlstate.js';
import { FunctionError } from '../../../src/kit/function-error.js';
import { KindError, refusal } from '../../../src/shared/errors.js';
import type { Statement } from '../../../src/sql/fragment.js';
import { observeStatements } from '../../support/sent-statements.js';
import { sideConnection } from '../../support/side-connection.js';

async function open(pool = 2, statementTimeout = 30_000): Promise<{ database: Database; failures: unknown[] }> {
  const { dataSource } = await openPool(inject('database'), {
    pool,
    statementTimeout,
    idleTimeout: 15_000,
    warn: () => undefined,
  });
  atEnd(() => dataSource.destroy());
  const failures: unknown[] = [];
  return { database: new Database(dataSource, { onAfterCommitError: (error) => failures.push(error) }), failures };
}

const statement = (text: string, ...values: unknown[]): Statement => ({ text, values });
const prepared = (text: string, ...values: unknown[]): Statement => ({ text, values, prepare: true });
const raising = (code: string) => statement(`DO $$ BEGIN RAISE EXCEPTION 'provoked' USING ERRCODE = '${code}'; END $$`);
const pid = async (database: Database) =>
  (await database.run<{ pid: number }>(statement('SELECT pg_backend_pid() AS pid')))[0]?.pid;

async function refusalOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'nothing';
  } catch (error) {
    return error instanceof KindError
      ? error.code
      : `${(error as { code?: string }).code ?? ''} ${(error as Error).message}`;
  }
}

const { database } = await open();
/** As for changes of definitions: each statement sees what was committed before it. */
const COMMITTED = { isolation: 'read committed' } as const;

describe('an error while an answer is read', () => {
  it.each<[string, (database: Database, statement: Statement) => Promise<unknown>]>([
    ['alone', (one, what) => one.run(what)],
    ['in a transaction', (one, what) => one.transaction((tx) => tx.run(what))],
  ])('is one of its query, and the end of its connection only: %s', async (_, ask) => {
    const dataSource = createDataSource(inject('database'), { pool: 1 });
    await dataSource.initialize();
    const one = new Database(dataSource);
    const before = await pid(one);
    const { master } = dataSource.driver as unknown as { master: Pool };
    master.once('acquire', (client: PoolClient) => {
      client.once('notice', () => {
        throw new Error('unreadable');
      });
    });
    const notice = statement("DO $$ BEGIN RAISE WARNING 'something'; END $$");
    expect(await refusalOf(ask(one, notice))).toBe(' unreadable');
    expect(await pid(one)).not.toBe(before);
    await dataSource.destroy();
  });
});

describe('an error of PostgreSQL', () => {
  it.each([
    ['57014', 'query.timeout'],
    ['55P03', 'database.busy'],
    ['40001', 'database.busy'],
    ['40P01', 'database.busy'],
    ['57P01', 'database.unavailable'],
    ['57P02', 'database.unavailable'],
    ['57P03', 'database.unavailable'],
    ['08006', 'database.unavailable'],
    ['53300', 'database.unavailable'],
    ['3D000', 'database.unavailable'],
    ['25006', 'database.unavailable'],
  ])('%s is %s', async (code, refusal) => {
    expect(await refusalOf(database.run(raising(code)))).toBe(refusal);
    expect(await refusalOf(database.transaction((tx) => tx.run(raising(code)), COMMITTED))).toBe(refusal);
  });

  it.each(['22012', '23505', '42601', 'P0001', 'XX000'])(
    '%s is told as it is, for those who know what it means',
    async (code) => {
      expect(await refusalOf(database.run(raising(code)))).toBe(`${code} provoked`);
    },
  );

  it('leaves the connection usable', async () => {
    const { database: single } = await open(1);
    const before = await pid(single);
    for (let round = 0; round < 5; round += 1) await refusalOf(single.run(statement('SELECT nonsense')));
    expect(await pid(single)).toBe(before);
    await refusalOf(single.transaction((tx) => tx.run(statement('SELECT nonsense'))));
    expect(await single.run(statement('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
  });
});

describe('a connection', () => {
  it('to a read-only server is replaced', async () => {
    const { database: own } = await open(1);
    const before = await pid(own);
    await refusalOf(own.transaction((tx) => tx.run(raising('25006'))));
    expect(await pid(own)).not.toBe(before);
  });

  it.each([
    ['alone', (own: Database, points: number) => own.run({ ...statement('SELECT 1'), points })],
    [
      'in a transaction',
      (own: Database, points: number) => own.transaction((tx) => tx.run({ ...statement('SELECT 1'), points })),
    ],
    ['that fails', (own: Database, points: number) => refusalOf(own.run({ ...statement('SELECT nonsense'), points }))],
  ])('that was sent a statement that takes much memory is replaced: one %s', async (_, send) => {
    const { database: own } = await open(1);
    const before = await pid(own);
    await send(own, 1000);
    expect(await pid(own)).toBe(before);
    await send(own, 1001);
    expect(await pid(own)).not.toBe(before);
  });

  it('that has used many tables of projects is replaced: its backend keeps what it has read about each', async () => {
    const { database: own } = await open(1);
    const before = await pid(own);
    const use = (table: number) => own.run(prepared(`SELECT to_regclass('"project_x"."t${table}"')`));
    for (let round = 0; round < 3; round += 1) for (let at = 0; at < 199; at += 1) await use(at);
    expect(await pid(own)).toBe(before);
    for (let at = 199; at <= 400; at += 1) await use(at);
    expect(await pid(own)).not.toBe(before);
    const many = Array.from({ length: 401 }, (_, at) => `to_regclass('"project_y"."t${at}"')`).join(', ');
    const again = await pid(own);
    await own.transaction((tx) => tx.run(statement(`SELECT ARRAY[${many}]`)));
    expect(await pid(own)).not.toBe(again);
  });

  it('that has prepared a statement is preferred for it, among those that are idle', async () => {
    const { database: own } = await open(2);
    const ask = async () => (await own.run<{ pid: number }>(prepared('SELECT pg_backend_pid() AS pid')))[0]?.pid;
    const first = await ask();
    expect(await ask()).toBe(first);
    const hold = async () => {
      let end = (): void => undefined;
      const ended = new Promise<void>((resolve) => (end = resolve));
      let done: Promise<void> | undefined;
      const held = await new Promise<number | undefined>((resolve) => {
        done = own.transaction(async (tx) => {
          const [row] = await tx.run<{ pid: number }>(statement('SELECT pg_backend_pid() AS pid'));
          resolve(row?.pid);
          await ended;
        });
      });
      return { pid: held, end: () => (end(), done) };
    };
    // The pool takes the one that was released last.
    const [one, two] = [await hold(), await hold()];
    await one.end();
    await two.end();
    expect(one.pid).toBe(first);
    expect(two.pid).not.toBe(first);
    expect(await pid(own)).toBe(two.pid);
    expect(await ask()).toBe(first);
  });

  it('whose statement timed out is replaced, and the statement is cancelled', async () => {
    const { database: own } = await open(1);
    const before = await pid(own);
    expect(await own.withTimeout(5000).run(statement('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
    expect(await pid(own)).toBe(before);
    expect(await refusalOf(own.withTimeout(20).run(statement('SELECT pg_sleep(20)')))).toBe('query.timeout');
    expect(await pid(own)).not.toBe(before);
  });

  it('whose ROLLBACK failed is replaced', async () => {
    const { database: own } = await open(1);
    const before = await pid(own);
    const work = own.transaction(async (tx) => {
      await tx.run(statement('SELECT 1'));
      // As a timeout of the client, or a network that drops it, would.
      const query = Reflect.get(Client.prototype, 'query') as (...args: unknown[]) => unknown;
      const spy = vi.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...args: unknown[]) {
        if (args[0] !== 'ROLLBACK') return Reflect.apply(query, this, args) as never;
        spy.mockRestore();
        return Promise.reject(new Error('Query read timeout')) as never;
      });
      throw new Error('work failed');
    });
    expect(await refusalOf(work)).toBe(' work failed');
    expect(await pid(own)).not.toBe(before);
  });

  it('that is closed during other work of its transaction affects nothing else', async () => {
    const { database: own } = await open(1);
    const work = own.transaction(async (tx) => {
      const [row] = await tx.run<{ pid: number }>(statement('SELECT pg_backend_pid() AS pid'));
      await database.run(statement('SELECT pg_terminate_backend($1::int, 5000)', row?.pid));
      await tx.run(statement('SELECT 1'));
    });
    expect(await refusalOf(work)).toBe('database.unavailable');
    expect(await own.run(statement('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
  });

  it('to a host that cannot be reached is 503', () => {
    expect(commonRefusal(Object.assign(new Error('no route'), { code: 'EHOSTUNREACH' }))?.code).toBe(
      'database.unavailable',
    );
  });
});

describe('a limit', () => {
  it('of time ends a statement', async () => {
    const { database: brief } = await open(1, 50);
    expect(await refusalOf(brief.run(statement('SELECT pg_sleep(30)')))).toBe('query.timeout');
    expect(await brief.run(statement('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
  });

  it('of time can be changed for a transaction, and ends with it', async () => {
    const slow = (tx: Transaction) => tx.run(statement('SELECT pg_sleep(30)'));
    expect(await refusalOf(database.transaction(slow, { statementTimeout: 50 }))).toBe('query.timeout');
    const [row] = await database.run<{ statement_timeout: string }>(statement('SHOW statement_timeout'));
    expect(row?.statement_timeout).toBe('30s');
  });

  it('of waiting for a lock is 503', async () => {
    const { database: holder } = await open(1);
    await holder.transaction(async (tx) => {
      await tx.run(statement('SELECT pg_advisory_xact_lock(4711)'));
      const waiting = database.transaction((other) => other.run(statement('SELECT pg_advisory_xact_lock(4711)')), {
        ...COMMITTED,
        lockTimeout: 20,
      });
      expect(await refusalOf(waiting)).toBe('database.busy');
    });
  });

  it('of connections lets requests wait for their turn', async () => {
    const { database: single } = await open(1);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, at) => single.run<{ at: number }>(statement('SELECT $1::int AS at', at))),
    );
    expect(answers.flat().map(({ at }) => at)).toEqual(Array.from({ length: 50 }, (_, at) => at));
  });
});

describe('a transaction', () => {
  it('is tried again as a whole after a serialization failure', async () => {
    let tries = 0;
    const work = async (tx: Transaction) => {
      tries += 1;
      if (tries < 3) await tx.run(raising('40001'));
      return tries;
    };
    expect(await database.transaction(work)).toBe(3);
  });

  it('gives up after five attempts at READ COMMITTED', async () => {
    let tries = 0;
    const work = (tx: Transaction) => {
      tries += 1;
      return tx.run(raising('40P01'));
    };
    expect(await refusalOf(database.transaction(work, COMMITTED))).toBe('database.busy');
    expect(tries).toBe(5);
  });

  it('is not tried again for any other error', async () => {
    let tries = 0;
    const work = (tx: Transaction) => {
      tries += 1;
      return tx.run(raising('23505'));
    };
    await refusalOf(database.transaction(work));
    expect(tries).toBe(1);
  });

  it('that meets a real deadlock succeeds, and so does the other', async () => {
    let waiting = 2;
    let open!: () => void;
    const bothHold = new Promise<void>((resolve) => (open = resolve));
    const lock = (tx: Transaction, key: number) => tx.run(statement('SELECT pg_advisory_xact_lock($1)', key));
    const crossing = (first: number, second: number) =>
      database.transaction(async (tx) => {
        await lock(tx, first);
        waiting -= 1;
        if (waiting === 0) open();
        await bothHold;
        await lock(tx, second);
        return first;
      });
    expect(await Promise.all([crossing(47121, 47122), crossing(47122, 47121)])).toEqual([47121, 47122]);
    expect(waiting).toBeLessThan(0);
  });

  it('leaves nothing behind if its work fails', async () => {
    await database.run(statement('CREATE TABLE IF NOT EXISTS public.left_over (n int)'));
    const failing = database.transaction(async (tx) => {
      await tx.run(statement('INSERT INTO public.left_over VALUES (1)'));
      throw new Error('not of the database');
    });
    expect(await refusalOf(failing)).toBe(' not of the database');
    expect(await database.run(statement('SELECT * FROM public.left_over'))).toEqual([]);
    await database.run(statement('DROP TABLE public.left_over'));
  });

  it('that is read-only cannot write', async () => {
    const work = (tx: Transaction) => tx.run(statement('CREATE TABLE public.never (n int)'));
    expect(await refusalOf(database.transaction(work, { readOnly: true }))).toMatch(/^25006/);
  });

  it('whose process is silent for too long is ended with its locks, and answered as an unavailable database', async () => {
    const limits = { pool: 1, statementTimeout: 30_000, idleTimeout: 200, warn: () => undefined };
    const { dataSource } = await openPool(inject('database'), limits);
    atEnd(() => dataSource.destroy());
    const own = new Database(dataSource);
    const silent = own.transaction(async (tx) => {
      await tx.run(statement('SELECT pg_advisory_xact_lock(47140)'));
      // As long as it takes: the process of this one is stopped.
      await database.transaction((other) => other.run(statement('SELECT pg_advisory_xact_lock(47140)')), {
        isolation: 'read committed',
      });
      return tx.run(statement('SELECT 1'));
    });
    expect(await refusalOf(silent)).toBe('database.unavailable');
    expect(await own.run(statement('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
  });

  it('undoes parts alone, one inside another too, with one message for the end of one and the beginning of the next', async () => {
    await database.run(statement('CREATE TABLE public.undone (n int)'));
    const texts: string[] = [];
    const stop = observeStatements(database, ({ text }) => void (text.includes('SAVEPOINT') && texts.push(text)));
    const followed: number[] = [];
    await database.transaction(async (tx) => {
      const insert = (n: number) => {
        tx.afterCommit(() => void followed.push(n));
        return tx.run(statement('INSERT INTO public.undone VALUES ($1)', n));
      };
      await tx.setSavepoint(1);
      await insert(1);
      await tx.setSavepoint(2);
      await insert(2);
      tx.leaveSavepoint(2);
      await tx.setSavepoint(2);
      await insert(3);
      await tx.backToSavepoint(2);
      tx.leaveSavepoint(1);
      await tx.setSavepoint(1);
      await insert(4);
      await expect(tx.run(statement('SELECT 1 / 0'))).rejects.toThrow();
      await tx.backToSavepoint(1);
      await tx.setSavepoint(1);
      await insert(5);
      tx.leaveSavepoint(1);
      await insert(6);
    });
    stop();
    const kept = await database.run<{ n: number }>(statement('SELECT n FROM public.undone ORDER BY n'));
    expect(kept.map(({ n }) => n)).toEqual([1, 2, 5, 6]);
    expect(followed).toEqual([1, 2, 5, 6]);
    expect(texts).toHaveLength(7);
    await database.run(statement('DROP TABLE public.undone'));
  });

  it('runs work after its commit, in order, and drops it with a rollback', async () => {
    const { database: own, failures } = await open(1);
    const done: string[] = [];
    await own.transaction(async (tx) => {
      tx.afterCommit(() => void done.push('first'));
      tx.afterCommit(() => Promise.reject(new Error('after the commit')));
      tx.afterCommit(() => void done.push('last'));
      await tx.run(statement('SELECT 1'));
      expect(done).toEqual([]);
    });
    expect(done).toEqual(['first', 'last']);
    expect(failures).toMatchObject([{ message: 'after the commit' }]);
    await refusalOf(
      own.transaction((tx) => {
        tx.afterCommit(() => void done.push('never'));
        return tx.run(raising('23505'));
      }),
    );
    expect(done).toEqual(['first', 'last']);
  });

  it('tells its witnesses of COMMIT before it is sent, and if it is refused; of a rollback nothing', async () => {
    const { database: own } = await open(1);
    const told: string[] = [];
    const witness: CommitWitness<string> = {
      before: (written) => void told.push(`before ${written.join()}`),
      failed: (written, error) => void told.push(`failed ${written.join()}: ${(error as Error).message}`),
    };
    await own.transaction(async (tx) => {
      for (const written of ['a', 'b']) tx.tellAtCommit(witness, written);
      tx.afterCommit(() => void told.push('after'));
      await tx.run(statement('SELECT 1'));
      expect(told).toEqual([]);
    });
    expect(told.splice(0)).toEqual(['before a,b', 'after']);
    await refusalOf(
      own.transaction(async (tx) => {
        tx.tellAtCommit(witness, 'c');
        tx.beforeCommit(raising('23505'));
        await tx.run(statement('SELECT 1'));
      }),
    );
    expect(told.splice(0)).toEqual(['before c', 'failed c: provoked']);
    await refusalOf(own.transaction((tx) => (tx.tellAtCommit(witness, 'd'), tx.run(raising('23505')))));
    expect(told).toEqual([]);
  });
});

describe('a transaction that is aborted', () => {
  it.each([
    ['committed', () => Promise.resolve()],
    ['rolled back', () => Promise.reject(new Error('its work failed'))],
  ])('runs nothing any more: %s', async (_, end) => {
    const { database: own } = await open(1);
    let kept: Transaction | undefined;
    const work = own.transaction(async (tx) => {
      kept = tx;
      await end();
    });
    await refusalOf(work);
    const sent = vi.fn();
    atEnd(observeStatements(own, sent));
    expect(await refusalOf(kept?.run(statement('SELECT 1')) ?? Promise.resolve())).toBe(' the transaction is over');
    expect(sent).not.toHaveBeenCalled();
  });

  it('by a signal fails at once with the reason, and is rolled back', async () => {
    const { database: own } = await open(2);
    const side = await sideConnection();
    await own.run(statement('CREATE TABLE IF NOT EXISTS public.interrupted (n int)'));
    const limit = new AbortController();
    const reason = new Error('too late');
    let freed: Promise<unknown> | undefined;
    await database.transaction(async (holder) => {
      await holder.run(statement('SELECT pg_advisory_xact_lock(47130)'));
      const [row] = await holder.run<{ pid: number }>(statement('SELECT pg_backend_pid() AS pid'));
      const work = async (tx: Transaction) => {
        tx.abortOn(limit.signal);
        await tx.run(statement('INSERT INTO public.interrupted VALUES (1)'));
        freed = tx.run(statement('SELECT pg_advisory_xact_lock(47130)'));
        await freed;
      };
      const waits = own.transaction(work, COMMITTED);
      const waiting = 'SELECT pid FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid))';
      await vi.waitFor(async () => expect(await side.rows(waiting, [row?.pid])).toHaveLength(1));
      limit.abort(reason);
      await expect(waits).rejects.toBe(reason);
      // The statement is cancelled while what it waits for is still held.
      await expect(freed).rejects.toMatchObject({ code: '57014' });
    });
    expect(await own.run(statement('SELECT * FROM public.interrupted'))).toEqual([]);
    await own.run(statement('DROP TABLE public.interrupted'));
  });

  it('by a signal is rolled back, even if its work continues', async () => {
    const { database: own } = await open(1);
    await own.run(statement('CREATE TABLE public.went_on (n int)'));
    const limit = new AbortController();
    const done: string[] = [];
    const work = own.transaction(async (tx) => {
      tx.abortOn(limit.signal);
      tx.afterCommit(() => void done.push('committed'));
      tx.onEnd(() => void done.push('ended'));
      await tx.run(statement('INSERT INTO public.went_on VALUES (1)'));
      limit.abort(new Error('too late'));
    });
    expect(await refusalOf(work)).toBe(' too late');
    expect(await own.run(statement('SELECT * FROM public.went_on'))).toEqual([]);
    expect(done).toEqual(['ended']);
    await own.run(statement('DROP TABLE public.went_on'));
  });

  it('by an earlier signal is rolled back too', async () => {
    const { database: own } = await open(1);
    const work = own.transaction(async (tx) => {
      tx.abortOn(AbortSignal.abort(new Error('long ago')));
      await tx.run(statement('SELECT 1'));
    });
    expect(await refusalOf(work)).toBe(' long ago');
    expect(await own.run(statement('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
  });
});

describe('the places of a pool', () => {
  const project = { id: 'a', schema: 'project_a' };

  it('are one for each connection that projects use, and one is left for a project that has none', async () => {
    const { database: own } = await open(10);
    let letGo = (): void => undefined;
    const gone = new Promise<void>((resolve) => (letGo = resolve));
    const used: number[] = [];
    const holding = Array.from({ length: 12 }, (_, at) =>
      own.transaction(
        async () => {
          used.push(own.places.all.counts.running);
          await gone;
        },
        { project: { ...project, id: `p${at % 4}` } },
      ),
    );
    // The last one is for a project that has none.
    await vi.waitFor(() => expect(used).toHaveLength(9));
    expect(own.places.all.counts).toMatchObject({ running: 9, waiting: 3 });
    expect(await own.ofProject(project).run(statement('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
    letGo();
    await Promise.all(holding);
    expect(Math.max(...used)).toBe(9);
    expect(own.places.all.counts).toMatchObject({ running: 0, waiting: 0 });
  });

  it('among the long ones are waited for before there is a connection, and given back after it', async () => {
    const { database: own } = await open(1);
    const { long } = own.places;
    const leave = await long.acquire('a');
    let begun = 0;
    const waits = own.transaction(async () => (begun += 1), { project, long: true });
    expect(await own.ofProject(project).run(statement('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
    expect(begun).toBe(0);
    leave();
    expect(await waits).toBe(1);
    const failing = own.transaction(() => Promise.reject(new Error('its work failed')), { project, long: true });
    expect(await refusalOf(failing)).toBe(' its work failed');
    expect(long.counts.running).toBe(0);
  });

  it('that a transaction needs late makes it start again, and wait without a connection', async () => {
    const { database: own } = await open(1);
    const leave = await own.places.long.acquire('a');
    const done: string[] = [];
    let begun = 0;
    const work = async (tx: Transaction): Promise<void> => {
      begun += 1;
      const attempt = begun;
      tx.afterCommit(() => void done.push(`commit ${attempt}`));
      tx.onEnd(() => void done.push(`end ${attempt}`));
      await tx.run(statement('CREATE TABLE public.joined AS SELECT 1 AS n'));
      tx.becomeLong();
      tx.becomeLong();
      await tx.run(statement('DROP TABLE public.joined'));
    };
    const joins = own.transaction(work, { project });
    await vi.waitFor(() => expect(done).toEqual(['end 1']));
    expect(await own.run(statement("SELECT to_regclass('public.joined') AS joined"))).toEqual([{ joined: null }]);
    leave();
    await joins;
    expect(done).toEqual(['end 1', 'commit 2', 'end 2']);
    expect(own.places.long.counts.running).toBe(0);
  });

  it('are not held by statements that wait for a lock: few of a project wait on a connection', async () => {
    const { database: own } = await open(10);
    const { database: holder } = await open(1);
    await holder.run(statement('CREATE TABLE public.held AS SELECT 1 AS n'));
    const edit = statement('UPDATE public.held SET n = n + 1 RETURNING n');
    const edits = await holder.transaction(async (tx) => {
      await tx.run(edit);
      const waiting = Array.from({ length: 30 }, () => own.ofProject(project).run<{ n: number }>(edit));
      await vi.waitFor(() => expect(own.places.long.counts).toMatchObject({ running: 3, waiting: 27 }));
      expect(own.places.all.counts).toMatchObject({ running: 3, waiting: 0 });
      return waiting;
    });
    const numbers = (await Promise.all(edits)).map(([row]) => row?.n ?? 0);
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, at) => at + 3));
    await holder.run(statement('DROP TABLE public.held'));
  });
});

describe('prepared statements', () => {
  const names = async (own: Database) =>
    (await own.run<{ count: number }>(statement('SELECT count(*)::int AS count FROM pg_prepared_statements')))[0]
      ?.count;

  it('are used from the second execution on, one for each text', async () => {
    const { database: own } = await open(1);
    const ask = (value: number) => own.run<{ n: number }>(prepared('SELECT $1::int AS n', value));
    expect(await ask(1)).toEqual([{ n: 1 }]);
    expect(await names(own)).toBe(0);
    for (let value = 2; value < 6; value += 1) expect(await ask(value)).toEqual([{ n: value }]);
    expect(await names(own)).toBe(1);
  });

  it('are not used for statements that opt out', async () => {
    const { database: own } = await open(1);
    for (let round = 0; round < 3; round += 1) await own.run(statement('SELECT 1'));
    expect(await names(own)).toBe(0);
  });

  it('are not used for long texts', async () => {
    const { database: own } = await open(1);
    const long = `SELECT 1 AS one -- ${'x'.repeat(40_000)}`;
    for (let round = 0; round < 3; round += 1) expect(await own.run(prepared(long))).toEqual([{ one: 1 }]);
    expect(await names(own)).toBe(0);
  });

  it('are kept while they are used, whatever other texts come', async () => {
    const { database: own } = await open(1);
    const ask = () => own.run(prepared('SELECT 1 AS one'));
    await ask();
    for (let at = 0; at < 6000; at += 1) {
      await own.run(prepared(`SELECT ${at} AS n`));
      if (at % 1000 === 0) await ask();
    }
    await ask();
    expect(await names(own)).toBe(1);
  });

  it('are bounded: a connection that has many is replaced', async () => {
    const { database: own } = await open(1);
    const before = await pid(own);
    for (let at = 0; at < 450; at += 1) {
      await own.run(prepared(`SELECT ${at}`));
      await own.run(prepared(`SELECT ${at}`));
    }
    expect(await names(own)).toBeLessThan(450);
    expect(await pid(own)).not.toBe(before);
  });

  it('are bounded in the length of their texts, all together', async () => {
    const { database: own } = await open(1);
    const before = await pid(own);
    for (let at = 0; at < 60; at += 1) {
      const long = `SELECT ${at} -- ${'x'.repeat(30_000)}`;
      for (let round = 0; round < 2; round += 1) await own.run(prepared(long));
    }
    expect(await names(own)).toBeLessThan(60);
    expect(await pid(own)).not.toBe(before);
  });

  it('are not used for large statements', async () => {
    const { database: own } = await open(1);
    for (let round = 0; round < 3; round += 1) await own.run({ ...prepared('SELECT 1 AS one'), points: 201 });
    expect(await names(own)).toBe(0);
  });

  it('are bounded in transactions too', async () => {
    const { database: own } = await open(1);
    const before = await pid(own);
    await own.transaction(async (tx) => {
      for (let at = 0; at < 401; at += 1) {
        await tx.run(prepared(`SELECT ${at}`));
        await tx.run(prepared(`SELECT ${at}`));
      }
    });
    expect(await pid(own)).not.toBe(before);
  });

  it('are seen by `observeStatements`, like all statements', async () => {
    const { database: own } = await open(1);
    const sent = vi.fn();
    atEnd(observeStatements(own, sent));
    await own.run(prepared('SELECT 1'));
    await own.transaction((tx) => tx.run(statement('SELECT 1')));
    expect(sent).toHaveBeenCalledTimes(2);
  });
});

describe('a session of the pool', () => {
  it('has the settings that the texts of dates, times and numbers depend on', async () => {
    const settings = {
      TimeZone: 'UTC',
      DateStyle: 'ISO, MDY',
      bytea_output: 'hex',
      extra_float_digits: '1',
      standard_conforming_strings: 'on',
    };
    for (const [name, value] of Object.entries(settings)) {
      const [row] = await database.run<{ value: string }>(statement('SELECT current_setting($1) AS value', name));
      expect(row?.value, name).toMatch(new RegExp(`^${value}`));
    }
  });
});

it.each([
  refusal('parameter.bad_value', "name: must not be 'Connection terminated'"),
  new FunctionError(409, 'line.down', 'Connection terminated by the customer'),
])('a refusal is what it is, whatever its text quotes', (error) => {
  expect(commonRefusal(error)).toBeUndefined();
});

describe('a lazy transaction', () => {
  it('has no connection before its first statement, and begins with a check if it has one', async () => {
    const { database } = await open(1);
    const steps: unknown[] = [];
    await database.transaction(
      async (tx) => {
        tx.onBegin(async () => void steps.push(await tx.run(statement('SELECT 1 AS checked'))));
        tx.afterCommit(() => void steps.push('committed'));
        // The only connection is free.
        steps.push(tx.hasBegun, await database.run(statement('SELECT 2 AS other')));
        steps.push(await tx.run(statement('SELECT 3 AS own')), tx.hasBegun);
      },
      { lazy: true },
    );
    expect(steps).toEqual([false, [{ other: 2 }], [{ checked: 1 }], [{ own: 3 }], true, 'committed']);
  });

  it('sends no statement if that check fails, and needs no connection if it has no statement', async () => {
    const { database } = await open(1);
    const failed = database.transaction(
      (tx) => {
        tx.onBegin(() => Promise.reject(new Error('outdated')));
        return tx.run(statement('SELECT 1'));
      },
      { lazy: true },
    );
    await expect(failed).rejects.toThrow('outdated');
    const none = database.transaction(
      (tx) =>
        database.transaction((other) => other.run(statement('SELECT 1 AS n'))).then((rows) => [rows, tx.hasBegun]),
      { lazy: true },
    );
    expect(await none).toEqual([[{ n: 1 }], false]);
  });
});
