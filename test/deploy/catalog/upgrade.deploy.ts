/**
 * An upgrade adds what the model of this version has and an older project lacks. It never drops what it does not know,
 * and removes nothing that is in its way: it reports what does not fit.
 */
import { describe, expect, it, vi } from 'vitest';
import { ModelStore } from '../../../src/catalog/model/model-store.js';
import { Provisioning } from '../../../src/catalog/project/provisioning.js';
import type { UpgradeResult } from '../../../src/catalog/project/upgrade.js';
import { BUILT_IN_VERSION } from '../../../src/model/built-in/built-in.js';
import { definitionsOf, expectNoDrift, modelOf, ok, query, refusalOf } from '../../support/definitions.js';
import { makeKey } from '../../support/keys.js';
import { ownDatabase, startServiceOn } from '../../support/own-database.js';
import { ADMIN, type TestProject } from '../../support/service.js';
import { sideConnection } from '../../support/side-connection.js';

// A database of its own: services of other files would upgrade what is old here when they start.
const connection = await ownDatabase();
const service = await startServiceOn(connection);
const provisioning = service.service.app.get(Provisioning);
const side = await sideConnection(connection);

const migrate = (project: TestProject): Promise<UpgradeResult> => provisioning.migrate(project.id);

async function outdated(): Promise<string[]> {
  const found: string[] = [];
  for await (const ids of provisioning.outdated()) found.push(...ids);
  return found;
}

async function versions(project: TestProject): Promise<{ version: number; built_in: number }> {
  const [row] = await query<{ version: string; built_in: number }>(project, 'SELECT * FROM $schema."_model"');
  return { version: Number(row?.version), built_in: Number(row?.built_in) };
}

/** A project with a kind of its owner's, whose units are members. */
async function used(): Promise<TestProject> {
  const project = await service.project();
  await ok(
    project.post('/kind/unit', {
      id: 'person',
      parameters: [
        { id: 'name', kind_id: 'string', indexed: true },
        { id: 'age', kind_id: 'integer' },
      ],
    }),
  );
  await ok(project.put('/group/unit/kind_auth_member', { kind_list: ['kind_admin', 'person'] }));
  return project;
}

const signIn = { username: ADMIN.username, password: ADMIN.password };

