/** `index advise` proposes the indexes that the queries of a running service lack, and makes them. */
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../../src/cli/run.js';
import { loadConfig } from '../../../src/config/config.js';
import { QueryStatistics } from '../../../src/unit/tuning/query-statistics.js';
import { anonymous, defineKinds } from '../../support/callers.js';
import { ok, query } from '../../support/definitions.js';
import { ownDatabase, startServiceOn, urlOf } from '../../support/own-database.js';
import { sideConnection } from '../../support/side-connection.js';
import type { TestProject } from '../../support/service.js';

/** More than are indexed in a transaction. */
const UNITS = 20_000;
const SECRET = 'a-secret-value-4711';

const connection = await ownDatabase();
const service = await startServiceOn(connection);
const other = await startServiceOn(connection);
const project = await service.project();
const elsewhere = await other.signIn(project.id);
await defineKinds(
  project,
  { id: 'stop', parameters: [{ id: 'name', kind_id: 'string' }] },
  {
    id: 'visit',
    parameters: [
      { id: 'place', kind_id: 'string' },
      { id: 'state', kind_id: 'string', indexed: true },
      { id: 'nights', kind_id: 'integer' },
      { id: 'year', kind_id: 'integer' },
      { id: 'details', kind_id: 'json' },
      { id: 'stop', kind_id: 'unit', reference_kind: 'stop' },
    ],
  },
  { id: 'tour', parameters: ['place'] },
);
await query(
  project,
  `INSERT INTO $schema."visit" ("id", "place", "state", "nights", "year", "details", "metadata", "inserted_at", "updated_at")
   SELECT gen_random_uuid(), 'place ' || n % 10000, CASE WHEN n % 5 = 0 THEN 'open' ELSE 'done' END, n % 7, 2000 + n % 300, '{}', '{}', now(), now()
   FROM generate_series(1, ${UNITS}) AS n`,
);
await query(project, 'VACUUM ANALYZE $schema."visit"');

const config = loadConfig(
  { DATA_DIR: tmpdir(), DATABASE_URL: urlOf(connection), JWT_SECRET: 'x'.repeat(32) },
  tmpdir(),
);

async function kind(...argv: string[]) {
  let [out, err] = ['', ''];
  const terminal = { out: (text: string) => void (out += text), err: (text: string) => void (err += text) };
  const code = await runCommandLine(argv, terminal, () => config);
  return { code, out, err };
}

interface Advised {
  readonly proposals: {
    kind: string;
    parameters: string[];
    calls: number;
    milliseconds: number;
    read: number;
    found: number;
    also: string[];
    outcome: string;
  }[];
  readonly unused_indexes: { kind: string; parameters: string[] }[];
}

async function advised(...more: string[]): Promise<Advised> {
  const { code, out, err } = await kind('index', 'advise', project.id, '--json', ...more);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out) as Advised;
}

/** What happens in every process once a minute. */
async function storeAll(): Promise<void> {
  for (const each of [service, other]) await each.service.app.get(QueryStatistics).store({ all: true });
}

const stored = () => query<{ id: string; calls: string }>(project, 'SELECT * FROM $schema."_query"');
const indexesOf = async (table: string) =>
  (
    await query<{ columns: string }>(
      project,
      `SELECT pg_get_indexdef(indexrelid) AS columns FROM pg_index WHERE indrelid = '$schema."${table}"'::regclass AND indisvalid`,
    )
  ).map(({ columns }) => /\((.*)\)/.exec(columns)?.[1]);

const list = (search: string, as: TestProject = project) => ok(as.get(`/visit/unit?${search}`));

