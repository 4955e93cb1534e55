/** The stored numbers of units are those of the tables: after any writes, in every snapshot, and again after a repair. */
import { describe, expect, it } from 'vitest';
import { CountChecker, StoredCounts } from '../../../src/unit/table/stored-counts.js';
import { asMember, defineKinds } from '../../support/callers.js';
import { createdId, ok, query } from '../../support/definitions.js';
import { FunctionsFolder, reload } from '../../support/functions.js';
import { logLines } from '../../support/log-lines.js';
import type { Statement } from '../../../src/sql/fragment.js';
import { nodesOf, rowCount, type PlanNode } from '../../../src/unit/tuning/query-plan.js';
import { planOf } from '../../support/plans.js';
import { observeStatements } from '../../support/sent-statements.js';
import { startTestService, type TestProject } from '../../support/service.js';
import { sideConnection } from '../../support/side-connection.js';

const folder = new FunctionsFolder({
  'book.ts': `
    import { kind } from 'kind';
    export default kind('book').module({
      functions: {
        many: kind('book').function({
          description: 'Writes, and may fail after it',
          parameters: { fail: { type: 'boolean' } },
          run: async ({ units, parameters }) => {
            for (let at = 0; at < 3; at += 1) await units('book').create({ title: 'by a function' });
            const [first] = (await units('book').list({ limit: 1 })).items;
            if (first) await units('book').remove(first.id);
            if (parameters.fail) throw new Error('rolled back');
          },
        }),
      },
    });`,
});
const other = await startTestService({ functionsDir: folder.path });
const service = await startTestService({ functionsDir: folder.path });
const project = await service.project();
const elsewhere = await other.signIn(project.id);
const KINDS = [
  { id: 'shelf', parameters: [{ id: 'name', kind_id: 'string' }] },
  {
    id: 'book',
    parameters: [
      { id: 'title', kind_id: 'string', required: true },
      { id: 'shelf', kind_id: 'unit', reference_kind: 'shelf', on_delete: 'cascade' },
    ],
  },
  { id: 'page', parameters: [{ id: 'book', kind_id: 'unit', reference_kind: 'book', on_delete: 'cascade' }] },
  { id: 'reader' },
];
await defineKinds(project, ...KINDS);
await ok(project.post('/group/unit/kind_auth_member/link/group/kind/unit/reader'));
await ok(project.post('/group/unit', { id: 'all', kind_list: ['shelf', 'book', 'page'] }));
await reload(service);
await reload(other);
const side = await sideConnection();

const TABLES = ['shelf', 'book', 'page', 'reader'];
const bothNumbers = (schema: string) =>
  TABLES.map(
    (table) =>
      `SELECT '${table}' AS "table", (SELECT count(*) FROM ${schema}."${table}")::int AS rows, (SELECT coalesce(sum("change"), 0) FROM ${schema}."_count" WHERE "table" = '${table}')::int AS stored`,
  ).join(' UNION ALL ');

interface Numbers {
  readonly table: string;
  readonly rows: number;
  readonly stored: number;
}

const numbers = () => side.rows<Numbers>(bothNumbers(`"project_${project.id}"`));
async function expectEqual(): Promise<void> {
  const found = await numbers();
  expect(found.map(({ table, stored }) => [table, stored])).toEqual(found.map(({ table, rows }) => [table, rows]));
}

/** A sequence of numbers that is the same in every run. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

/** One random write. Some are refused, and some fail after they have written. */
async function write(as: TestProject, pick: (below: number) => number, n: number): Promise<number> {
  const any = async (kind: string) => {
    const { items } = (await ok(as.get(`/${kind}/unit?limit=20&count=none&include=id`))) as { items: { id: string }[] };
    return items[pick(items.length || 1)]?.id ?? '0198c0de-0000-7000-8000-000000000000';
  };
  const body = { title: `book ${n}` };
  const writes: (() => Promise<{ status: number }>)[] = [
    () => as.post('/shelf/unit', { name: 'x' }),
    () => as.post('/book/unit', body),
    () =>
      as.post(
        '/book/unit',
        Array.from({ length: pick(30) + 1 }, () => body),
      ),
    () => as.post('/book/unit', [body, { title: 7 }]),
    () => as.post('/book/unit', { ...body, shelf: { name: 'nested' } }),
    async () => as.post('/book/unit', [{ ...body, shelf: await any('shelf') }, body]),
    async () => as.post('/page/unit', { book: await any('book') }),
    async () => as.delete(`/shelf/unit/${await any('shelf')}`),
    async () => as.delete(`/book/unit/${await any('book')}`),
    async () => as.delete(`/page/unit/${await any('page')}`),
    () => as.post('/book/function/many', { fail: pick(2) === 0 }),
    () =>
      as
        .as(undefined)
        .post('/auth/reader/signup', { username: `r${n}`, email: `r${n}@example.com`, password: 'correct horse 1' }),
  ];
  return (await writes[pick(writes.length)]?.())?.status ?? 0;
}

