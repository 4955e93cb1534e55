/** All deletions take the same path: units deleted because of a reference run the same hooks as the unit that a caller names, all or none. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { KindDef } from '../../src/model/model.js';
import { refusal } from '../../src/shared/errors.js';
import { LIMITS } from '../../src/shared/limits.js';
import { Behaviors } from '../../src/unit/draft/behavior.js';
import { asSystem, type Session } from '../../src/catalog/session/session.js';
import { TableStore } from '../../src/unit/table/table.store.js';
import { asMember, defineKinds } from '../support/callers.js';
import { createdId, ok, query, refusalOf } from '../support/definitions.js';
import { lowerLimit } from '../support/limits.js';
import { sharedService } from '../support/service.js';

const service = await sharedService();
const { app } = service.service;
const writer = app.get(TableStore);

/** What the behaviours of kinds that begin with `heard` were told, with the label of the unit. */
let events: string[] = [];
/** What they do beyond listening. */
let act: (event: string, kind: KindDef, id: string, session: Session) => Promise<void> | void = () => undefined;
const labels = new Map<string, string>();

const standing = async (
  { id }: KindDef,
  unit: string,
  { executor, project: { schema } }: Session,
): Promise<boolean> => {
  const rows = await executor.run({ text: `SELECT FROM "${schema}"."${id}" WHERE "id" = $1`, values: [unit] });
  return rows.length > 0;
};

app.get(Behaviors).register({
  applies: (kind) => kind.id.startsWith('heard'),
  async beforeDelete(kind, id, session) {
    const label = labels.get(id) ?? id;
    events.push(`before ${label}${(await standing(kind, id, session)) ? '' : ', gone'}`);
    await act(`before ${label}`, kind, id, session);
  },
  async afterDelete(kind, id, session) {
    const label = labels.get(id) ?? id;
    events.push(`after ${label}${(await standing(kind, id, session)) ? ', still there' : ''}`);
    await act(`after ${label}`, kind, id, session);
  },
  complete(draft, { id }) {
    if (id !== undefined)
      events.push(`edit ${labels.get(id) ?? id} ${JSON.stringify(Object.fromEntries(draft.values))}`);
    return draft;
  },
});

const project = await service.project();
const reference = (id: string, kind: string, rule: string) => ({
  id,
  kind_id: 'unit',
  reference_kind: kind,
  on_delete: rule,
});
await defineKinds(
  project,
  { id: 'owner', label: 'Owner', access: { delete: 'member' } },
  {
    id: 'heard_pet',
    label: 'Pet',
    parameters: [reference('keeper', 'owner', 'cascade')],
    access: { delete: 'nobody', read: 'admin' },
  },
  { id: 'heard_toy', label: 'Toy', parameters: [reference('pet', 'heard_pet', 'cascade')] },
  { id: 'heard_note', label: 'Note', parameters: [reference('about', 'heard_pet', 'set_null')] },
  { id: 'bill', label: 'Bill', parameters: [reference('payer', 'heard_toy', 'restrict')] },
  {
    id: 'heard_node',
    label: 'Node',
    parameters: [
      reference('parent', 'heard_node', 'cascade'),
      reference('heir', 'heard_node', 'cascade'),
      reference('friend', 'heard_node', 'set_null'),
    ],
  },
  { id: 'heard_leaf', label: 'Leaf', parameters: [reference('node', 'heard_node', 'cascade')] },
  {
    id: 'branch',
    label: 'Branch',
    parameters: [
      reference('owner', 'owner', 'cascade'),
      reference('above', 'branch', 'cascade'),
      reference('beside', 'branch', 'set_null'),
    ],
  },
  { id: 'twig', label: 'Twig', parameters: [reference('branch', 'branch', 'cascade')] },
  { id: 'tag', label: 'Tag', parameters: [reference('branch_tag', 'branch', 'set_null')] },
);

const make = async (kind: string, label: string, body: object = {}): Promise<string> => {
  const id = await createdId(project.post(`/${kind}/unit`, body));
  labels.set(id, label);
  return id;
};
const count = async (kind: string) =>
  (await query<{ n: number }>(project, `SELECT count(*)::int AS n FROM $schema."${kind}"`))[0]?.n;

beforeEach(() => {
  events = [];
  act = () => undefined;
});

