/**
 * Indexes of large kinds are built after the commit of the change, and their checks validated, while units are written; what a process left half
 * done is finished by the next one that looks. A reader that goes on holds the building back, as a gate.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { IndexBuilder } from '../../../src/catalog/indexes/index-builder.js';
import { Provisioning } from '../../../src/catalog/project/provisioning.js';
import { LIMITS } from '../../../src/shared/limits.js';
import { setUnindexedStatement } from '../../../src/sql/server/registry.sql.js';
import { expectNoDrift, ok, query } from '../../support/definitions.js';
import { ownDatabase, startServiceOn } from '../../support/own-database.js';
import type { TestProject } from '../../support/service.js';
import { observeStatements } from '../../support/sent-statements.js';
import { sideConnection } from '../../support/side-connection.js';

// A database of its own: services of other files would build what is left here.
const connection = await ownDatabase();
const [service, other] = [await startServiceOn(connection), await startServiceOn(connection)];
const [reader, side] = [await sideConnection(connection), await sideConnection(connection)];
const builds = service.service.app.get(IndexBuilder);

let project: TestProject;
beforeEach(async () => {
  project = await service.project();
  await ok(
    project.post('/kind/unit', {
      id: 'thing',
      parameters: [
        { id: 'name', kind_id: 'string' },
        { id: 'size', kind_id: 'integer' },
      ],
    }),
  );
});

/** Fills the kind with more units than are indexed at once. */
const fill = (name = `'name ' || n`, count = LIMITS.indexedInTransaction + 1) =>
  query(
    project,
    `INSERT INTO $schema."thing" ("id", "name", "size", "metadata", "inserted_at", "updated_at") SELECT gen_random_uuid(), ${name}, n, '{}', now(), now() FROM generate_series(1, ${count}) AS n`,
  );

interface Standing {
  readonly columns: string;
  readonly valid: boolean;
  readonly oid: number;
}

/** The indexes of columns; those of parts of texts are left out. */
const standing = (): Promise<Standing[]> =>
  query<Standing>(
    project,
    `SELECT x.indexrelid::int AS oid, x.indisvalid AS valid, (SELECT string_agg(a.attname, ',' ORDER BY k.n) FROM unnest(x.indkey::int2[]) WITH ORDINALITY AS k(attnum, n) JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = k.attnum) AS columns
     FROM pg_index x JOIN pg_class c ON c.oid = x.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace WHERE NOT x.indisprimary AND x.indkey[0] <> 0 AND c.relname = 'thing' AND n.nspname = $1 ORDER BY 3`,
    [`project_${project.id}`],
  );

const shown = async () => (await standing()).map(({ columns, valid }) => `${columns}${valid ? '' : ' (not ready)'}`);

const marked = async (): Promise<boolean> => (await service.service.app.get(Provisioning).get(project.id)).unindexed;