describe('after concurrent writes through two processes', () => {
  it.each([1, 2, 3])('the stored numbers are those of the tables (seed %i)', { timeout: 60_000 }, async (seed) => {
    let done = false;
    const snapshots = (async () => {
      let looks = 0;
      for (; !done; looks += 1) await expectEqual();
      return looks;
    })();
    const statuses = new Map<number, number>();
    const writers = Array.from({ length: 6 }, async (_, at) => {
      const pick = random(seed * 100 + at);
      for (let n = 0; n < 20; n += 1) {
        const status = await write(at % 2 === 0 ? project : elsewhere, pick, seed * 10_000 + at * 100 + n);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    });
    await Promise.all(writers).finally(() => (done = true));
    expect(await snapshots).toBeGreaterThan(3);
    expect([...statuses.keys()].sort()).toEqual([200, 400, 404, 500]);
    await Promise.all([service, other].map((each) => each.service.app.get(StoredCounts).finish()));
    await expectEqual();
    const lists = await Promise.all(TABLES.slice(0, 3).map((kind) => ok(project.get(`/${kind}/unit?limit=0`))));
    const found = await numbers();
    expect((lists as { count: number }[]).map(({ count }) => count)).toEqual(found.slice(0, 3).map(({ rows }) => rows));
    const group = (await ok(project.get('/group/all/unit?limit=0'))) as { count: number };
    expect(group.count).toBe(found.slice(0, 3).reduce((sum, { rows }) => sum + rows, 0));
  });

  it('whose connections end in between, too', { timeout: 60_000 }, async () => {
    const pick = random(99);
    const writers = Array.from({ length: 4 }, async (_, at) => {
      for (let n = 0; n < 25; n += 1)
        await write(at % 2 === 0 ? project : elsewhere, pick, 90_000 + at * 100 + n).catch(() => 0);
    });
    let done = false;
    const ending = (async () => {
      while (!done) {
        await side.rows(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'active' AND query LIKE $1 AND pid <> pg_backend_pid() LIMIT 1",
          [`WITH made AS (%project_${project.id}%`],
        );
      }
    })();
    await Promise.all(writers).finally(() => (done = true));
    await ending;
    await expectEqual();
  });
});

describe('the rows of the stored numbers', () => {
  const stored = () =>
    query<{ change: string }>(project, `SELECT "change" FROM $schema."_count" WHERE "table" = 'shelf'`);

  it('are added up after a hundred writes', async () => {
    for (let at = 0; at < 250; at += 1) await ok(project.post('/shelf/unit', { name: 'x' }));
    await service.service.app.get(StoredCounts).finish();
    expect((await stored()).length).toBeLessThan(130);
    await expectEqual();
  });

  it('do not outlive their table', async () => {
    await defineKinds(project, { id: 'brief', parameters: [{ id: 'word', kind_id: 'string' }] });
    const ids = [await createdId(project.post('/brief/unit', {})), await createdId(project.post('/brief/unit', {}))];
    for (const id of ids) await ok(project.delete(`/brief/unit/${id}`));
    await ok(project.delete('/kind/unit/brief'));
    expect(await query(project, `SELECT FROM $schema."_count" WHERE "table" = 'brief'`)).toEqual([]);
  });
});

/** How many rows of a table a plan has read. */
function rowsRead(node: PlanNode, table: string): number {
  const scans = [...nodesOf(node)].filter((each) => each['Relation Name'] === table);
  return scans.reduce((sum, scan) => sum + rowCount(scan), 0);
}

it.each([
  ['/shelf/unit?limit=10', 10],
  ['/shelf/unit?limit=0', 0],
  ['/shelf/unit?limit=10&offset=20', 30],
  ['/shelf/unit?limit=10&cursor=', 11],
  ['/shelf/unit?limit=10&count=estimated', 10],
  // Units of several kinds are found first, and read then.
  ['/group/all/unit?limit=10', 20],
])('%s reads at most %i rows', async (path, expected) => {
  await ok(
    project.post(
      '/shelf/unit',
      Array.from({ length: 200 }, () => ({ name: 'x' })),
    ),
  );
  const { content, rows } = await readBy(path);
  expect((content as { count: number }).count).toBeGreaterThan(200);
  expect(rows).toBeLessThanOrEqual(expected);
});

/** The answer of a request of one statement, and how many rows of `shelf` that statement reads. */
async function readBy(path: string, as = project): Promise<{ content: unknown; rows: number }> {
  const statements: Statement[] = [];
  const stop = observeStatements(service.service.database, (statement) => void statements.push(statement));
  const content: unknown = await ok(as.get(path));
  stop();
  const reads = statements.filter(({ text }) => text.includes('AS count'));
  expect(reads).toHaveLength(1);
  const plan = await planOf(service.service.database, reads[0] as Statement);
  return { content, rows: rowsRead(plan, 'shelf') };
}

describe('an aggregation that only counts units', () => {
  it.each([
    ['/shelf/aggregate?select=count()', ['count']],
    ['/shelf/aggregate?select=[n:count(),all:count()]', ['n', 'all']],
    ['/group/all/aggregate?select=count()', ['count']],
  ])('%s reads the stored number', async (path, names) => {
    await ok(project.post('/shelf/unit', { name: 'x' }));
    const { content, rows } = await readBy(path);
    const found = (await numbers()).filter(
      ({ table }) => table === 'shelf' || (path.startsWith('/group') && ['book', 'page'].includes(table)),
    );
    const total = found.reduce((sum, each) => sum + each.rows, 0);
    expect(content).toEqual({ count: 1, items: [Object.fromEntries(names.map((name) => [name, total]))] });
    expect(rows).toBe(0);
  });

  it('has the filter and the page of its one group', async () => {
    const path = '/shelf/aggregate?select=n:count()';
    expect((await readBy(`${path}&having=lt(n,1)`)).content).toEqual({ count: 0, items: [] });
    expect((await readBy(`${path}&offset=1`)).content).toEqual({ count: 1, items: [] });
    expect((await readBy(`${path}&limit=0`)).content).toEqual({ count: 1, items: [] });
  });

  it.each([
    '/shelf/aggregate?select=count()&filter=eq(name,x)',
    '/shelf/aggregate?select=count(eq(name,x))',
    '/shelf/aggregate?select=count(name)',
    '/shelf/aggregate?select=[count(),max(name)]',
    '/shelf/aggregate?select=count()&group=name',
  ])('%s reads the units', async (path) => {
    await ok(project.post('/shelf/unit', { name: 'x' }));
    expect((await readBy(path)).rows).toBeGreaterThan(0);
  });

  it('counts only the units that a rule lets the caller read', async () => {
    await defineKinds(project, {
      id: 'leaf',
      parameters: [{ id: 'open', kind_id: 'boolean' }],
      access: { read: 'eq(open,true)' },
    });
    await ok(project.post('/leaf/unit', [{ open: true }, { open: false }, { open: true }]));
    const path = '/leaf/aggregate?select=count()';
    expect(await ok(project.get(path))).toEqual({ count: 1, items: [{ count: 3 }] });
    expect(await ok((await asMember(project, 'reader')).get(path))).toEqual({ count: 1, items: [{ count: 2 }] });
  });
});

describe('rows that another program writes', async () => {
  const log = logLines();
  const logged = await startTestService({}, log.logger);
  const reader = await logged.signIn(project.id);

  it('are counted after the next check, which is logged once', async () => {
    await ok(reader.get('/shelf/unit?limit=1'));
    await query(
      project,
      `INSERT INTO $schema."shelf" ("id", "metadata", "inserted_at", "updated_at") SELECT gen_random_uuid(), '{}', now(), now() FROM generate_series(1, 7)`,
    );
    const wrong = (await numbers()).find(({ table }) => table === 'shelf');
    expect(wrong?.rows).toBe((wrong?.stored ?? 0) + 7);
    const services = [logged, service, logged, other];
    await ok(elsewhere.get('/shelf/unit?limit=1'));
    await Promise.all(services.map((each) => each.service.app.get(CountChecker).check({ all: true })));
    await expectEqual();
    // The log is that of all services of a process.
    const repairs = () => log.of().filter((line) => line.includes('stored number'));
    expect(repairs()).toEqual([
      `project_${project.id}.shelf: the stored number of units was 7 too low and is repaired; another program wrote to the table`,
    ]);
    await query(project, `DELETE FROM $schema."shelf" WHERE "name" IS NULL`);
    await logged.service.app.get(CountChecker).check({ all: true });
    await expectEqual();
    expect(repairs().at(-1)).toContain('7 too high');
  });

  it('of a dropped kind are not looked for', async () => {
    await defineKinds(project, { id: 'gone', parameters: [{ id: 'word', kind_id: 'string' }] });
    await ok(reader.get('/gone/unit?limit=1'));
    await ok(project.delete('/kind/unit/gone'));
    const before = log.of().length;
    await logged.service.app.get(CountChecker).check({ all: true });
    expect(log.of().length).toBe(before);
  });
});