describe('units that a deletion reaches through references', () => {
  it('is announced before and after its deletion, depth first; a cleared reference is an edit', async () => {
    const owner = await make('owner', 'owner');
    const pets = [await make('heard_pet', 'cat', { keeper: owner }), await make('heard_pet', 'dog', { keeper: owner })];
    await make('heard_toy', 'mouse', { pet: pets[0] });
    const note = await make('heard_note', 'note', { about: pets[1] });
    const before = await ok(project.get(`/heard_note/unit/${note}`));
    await ok(project.delete(`/owner/unit/${owner}`));
    expect(events).toEqual([
      ...['before cat', 'before mouse', 'after mouse', 'after cat'],
      ...['before dog', 'edit note {"about":null}', 'after dog'],
    ]);
    const after = await ok(project.get(`/heard_note/unit/${note}`));
    expect(after).toMatchObject({ about: null });
    expect(after.updated_at > before.updated_at).toBe(true);
  });

  it('needs no right of the caller', async () => {
    const owner = await make('owner', 'owner');
    await make('heard_pet', 'cat', { keeper: owner });
    const member = await asMember(project);
    await ok(member.delete(`/owner/unit/${owner}`));
    expect(events).toEqual(['before cat', 'after cat']);
  });

  it('is kept completely if a behavior or restrict keeps one unit', async () => {
    const owner = await make('owner', 'owner');
    const cat = await make('heard_pet', 'cat', { keeper: owner });
    const mouse = await make('heard_toy', 'mouse', { pet: cat });
    const note = await make('heard_note', 'note', { about: cat });
    act = (event) => {
      if (event === 'after mouse') throw refusal('unit.conflict', 'The mouse stays');
    };
    expect(refusalOf(await project.delete(`/owner/unit/${owner}`))).toEqual({
      status: 409,
      messages: ['unit.conflict'],
    });
    act = () => undefined;
    await make('bill', 'bill', { payer: mouse });
    const refused = await project.delete(`/owner/unit/${owner}`);
    expect(refusalOf(refused)).toEqual({ status: 409, messages: ['unit.referenced'] });
    expect(refused.body.messages[0]?.text).toContain(`1 of 'bill' by 'payer'`);
    for (const path of [`/owner/unit/${owner}`, `/heard_toy/unit/${mouse}`]) await ok(project.get(path));
    expect(await ok(project.get(`/heard_note/unit/${note}`))).toMatchObject({ about: cat });
  });

  it('is checked again before its deletion: a behavior may have kept or deleted it', async () => {
    const owner = await make('owner', 'owner');
    const cat = await make('heard_pet', 'cat', { keeper: owner });
    const dog = await make('heard_pet', 'dog', { keeper: owner });
    const fox = await make('heard_pet', 'fox', { keeper: owner });
    act = async (event, kind, _, session) => {
      if (event !== 'before cat') return;
      await writer.deletions.delete(asSystem(session), kind, dog);
      await writer.deletions.delete(asSystem(session), kind, cat);
      await writer.updates.update(asSystem(session), kind, fox, () => new Map([['keeper', null]]));
    };
    await ok(project.delete(`/owner/unit/${owner}`));
    expect(events).toEqual(['before cat', 'before dog', 'after dog', 'edit fox {"keeper":null}', 'after cat']);
    const [kept] = await query<{ keeper: string | null }>(
      project,
      'SELECT "keeper" FROM $schema."heard_pet" WHERE "id" = $1',
      [fox],
    );
    expect(kept).toEqual({ keeper: null });
  });
});

describe('circular references', () => {
  it('end, and each unit is announced once', async () => {
    const a = await make('heard_node', 'a');
    const b = await make('heard_node', 'b', { parent: a, friend: a });
    const c = await make('heard_node', 'c', { heir: a });
    await ok(project.put(`/heard_node/unit/${a}`, { parent: b, friend: c, heir: a }));
    await make('heard_leaf', 'leaf of a', { node: a });
    await make('heard_leaf', 'leaf of b', { node: b });
    events = [];
    await ok(project.delete(`/heard_node/unit/${a}`));
    expect(events).toEqual([
      'before a',
      ...['before b', 'before leaf of b', 'after leaf of b', 'after b'],
      ...['before c', 'after c'],
      ...['before leaf of a', 'after leaf of a'],
      'after a',
    ]);
    expect([await count('heard_node'), await count('heard_leaf')]).toEqual([0, 0]);
  });
});