async function until(test: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 20_000; performance.now() < end;) {
    if (await test()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('it did not come to that');
}

/** A reader that began before: an index is not ready before it ends. */
async function holdBuilds(): Promise<() => Promise<void>> {
  await reader.rows('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await reader.rows(`SELECT FROM "project_${project.id}"."thing" LIMIT 1`);
  return async () => void (await reader.rows('COMMIT'));
}

const halfBuilt = () => until(async () => (await shown()).some((text) => text.endsWith('(not ready)')));
const ready = () => until(async () => !(await marked()));

const builders = async (): Promise<number[]> => {
  const rows = await side.rows<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE query LIKE 'CREATE INDEX CONCURRENTLY%' AND state = 'active' AND datname = current_database()`,
  );
  return rows.map(({ pid }) => pid);
};

describe('an index of a large kind', () => {
  it('is built after the change, while units are written', async () => {
    await fill();
    const release = await holdBuilds();
    await ok(project.put('/string/unit/name', { indexed: true }));
    await halfBuilt();
    // And the one for parts of texts.
    expect(builds.pending).toBe(2);
    await ok(project.post('/thing/unit', { name: 'written meanwhile' }));
    expect(await marked()).toBe(true);
    await release();
    await ready();
    expect(await shown()).toEqual(['name,id']);
    expect(builds.pending).toBe(0);
    await expectNoDrift(project);
  });

  it('may be a compound one, or that of a rule', async () => {
    await fill();
    await ok(project.put('/kind/unit/thing', { indexes: [['name', 'size']], access: { read: 'eq(size,1)' } }));
    await ready();
    expect(await shown()).toEqual(['name,size,id', 'size,id']);
    await expectNoDrift(project);
  });

  it('can be cancelled before it is ready', async () => {
    await fill();
    const release = await holdBuilds();
    await ok(project.put('/string/unit/name', { indexed: true }));
    await halfBuilt();
    const [pid] = await builders();
    await side.rows('SELECT pg_cancel_backend($1::int)', [pid]);
    await release();
    await until(async () => (await builders()).length === 0);
    await ok(project.put('/string/unit/name', { indexed: false }));
    await builds.finish();
    await ready();
    expect(await shown()).toEqual([]);
    await expectNoDrift(project);
  });
});

describe('a check of a large kind', () => {
  const checks = [{ id: 'small', filter: 'lte(size,90000)', text: 'At most 90,000' }];
  const add = (more: object = {}, headers = {}) =>
    project.call('PUT', '/kind/unit/thing', { checks, ...more }, { headers });
  const stored = async () => ((await ok(project.get('/kind/unit/thing'))) as { checks: object[] }).checks;
  const validated = async () => {
    const found = await query<{ valid: boolean }>(
      project,
      `SELECT convalidated AS valid FROM pg_constraint WHERE contype = 'c' AND conrelid = '$schema."thing"'::regclass`,
    );
    return found.map(({ valid }) => valid);
  };
  /** Which of the statements of a change count the units and lock the table against writes, in their order. */
  const order = async (work: () => Promise<unknown>): Promise<string[]> => {
    const seen: string[] = [];
    const stop = observeStatements(service.service.database, ({ text }) => {
      if (text.includes('AS guards')) seen.push('counts');
      if (text.startsWith('LOCK TABLE')) seen.push('locks');
    });
    await work().finally(stop);
    return seen;
  };
  const refused = (count: number) => ({
    status: 409,
    body: {
      messages: [
        {
          code: 'parameter.violated',
          text: `${count} unit${count > 1 ? 's' : ''} of 'thing' would violate the check 'small'`,
        },
      ],
    },
  });

  it('is added without counting units under a lock, and validated', async () => {
    await fill();
    expect(await order(() => ok(add()))).toEqual(['counts', 'locks', 'counts']);
    expect((await project.post('/thing/unit', { size: 90_001 })).body.messages).toMatchObject([{ code: 'unit.check' }]);
    await ready();
    expect(await validated()).toEqual([true]);
    await expectNoDrift(project);
  });

  it('is refused without a lock where stored units contradict it, and in a dry run', async () => {
    await fill(undefined, 90_002);
    expect(await order(async () => expect(await add()).toMatchObject(refused(2)))).toEqual(['counts']);
    await ok(project.call('DELETE', '/thing/unit?filter=gt(size,90000)&max_affected=9'));
    const dry = () => project.put('/kind/unit/thing?dry_run=true', { checks });
    expect(await order(() => ok(dry()))).toEqual(['counts', 'locks']);
    expect([await stored(), await validated(), await marked()]).toEqual([[], [], false]);
  });

  it('is taken back where a write that was in progress contradicts it', async () => {
    await fill();
    const insert = `INSERT INTO "thing" ("id", "size", "metadata", "inserted_at", "updated_at") VALUES (gen_random_uuid(), 90001, '{}', now(), now())`;
    const commit = await reader.holding(project, insert);
    const added = add();
    // It has counted by now, and waits for the write.
    await reader.blocked();
    await commit();
    expect(await added).toMatchObject(refused(1));
    expect([await stored(), await validated()]).toEqual([[], []]);
    await ok(project.post('/thing/unit', { size: 90_002 }));
    await ready();
    await expectNoDrift(project);
  });

  it('is counted under the lock where the change does more, or its answer is kept', async () => {
    await fill();
    const underLock = ['locks', 'counts'];
    expect(await order(() => ok(add({ label: 'Things' })))).toEqual(underLock);
    const other = (filter: string) => [{ ...checks[0], filter }];
    expect(await order(() => ok(add({ checks: other('lte(size,80000)') })))).toEqual(underLock);
    await ok(add({ checks: [] }));
    expect(await order(() => ok(add({ metadata: { a: 1 } })))).toEqual(underLock);
    await ok(add({ checks: [] }));
    expect(await order(() => ok(add({}, { 'idempotency-key': 'a' })))).toEqual(underLock);
  });

  it('that a process left is validated by another one, and one that is contradicted stays as it is', async () => {
    await fill();
    await ok(add({ checks: [...checks, { id: 'large', filter: 'gte(size,1)', text: 'At least 1' }] }));
    await ready();
    // As if the process had died after its commit, where a write came in between.
    const constraints = await query<{ name: string; body: string }>(
      project,
      `SELECT conname AS name, pg_get_constraintdef(oid) AS body FROM pg_constraint WHERE contype = 'c' AND conrelid = '$schema."thing"'::regclass`,
    );
    for (const { name } of constraints) await query(project, `ALTER TABLE $schema."thing" DROP CONSTRAINT "${name}"`);
    await query(project, `UPDATE $schema."thing" SET "size" = 0 WHERE "size" = 1`);
    for (const { name, body } of constraints) {
      await query(project, `ALTER TABLE $schema."thing" ADD CONSTRAINT "${name}" ${body} NOT VALID`);
    }
    await service.service.database.run(setUnindexedStatement(project.id, true));
    await other.service.app.get(IndexBuilder).finish();
    expect([(await validated()).sort(), await marked()]).toEqual([[false, true], true]);
  });
});

describe('built in the transaction of the change', () => {
  it('the indexes of a small kind', async () => {
    await fill('NULL', 100);
    await ok(project.put('/string/unit/name', { indexed: true }));
    expect([await shown(), await marked()]).toEqual([['name,id'], false]);
  });

  it('the indexes of a new kind, without reading its table', async () => {
    const parameters = Array.from({ length: 20 }, (_, n) => ({ id: `p${n}`, kind_id: 'string', indexed: true }));
    const without = parameters.map(({ id }) => ({ id: `x${id}`, kind_id: 'string' }));
    const define = (id: string, list: object[]) => () => ok(project.post('/kind/unit', { id, parameters: list }));
    const plain = await project.statements(define('plain', without));
    // One statement looks for the extension of indexes for parts of texts.
    expect(await project.statements(define('indexed', parameters))).toBe(plain + 1);
  });

  it('unique indexes, which the change guarantees', async () => {
    await fill();
    await ok(project.put('/string/unit/name', { unique: true }));
    expect([await shown(), await marked()]).toEqual([['name'], false]);
  });

  it('indexes for which a stored value may be too long, which rejects the change', async () => {
    const long = `(SELECT string_agg(md5(n::text || i), '') FROM generate_series(1, 200) AS i)`;
    await fill(`CASE WHEN n = 7 THEN ${long} ELSE 'short' END`);
    const refused = await project.put('/string/unit/name', { indexed: true });
    expect([refused.status, refused.body.messages[0]?.code]).toEqual([409, 'parameter.violated']);
    expect([await shown(), await marked()]).toEqual([[], false]);
  });
});

describe('work that a process left', () => {
  it('unfinished: is dropped and built again by the next process that checks', async () => {
    await fill();
    const release = await holdBuilds();
    await ok(project.put('/string/unit/name', { indexed: true }));
    await halfBuilt();
    const [half] = await standing();
    const [pid] = await builders();
    await side.rows('SELECT pg_terminate_backend($1::int)', [pid]);
    await until(async () => builds.pending === 0);
    expect([await shown(), await marked()]).toEqual([['name,id (not ready)'], true]);
    await release();
    await other.service.app.get(IndexBuilder).finish();
    expect([await shown(), await marked()]).toEqual([['name,id'], false]);
    expect((await standing())[0]?.oid).not.toBe(half?.oid);
    await expectNoDrift(project);
  });

  it('not started: is built by a migration', async () => {
    await fill();
    await ok(project.put('/string/unit/name', { indexed: true }));
    await ready();
    // As after a restore of a dump that was made before it was ready.
    const [index] = await query<{ name: string }>(
      project,
      `SELECT i.relname AS name FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class c ON c.oid = x.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace WHERE NOT x.indisprimary AND x.indkey[0] <> 0 AND c.relname = 'thing' AND n.nspname = $1`,
      [`project_${project.id}`],
    );
    await query(project, `DROP INDEX $schema."${index?.name ?? ''}"`);
    await service.service.app.get(Provisioning).migrate(project.id);
    expect([await shown(), await marked()]).toEqual([[], true]);
    await builds.finish();
    expect([await shown(), await marked()]).toEqual([['name,id'], false]);
  });

  it('is built by one process at a time', async () => {
    await fill();
    const release = await holdBuilds();
    await ok(project.put('/string/unit/name', { indexed: true }));
    await halfBuilt();
    const [building] = await standing();
    await other.service.app.get(IndexBuilder).finish();
    expect((await builders()).length).toBe(1);
    expect((await standing()).map(({ oid }) => oid)).toEqual([building?.oid]);
    await release();
    await ready();
    expect((await standing()).map(({ oid }) => oid)).toEqual([building?.oid]);
  });

  it('in progress: is postponed when the process stops, and continued by the next', async () => {
    const third = await startServiceOn(connection);
    // It tries what the tests before left too, which would be held as well.
    await third.service.app.get(IndexBuilder).finish();
    await fill();
    const release = await holdBuilds();
    const onThird = await third.signIn(project.id);
    await ok(onThird.put('/string/unit/name', { indexed: true }));
    await halfBuilt();
    const [pid = 0] = await builders();
    await third.service.app.get(IndexBuilder).onModuleDestroy();
    // On Citus its session ends a moment later; another process may have begun by then.
    await until(async () => !(await builders()).includes(pid));
    await release();
    await builds.finish();
    await ready();
    expect([await shown(), await marked()]).toEqual([['name,id'], false]);
  });
});