describe('index advise', () => {
  it('refuses an unknown project and a missing one in one line', async () => {
    expect(await kind('index', 'advise', 'nobody')).toEqual({
      code: 1,
      out: '',
      err: "error: No project 'nobody'\n",
    });
    expect((await kind('index', 'advise')).code).toBe(2);
  });

  it('has nothing to propose for queries that indexes serve, and stores nothing of them', async () => {
    await list('limit=10');
    await list('filter=eq(state,nothing)');
    await ok(project.get('/visit/aggregate?select=count()'));
    await storeAll();
    const { code, out } = await kind('index', 'advise', project.id);
    expect(code).toBe(0);
    expect(out).toMatch(/^No missing index of '.*' is known\. The service looks once a minute/);
    expect(await stored()).toEqual([]);
  });

  it('proposes what the queries of all processes lack, the worst first', async () => {
    for (let n = 0; n < 6; n += 1) await list(`filter=eq(place,place ${n})&limit=1`, n % 2 === 0 ? project : elsewhere);
    await list('filter=and(eq(nights,3),gt(year,2297))');
    await storeAll();
    const { proposals } = await advised();
    expect(proposals.map(({ kind: id, parameters }) => [id, ...parameters])).toEqual([
      ['visit', 'place'],
      ['visit', 'nights', 'year'],
    ]);
    expect(proposals[0]).toMatchObject({
      calls: 6,
      also: ['tour'],
      outcome: 'proposed',
    });
    expect(proposals[0]?.read).toBeGreaterThan(UNITS / 3);
    expect(proposals[0]?.found).toBeLessThanOrEqual(2);
  });

  it('prints them in words', async () => {
    const { out } = await kind('index', 'advise', project.id);
    const lines = out.split('\n');
    expect(lines[0]).toMatch(/^2 indexes are missing, by slow calls since \d{4}-.* comes first\.$/);
    expect(lines[2]).toMatch(/^KIND +INDEX OF +CALLS +TIME +WORST CALL$/);
    expect(lines[3]).toMatch(/^visit +place +6 +\d.* (ms|s) +reads [\d,]+ units to answer \d; with the index some \d$/);
    expect(out).toMatch(
      /\nvisit \(place\): indexed: true of the parameter place, which also indexes it in tour; [\d,]+ units are read that do not match\.\n/,
    );
    expect(out).toContain('visit (nights, year): [nights, year] in indexes of the kind visit;');
    expect(out).toContain(`npm run kind -- index advise ${project.id} --apply`);
  });

  it('proposes an index of a filter and an order together, and of parts of texts', async () => {
    await list('filter=eq(state,done)&order=year;asc&limit=10&count=none');
    await list('filter=icontains(place,LACE 77)&limit=10');
    await storeAll();
    const found = (await advised()).proposals.map(({ parameters }) => parameters.join());
    expect(found.sort()).toEqual(['nights,year', 'place', 'state,year']);
  });

  it('stores no value', async () => {
    await list(`filter=and(eq(place,${SECRET}),ne(details."${SECRET}",${SECRET}))&limit=7`);
    await list(`filter=in(place,[${SECRET},other])&order=details."${SECRET}";asc`);
    await ok(project.get(`/visit/aggregate?select=secret_name:count(eq(place,${SECRET}))`));
    await storeAll();
    const rows = await stored();
    expect(rows.map(({ id }) => id).sort()).toEqual(['visit (nights, year)', 'visit (place)', 'visit (state, year)']);
    expect(JSON.stringify(rows)).not.toMatch(/secret/);
  });

  it('makes the indexes as an administrator would, and then has nothing more to propose', async () => {
    const { proposals } = await advised('--apply');
    expect(proposals.map(({ outcome }) => outcome)).toEqual(['made', 'made', 'made']);
    const place = (await ok(elsewhere.get('/string/unit/place'))) as { indexed: boolean };
    const visit = (await ok(elsewhere.get('/kind/unit/visit'))) as { indexes: string[][] };
    expect(place.indexed).toBe(true);
    expect(visit.indexes.toSorted()).toEqual([
      ['nights', 'year'],
      ['state', 'year'],
    ]);
    expect(await indexesOf('visit')).toEqual(
      expect.arrayContaining(['place, id', 'nights, year, id', 'state, year, id']),
    );
    expect(await indexesOf('tour')).toContain('place, id');
    await list('filter=eq(place,place 1)&limit=1');
    await storeAll();
    expect((await advised()).proposals).toEqual([]);
  });

  it('names indexes that nothing has used', async () => {
    const { unused_indexes: unused } = await advised();
    expect(unused).toContainEqual({ kind: 'visit', parameters: ['nights', 'year'] });
    expect((await kind('index', 'advise', project.id)).out).toMatch(
      /\nNo statement has used these indexes .*visit \(nights, year\)/,
    );
  });

  it('reports an index that stored values do not allow, and makes the others', async () => {
    await defineKinds(project, {
      id: 'note',
      parameters: [
        { id: 'words', kind_id: 'text' },
        { id: 'grade', kind_id: 'integer' },
      ],
    });
    await query(
      project,
      `INSERT INTO $schema."note" ("id", "words", "grade", "metadata", "inserted_at", "updated_at")
       SELECT gen_random_uuid(), (SELECT string_agg(md5(n::text || i::text), '') FROM generate_series(1, CASE n WHEN 1 THEN 300 ELSE 1 END) AS i), n % 500, '{}', now(), now()
       FROM generate_series(1, 5000) AS n`,
    );
    await query(project, 'VACUUM ANALYZE $schema."note"');
    await ok(project.get('/note/unit?filter=eq(words,x)'));
    await ok(project.get('/note/unit?filter=eq(grade,9)'));
    await storeAll();
    const { code, out, err } = await kind('index', 'advise', project.id, '--apply');
    expect({ code, err }).toEqual({ code: 1, err: 'error: 1 of 2 were refused\n' });
    expect(out).toMatch(/note \(words\): .* refused: .*too long/);
    expect(out).toMatch(/note \(grade\): .* made\./);
  });

  it('records queries that the time limit ends', { timeout: 30_000 }, async () => {
    await defineKinds(project, {
      id: 'sign',
      access: { read: 'anyone' },
      parameters: [{ id: 'word', kind_id: 'string' }],
    });
    await query(
      project,
      `INSERT INTO $schema."sign" ("id", "word", "metadata", "inserted_at", "updated_at") SELECT gen_random_uuid(), 'word ' || n, '{}', now(), now() FROM generate_series(1, 5000) AS n`,
    );
    const release = await (await sideConnection(connection)).lock(project, 'sign');
    const reply = await anonymous(project).get('/sign/unit?filter=eq(word,x)');
    expect([reply.status, reply.body.messages[0]?.code]).toEqual([503, 'query.timeout']);
    await release();
    await storeAll();
    const { proposals } = await advised();
    expect(proposals[0]).toMatchObject({ kind: 'sign', parameters: ['word'], calls: 1, read: 5000, found: 0 });
    expect(proposals[0]?.milliseconds).toBeGreaterThan(4000);
  });

  it('forgets an index that was not missed for thirty days', async () => {
    const ids = async () => (await stored()).map(({ id }) => id).sort();
    expect(await ids()).toContain('sign (word)');
    await query(
      project,
      `UPDATE $schema."_query" SET "seen_at" = now() - interval '31 days' WHERE "id" <> 'sign (word)'`,
    );
    for (let n = 0; n < 5; n += 1) await ok(anonymous(project).get('/sign/unit?filter=eq(word,x)'));
    await storeAll();
    expect(await ids()).toEqual(['sign (word)']);
  });
});