describe('an older project', () => {
  it('gets missing tables, columns, indexes, keys and rows, and keeps objects of its owner', async () => {
    const project = await used();
    await ok(project.put('/string/unit/name', { max_length: 40 }));
    const before = await definitionsOf(project);
    const model = await modelOf(project);
    // As a version was that had no links, no patterns, no hidden parameters, no decimals and no administrators.
    for (const text of [
      'DROP TABLE $schema."link"',
      'DROP TABLE $schema."_one_time", $schema."_throttle"',
      'CREATE TABLE $schema."_code" ("id" uuid)',
      'ALTER TABLE $schema."_parameter" DROP COLUMN "pattern", DROP COLUMN "hidden", DROP COLUMN "on_delete"',
      'ALTER TABLE $schema."_parameter" ALTER COLUMN "label" DROP NOT NULL',
      'ALTER TABLE $schema."person" DROP COLUMN "name"',
      `DELETE FROM $schema."kind" WHERE "id" = 'decimal'`,
      `UPDATE $schema."kind" SET "parameters" = ARRAY['id', 'label'] WHERE "id" IN ('kind', 'string')`,
      `UPDATE $schema."kind" SET "label" = 'Sort', "public" = true WHERE "id" = 'kind'`,
      `UPDATE $schema."group" SET "kind_list" = array_remove("kind_list", 'decimal') WHERE "id" = 'parameter'`,
      `UPDATE $schema."group" SET "kind_list" = ARRAY['person'], "label" = 'People' WHERE "id" = 'kind_auth_member'`,
      'UPDATE $schema."_model" SET "built_in" = 0',
      `UPDATE "kind"."project" SET "built_in" = NULL`,
    ]) {
      await query(project, text);
    }
    const old = await versions(project);
    expect(await outdated()).toEqual([project.id]);
    const { steps, leftAlone } = await migrate(project);
    expect({ leftAlone, some: steps > 5 }).toEqual({ leftAlone: [], some: true });
    expect(await outdated()).toEqual([]);
    expect(await versions(project)).toEqual({ version: old.version + 1, built_in: BUILT_IN_VERSION });

    await expectNoDrift(project);
    const after = await definitionsOf(project);
    expect(after.tables).toEqual(before.tables);
    const { kinds, groups, ...rest } = await modelOf(project);
    expect(kinds.get('kind')).toMatchObject({ label: 'Sort', public: true });
    expect(groups.get('kind_auth_member')).toMatchObject({ label: 'People', kinds: ['kind_admin', 'person'] });
    // But for that, it is what it was.
    const kind = { ...kinds.get('kind')!, label: 'Kind', public: false };
    const members = { ...groups.get('kind_auth_member')!, label: 'Member kinds' };
    expect({
      ...rest,
      kinds: new Map([...kinds, ['kind', kind]]),
      groups: new Map([...groups, ['kind_auth_member', members]]),
    }).toEqual({ ...model, version: rest.version });
    expect(after.records.parameters.find(({ id }) => id === 'name')).toMatchObject({ hidden: false, max_length: 40 });

    await ok(project.post('/person/unit', { username: 'ann', email: 'ann@example.com', name: 'Ann', age: 7 }));
    expect(await migrate(project)).toEqual({ steps: 0, leftAlone: [] });
  });

  it('gets API keys', async () => {
    const project = await used();
    await query(project, 'DROP TABLE $schema."api_key"');
    await query(project, `DELETE FROM $schema."kind" WHERE "id" = 'api_key'`);
    const { tables } = await definitionsOf(project);
    const [index = ''] = [...(tables.get('kind_system_user')?.indexes.values() ?? [])].flatMap(({ name, columns }) =>
      columns.includes('member_id') ? name : [],
    );
    await query(project, `DROP INDEX $schema."${index}"`);
    await query(project, 'UPDATE $schema."_model" SET "built_in" = 0');
    expect(await migrate(project)).toMatchObject({ leftAlone: [] });
    await expectNoDrift(project);
    const { secret } = await makeKey(project);
    await ok(project.as(secret).get('/kind/unit'));
  });

  it('has member kinds whose records list the fields of members', async () => {
    const project = await used();
    const record = (await ok(project.get('/kind/unit/person'))) as { parameters: string[]; updated_at: string };
    await query(project, `UPDATE $schema."kind" SET "parameters" = ARRAY['name', 'age'] WHERE "id" = 'person'`);
    await query(project, 'UPDATE $schema."_model" SET "built_in" = 0');
    expect(await migrate(project)).toEqual({ steps: 1, leftAlone: [] });
    const upgraded = (await ok(project.get('/kind/unit/person'))) as { updated_at: string };
    expect(upgraded).toEqual({ ...record, updated_at: upgraded.updated_at });
    expect(upgraded.updated_at > record.updated_at).toBe(true);
    expect(await migrate(project)).toEqual({ steps: 0, leftAlone: [] });
    await expectNoDrift(project);
  });

  it('is recorded and announced, whether rows or nothing were missing', async () => {
    const project = await service.project();
    const { version } = await versions(project);
    await query(project, `DELETE FROM $schema."kind" WHERE "id" = 'decimal'`);
    expect(await migrate(project)).toEqual({ steps: 1, leftAlone: [] });
    expect(await versions(project)).toEqual({ version: version + 1, built_in: BUILT_IN_VERSION });
    expect((await project.get('/decimal/unit')).status).toBe(200);

    await query(project, 'UPDATE $schema."_model" SET "built_in" = 0');
    expect(await migrate(project)).toEqual({ steps: 0, leftAlone: [] });
    expect(await versions(project)).toEqual({ version: version + 2, built_in: BUILT_IN_VERSION });
    expect(await migrate(project)).toEqual({ steps: 0, leftAlone: [] });
    expect(await versions(project)).toEqual({ version: version + 2, built_in: BUILT_IN_VERSION });
  });

  it.each([
    ['of which nothing is missing yet', ''],
    ['that lacks tables', 'DROP TABLE $schema."link", $schema."_session", $schema."_throttle", $schema."_one_time"'],
    ['that lacks columns', 'ALTER TABLE $schema."_parameter" DROP COLUMN "pattern", DROP COLUMN "hidden"'],
    ['that lacks rows', 'DELETE FROM $schema."kind"'],
  ])('%s is told to be away on every route until it is upgraded, which the first request asks for', async (_, text) => {
    const project = await used();
    const release = await side.holding(
      project,
      `SELECT pg_advisory_xact_lock(hashtextextended('project_${project.id}', 7))`,
    );
    await query(project, 'UPDATE $schema."_model" SET "built_in" = $1', [BUILT_IN_VERSION - 1]);
    if (text !== '') await query(project, text);
    service.service.app.get(ModelStore).clear();
    const calls = [
      () => project.get('/person/unit'),
      () => project.post('/person/unit', { name: 'Ann' }),
      () => project.get('/kind/unit'),
      () => project.post('/kind/unit', { id: 'town' }),
      () => project.get('/group/kind_auth_member/unit'),
      () => project.get('/person/struct'),
      () => project.get('/auth/verify'),
      () => project.as(undefined).post('/auth/signin', signIn),
      () => project.as(undefined).post('/auth/person/signup', {}),
    ];
    for (const call of calls) {
      const reply = await call();
      expect(refusalOf(reply)).toEqual({ status: 503, messages: ['project.unavailable'] });
      expect(reply.headers.get('retry-after')).toBe('10');
    }
    await release();
    await vi.waitUntil(async () => (await versions(project)).built_in === BUILT_IN_VERSION, { timeout: 20_000 });
    expect((await project.as(undefined).post('/auth/signin', signIn)).status).toBe(200);
  });

  it('is unavailable for changes of definitions, even if its model is in memory', async () => {
    const project = await service.project();
    await query(project, 'UPDATE $schema."_model" SET "built_in" = 0');
    expect(refusalOf(await project.post('/kind/unit', { id: 'town' }))).toMatchObject({ status: 503 });
    await migrate(project);
    await ok(project.post('/kind/unit', { id: 'town' }));
  });

  it('is also a project whose definitions an older service changed', async () => {
    const project = await service.project();
    await query(project, 'UPDATE $schema."_model" SET "built_in" = $1', [BUILT_IN_VERSION + 1]);
    await ok(project.post('/kind/unit', { id: 'town' }));
    expect((await versions(project)).built_in).toBe(BUILT_IN_VERSION);
  });

  it('of a newer version than the service stays unchanged', async () => {
    const project = await service.project();
    await query(project, 'UPDATE $schema."_model" SET "built_in" = $1', [BUILT_IN_VERSION + 1]);
    await expect(migrate(project)).rejects.toThrow(/newer than this service's/);
  });
});

describe('objects that are not part of the model', () => {
  const strangers = [
    'CREATE TABLE $schema."city_old" ("x" int)',
    'CREATE INDEX "by_lower_name" ON $schema."person" (lower("name"))',
    'CREATE INDEX "by_label" ON $schema."_parameter" ("label")',
    'ALTER TABLE $schema."person" ADD COLUMN "note" text',
    'ALTER TABLE $schema."person" ADD CONSTRAINT "older" FOREIGN KEY ("note") REFERENCES $schema."link" ("id")',
  ];
  const leftAlone = [
    'index by_label of _parameter',
    'table city_old',
    'column note of person',
    'index by_lower_name of person',
    'foreign key older of person',
  ];

  it('are kept and reported', async () => {
    const project = await used();
    for (const text of strangers) await query(project, text);
    await query(project, `INSERT INTO $schema."city_old" VALUES (7)`);
    await query(project, 'ALTER TABLE $schema."_parameter" DROP COLUMN "pattern"');
    expect(await migrate(project)).toEqual({ steps: 1, leftAlone });
    expect(await migrate(project)).toEqual({ steps: 0, leftAlone });
    expect(await query(project, 'SELECT "x" FROM $schema."city_old"')).toEqual([{ x: 7 }]);
    expect([...(await definitionsOf(project)).tables.get('person')!.columns.keys()]).toContain('note');
  });
});

describe('stored objects that differ from the model', () => {
  const FORMS = [
    {
      name: 'a column of the built-in model of another type',
      made: ['ALTER TABLE $schema."_parameter" ALTER COLUMN "scale" TYPE text'],
      told: /column scale of _parameter is text, not bigint/,
    },
    {
      name: 'a column of a kind of another type',
      made: ['ALTER TABLE $schema."person" ALTER COLUMN "age" TYPE text[] USING ARRAY["age"::text]'],
      told: /column age of person is text\[\], not bigint/,
    },
    {
      name: 'a column that has NULLs where the model has none',
      made: [
        'ALTER TABLE $schema."link" ALTER COLUMN "label" DROP NOT NULL',
        'UPDATE $schema."link" SET "label" = NULL',
      ],
      told: /column "label" of relation "link(?:_\d+)?" contains null values/,
    },
    {
      name: 'an index of the model on other columns',
      made: [],
      told: /index .* of person is another than the model's/,
    },
  ];

  it('of which one is a kind with the id of a built-in one are told, so that its units stay as they are', async () => {
    const project = await used();
    await query(project, `UPDATE $schema."kind" SET "parameters" = ARRAY['name'] WHERE "id" = 'api_key'`);
    await expect(migrate(project)).rejects.toThrow("it has a kind 'api_key' of its own");
  });

  it('of which one is a parameter of a member kind by the name of what is new there are told, whatever its type', async () => {
    const project = await used();
    await ok(project.post('/kind/unit', { id: 'guest', parameters: [{ id: 'proved', kind_id: 'datetime' }] }));
    await ok(project.post('/group/unit/kind_auth_member/link/group/kind/unit/guest'));
    // As a release before had it: members had none, and the project one of its own.
    for (const text of [
      'ALTER TABLE $schema."guest" DROP COLUMN "email_verified_at"',
      'ALTER TABLE $schema."guest" RENAME COLUMN "proved" TO "email_verified_at"',
      `UPDATE $schema."_parameter" SET "id" = 'email_verified_at' WHERE "id" = 'proved'`,
      `UPDATE $schema."kind" SET "parameters" = array_remove("parameters", 'proved') WHERE "id" = 'guest'`,
      `UPDATE $schema."kind" SET "parameters" = array_remove("parameters", 'email_verified_at') WHERE "id" = 'person'`,
      'UPDATE $schema."_model" SET "built_in" = 9',
    ])
      await query(project, text);
    const before = await versions(project);
    await expect(migrate(project)).rejects.toThrow(
      /cannot be upgraded: its member kind 'guest' has a parameter 'email_verified_at' of its own: [^;]+ take it from the kind$/,
    );
    expect(await versions(project)).toEqual(before);
  });

  it.each(FORMS)('are reported, and nothing changes: $name', async ({ made, told }) => {
    const project = await used();
    await ok(project.post('/kind/unit', { id: 'place', parameters: ['age'] }));
    if (made.length === 0) {
      const [index] = (await definitionsOf(project)).tables.get('person')!.indexes.keys();
      await query(project, `DROP INDEX $schema."${index}"`);
      await query(project, `CREATE INDEX "${index}" ON $schema."person" ("age")`);
    }
    for (const text of made) await query(project, text);
    await query(project, 'DROP TABLE $schema."place"');
    const before = [await definitionsOf(project), await versions(project)];
    await expect(migrate(project)).rejects.toThrow(told);
    expect([await definitionsOf(project), await versions(project)]).toEqual(before);
  });

  it('of one project do not prevent the start of the service and the other projects', async () => {
    const [bad, good] = [await service.project('a_bad_one'), await service.project('b_good_one')];
    await query(bad, 'ALTER TABLE $schema."_parameter" ALTER COLUMN "scale" TYPE text');
    for (const project of [bad, good]) await query(project, 'UPDATE $schema."_model" SET "built_in" = 0');
    const lost = await service.project('a_lost_one');
    await query(lost, 'DROP SCHEMA $schema CASCADE');
    await query(lost, 'UPDATE "kind"."project" SET "built_in" = NULL');
    await startServiceOn(connection);
    expect((await versions(good)).built_in).toBe(BUILT_IN_VERSION);
    expect((await versions(bad)).built_in).toBe(0);
    await expect(migrate(lost)).rejects.toThrow('its tables are not there');
  });
});

describe('a table that is locked for long', () => {
  it('is waited for a limited time: the upgrade releases its lock and retries', async () => {
    const project = await service.project();
    await query(project, 'ALTER TABLE $schema."_parameter" DROP COLUMN "pattern"');
    const release = await side.lock(project, '_parameter');
    const upgrade = migrate(project);
    await side.waiting(project, '_parameter');
    const gaveUp = () =>
      side.rows(
        'SELECT 1 FROM pg_locks l JOIN pg_class c ON c.oid = l.relation WHERE NOT l.granted AND c.relname = $1',
        ['_parameter'],
      );
    await expect.poll(gaveUp, { timeout: 10_000, interval: 1 }).toEqual([]);
    await release();
    expect(await upgrade).toEqual({ steps: 1, leftAlone: [] });
    await expectNoDrift(project);
  });
});