describe('many units without hooks', () => {
  it('are deleted with a bounded number of statements, and units that referred to them get new versions', async () => {
    const owner = await make('owner', 'owner');
    const common = `'{}', now(), '2020-01-01'`;
    const times = '"metadata", "inserted_at", "updated_at"';
    await query(
      project,
      `INSERT INTO $schema."branch" ("id", "owner", ${times}) SELECT gen_random_uuid(), $1::uuid, ${common} FROM generate_series(1, 12000)`,
      [owner],
    );
    for (let level = 0; level < 2; level++) {
      await query(
        project,
        `INSERT INTO $schema."branch" ("id", "above", ${times}) SELECT gen_random_uuid(), "id", ${common} FROM $schema."branch" WHERE NOT EXISTS (SELECT FROM $schema."branch" AS u WHERE u."above" = "branch"."id") LIMIT 5000`,
      );
    }
    await query(
      project,
      `INSERT INTO $schema."twig" ("id", "branch", ${times}) SELECT gen_random_uuid(), "id", ${common} FROM $schema."branch"`,
    );
    await query(
      project,
      `INSERT INTO $schema."tag" ("id", "branch_tag", ${times}) SELECT gen_random_uuid(), "id", ${common} FROM $schema."branch" LIMIT 100`,
    );
    const statements = await project.statements(() => ok(project.delete(`/owner/unit/${owner}`)));
    expect(statements).toBeLessThan(70);
    expect([await count('branch'), await count('twig'), await count('tag')]).toEqual([0, 0, 100]);
    const [tags] = await query<{ n: number }>(
      project,
      `SELECT count(*)::int AS n FROM $schema."tag" WHERE "branch_tag" IS NULL AND "updated_at" > '2021-01-01'`,
    );
    expect(tags?.n).toBe(100);
  });
});

describe('a long chain without hooks', () => {
  /** Makes an owner and a chain of so many branches below it, each one a friend of the one before. */
  async function chain(length: number): Promise<string> {
    const owner = await make('owner', 'owner');
    await query(
      project,
      `WITH ids AS (SELECT i, gen_random_uuid() AS id FROM generate_series(1, $2::int) AS i)
       INSERT INTO $schema."branch" ("id", "owner", "above", "beside", "metadata", "inserted_at", "updated_at")
       SELECT a.id, CASE WHEN a.i = 1 THEN $1::uuid END, b.id, b.id, '{}', now(), now() FROM ids AS a LEFT JOIN ids AS b ON b.i = a.i - 1`,
      [owner, length],
    );
    return owner;
  }

  /**
   * How many characters of text and values a deletion sends to PostgreSQL: the less of two, because one of them may meet
   * what the service does by itself, and run again.
   */
  async function sentFor(length: number): Promise<number> {
    const sizes: number[] = [];
    for (const owner of [await chain(length), await chain(length)]) {
      const sent = await project.sent(() => ok(project.delete(`/owner/unit/${owner}`)));
      sizes.push(sent.reduce((sum, statement) => sum + JSON.stringify(statement).length, 0));
    }
    return Math.min(...sizes);
  }

  it('costs as much for each unit, however many are above it', async () => {
    const once = await sentFor(50);
    const fourTimes = await sentFor(200);
    expect(fourTimes).toBeGreaterThan(3.5 * once);
    expect(fourTimes).toBeLessThan(4.5 * once);
    expect(await count('branch')).toBe(0);
  });
});

it('a deletion of too many units deletes none', async () => {
  lowerLimit('deletedUnits', 1000);
  const owner = await make('owner', 'owner');
  await query(
    project,
    `INSERT INTO $schema."branch" ("id", "owner", "metadata", "inserted_at", "updated_at") SELECT gen_random_uuid(), $1::uuid, '{}', now(), now() FROM generate_series(1, $2::int)`,
    [owner, LIMITS.deletedUnits],
  );
  expect(refusalOf(await project.delete(`/owner/unit/${owner}`))).toEqual({
    status: 409,
    messages: ['unit.reaches_too_many'],
  });
  expect(await count('branch')).toBe(LIMITS.deletedUnits);
  await query(project, 'TRUNCATE $schema."branch" CASCADE');
});

it('a unit that a behavior changes before its deletion still counts as the requested version', async () => {
  const cat = await make('heard_pet', 'cat');
  const tag = (await project.get(`/owner/unit/${await make('owner', 'owner')}`)).headers.get('etag') ?? '';
  expect((await project.delete(`/heard_pet/unit/${cat}`, { headers: { 'if-match': tag } })).status).toBe(403);
  const leaf = await make('heard_leaf', 'leaf');
  const reply = await project.get(`/heard_leaf/unit/${leaf}`);
  const stale = await project.delete(`/heard_leaf/unit/${leaf}`, { headers: { 'if-match': '"old"' } });
  expect(refusalOf(stale)).toEqual({ status: 412, messages: ['unit.changed'] });
  expect(events).toEqual([]);
  act = async (event, kind, id, session) => {
    if (event === 'before leaf')
      await writer.updates.update(asSystem(session), kind, id, () => new Map([['metadata', { a: 1 }]]));
  };
  await ok(project.delete(`/heard_leaf/unit/${leaf}`, { headers: { 'if-match': reply.headers.get('etag') ?? '' } }));
});
