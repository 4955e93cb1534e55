/**
 * No byte of an answer reveals what its caller may not read: every question is asked, secrets change, and every question
 * is asked again. Questions and secrets are generated; only who may read what is written by hand.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { documented } from '../../support/callers.js';
import { createdId, ok, query } from '../../support/definitions.js';
import { schemaName } from '../../../src/model/names.js';
import { findSessionStatement } from '../../../src/sql/member/session.sql.js';
import { readStateStatement } from '../../../src/sql/definition/model.sql.js';
import { dealt, runs } from '../../support/runs.js';
import { observeStatements } from '../../support/sent-statements.js';
import { sharedService, type TestProject } from '../../support/service.js';
import { dropSpares, EVERYBODY, flipSecretsOf, makeWorld, type Who } from './secret-model.js';
import { questions, questionsOfUnits, type Question } from './secret-questions.js';

const service = await sharedService();
const root = await service.project();
const made = await makeWorld(root);
await ok(root.post('/group/unit', { id: 'all', kind_list: ['open', 'ruled', 'closed', 'sealed', 'pointer'] }));
// Ways to hidden units, and over them to units that all may read.
for (const [from, to] of [
  ['open/unit/open0', 'ruled/unit/anns0'],
  ['open/unit/open0', 'ruled/unit/spare_ruled0'],
  ['ruled/unit/spare_ruled0', 'open/unit/open1'],
  ['open/unit/open0', 'closed/unit/closed'],
  ['closed/unit/closed', 'pointer/unit/pointer1'],
  ['ruled/unit/anns0', 'ruled/unit/bobs0'],
  ['pointer/unit/pointer1', 'open/unit/open0'],
  ['open/unit/open0', 'person/unit/spare_person'],
]) {
  const named = (path = '') => path.replace(/[^/]+$/, (name) => made.ids[name] ?? name);
  await ok(root.post(`/${named(from)}/link/link/${named(to)}`));
}
// Estimates stay the same: PostgreSQL analyses no table by itself meanwhile.
for (const kind of ['open', 'ruled', 'closed', 'sealed', 'pointer', 'person']) {
  await query(root, `ALTER TABLE $schema."${kind}" SET (autovacuum_enabled = off)`);
  await query(root, `ANALYZE $schema."${kind}"`);
}
const world = { ...made, callers: await documented(made.callers) };
const all = questions(world);
const [ofNobody = [], ofAnn = [], ofBob = [], ofRoot = []] = dealt(all, 4);
/** To Bob, units are hidden that Ann may read, and the other way round: what differs for them is not their fields. */
const differsForBob = new Set(questionsOfUnits(world).map((question) => JSON.stringify(question)));
const asked: Readonly<Record<Who, readonly Question[]>> = {
  nobody: ofNobody,
  ann: ofAnn,
  bob: ofBob.filter((question) => differsForBob.has(JSON.stringify(question))),
  root: ofRoot,
};

const LONG = { timeout: 120_000 };

/** Headers that differ from request to request. */
const OWN = new Set(['date', 'x-request-id', 'connection', 'keep-alive']);

interface Answer {
  readonly question: Question;
  readonly told: string;
  /** Whether no statement read a unit: whatever the units are, the answer is the same. */
  readonly readsNothing: boolean;
}

const schema = schemaName(root.id);
/** Statements that read no unit: before a refusal the definitions are checked, and from time to time the session. */
const HARMLESS = new Set([readStateStatement(schema).text, findSessionStatement(schema, '', {}).text]);

async function tell(caller: TestProject, { method, path, body }: Question): Promise<string> {
  const { status, headers, text } = await caller.call(method, path, body);
  const told = [...headers].filter(([name]) => !OWN.has(name)).map(([name, value]) => `${name}: ${value}`);
  return `${method} ${path} → ${status} ${told.join(', ')}\n${text}`;
}

/** Asks some questions at once. */
async function askSome(caller: TestProject, some: readonly Question[]): Promise<Answer[]> {
  let readsNothing = true;
  const stop = observeStatements(service.service.database, ({ text }) => (readsNothing &&= HARMLESS.has(text)));
  const told = await Promise.all(some.map((question) => tell(caller, question)));
  stop();
  return some.map((question, at) => ({ question, told: told[at] ?? '', readsNothing }));
}

async function answers(caller: TestProject, some: readonly Question[]): Promise<Answer[]> {
  const given: Answer[] = [];
  for (let at = 0; at < some.length; at += 16) {
    given.push(...(await askSome(caller, some.slice(at, at + 16))));
  }
  return given;
}

const differing = (before: readonly Answer[], after: readonly Answer[]) =>
  before.flatMap(({ told }, at) => (told === after[at]?.told ? [] : [`${told}\n${after[at]?.told}`]));

/** The answers in the world as it was made. */
const first = new Map<Who, readonly Answer[]>();
for (const who of EVERYBODY) first.set(who, await answers(world.callers[who], asked[who]));
const firstAnswers = (who: Who): readonly Answer[] => first.get(who) ?? [];

/** The answers that are others while the secrets of `who` are exchanged; it stops when it has found `enough`. */
async function revealed(who: Who, to: Who, enough: number): Promise<string[]> {
  const found: string[] = [];
  const before = firstAnswers(to).filter(({ readsNothing }) => !readsNothing);
  await flipSecretsOf(who, world, root);
  for (let at = 0; at < before.length && found.length < enough; at += 160) {
    const some = before.slice(at, at + 160);
    const after = some.map(({ question }) => question);
    found.push(...differing(some, await answers(world.callers[to], after)));
  }
  await flipSecretsOf(who, world, root);
  return found;
}

it.each(EVERYBODY)('to %s many questions are answered, none fails and none changes anything', (who) => {
  const before = firstAnswers(who).map(({ told }) => told);
  expect(before.filter((text) => / → 5/.test(text))).toEqual([]);
  const changed = before.filter((text) => !text.startsWith('GET') && / → 200 /.test(text));
  expect(changed.filter((text) => !text.includes('"content":{"count":0'))).toEqual([]);
  expect(before.filter((text) => / → 200 /.test(text)).length).toBeGreaterThan(runs(who === 'nobody' ? 30 : 120));
});

it('to root no answer reveals the value of a secret', LONG, async () => {
  expect(await revealed('root', 'root', 5)).toEqual([]);
});

it('the questions are effective: they reveal the secrets to callers who may read them', LONG, async () => {
  expect((await revealed('bob', 'root', 101)).length).toBeGreaterThan(100);
});

describe('without the spare units, of which only administrators know, or not even they', () => {
  beforeAll(() => dropSpares(world, root));

  it.each(['nobody', 'ann', 'bob'] as const)(
    'no answer reveals to %s whether a hidden unit exists, nor the value of a secret',
    LONG,
    async (who) => {
      expect(await revealed(who, who, 5)).toEqual([]);
    },
  );
});

it('no answer reveals the default of a definition with secret values', async () => {
  const about = all.filter(({ path }) => /struct|\/(string|kind)\/unit/.test(path));
  const both = async () => [
    ...(await answers(world.callers.ann, about)),
    ...(await answers(world.callers.nobody, about)),
  ];
  const before = await both();
  interface Time {
    readonly id: string;
    readonly at: string;
  }
  const times = await query<Time>(root, 'SELECT "id", "updated_at"::text AS at FROM $schema."_parameter"');
  await ok(root.put('/string/unit/s_string', { default_string: 'omega', pattern: '[a-z]*' }));
  await ok(root.put('/text/unit/s_text', { default_text: 'Alpha text' }));
  await ok(root.put('/integer/unit/s_integer', { default_integer: 7 }));
  for (const { id, at } of times) {
    await query(root, 'UPDATE $schema."_parameter" SET "updated_at" = $2 WHERE "id" = $1', [id, at]);
  }
  expect(differing(before, await both()).slice(0, 5)).toEqual([]);
});

describe('of a kind that a caller may only read', () => {
  const NAMES = ['veiled', 'guarded', 'locked'];
  const define = (id: string, more: object) => ({
    id,
    kind_id: 'string',
    label: 'Before',
    helper_text: 'Before',
    ...more,
  });
  const parameters = [
    { id: 'plain', kind_id: 'string' },
    define('veiled', { hidden: true, values: ['before'] }),
    define('guarded', { read_access: 'admin', values: ['before'] }),
    define('locked', { read_access: 'nobody', values: ['before'] }),
  ];
  const rest = ['update', 'delete', 'link', 'function'].map((operation) => [operation, 'admin']);
  const closed = { ...Object.fromEntries(rest), create: 'admin' };
  const structs = ['/shown/struct', '/group/window/struct'];

  async function made(): Promise<string[]> {
    const kinds = (await ok(root.get('/group/unit?filter=eq(id,window)'))) as { count: number };
    if (kinds.count === 0) {
      await ok(root.post('/kind/unit', { id: 'shown', parameters, access: { ...closed, read: 'anyone' } }));
      await ok(root.post('/group/unit', { id: 'window', kind_list: ['shown'] }));
    }
    const id = await createdId(root.post('/shown/unit', { plain: 'x' }));
    return [...structs, `/shown/unit/${id}/struct`];
  }

  const ask = (path: string) => [
    path,
    ...NAMES.flatMap((name) => [
      `${path}?include=${name}`,
      `${path}?exclude=${name}`,
      `${path}?include=${name.slice(0, -1)}`,
      `${path}?filter=eq(id,${name})`,
      `${path}?filter=eq(label,Before)&order=label;asc`,
    ]),
  ];

  it.each(['nobody', 'ann'] as const)('no struct shows %s what it may not read', async (who) => {
    const about = (await made()).flatMap(ask).map((path): Question => ({ method: 'GET', path }));
    const before = await answers(world.callers[who], about);
    const after = { label: 'After', helper_text: 'After', values: ['after'], required: false, max_length: 9 };
    const stored = { label: 'Before', helper_text: 'Before', values: ['before'], max_length: null };
    for (const name of NAMES) await ok(root.put(`/string/unit/${name}`, after));
    const changed = await answers(world.callers[who], about);
    const texts = before.map(({ told }) => told);
    for (const name of NAMES) await ok(root.put(`/string/unit/${name}`, stored));
    expect(differing(before, changed).slice(0, 5)).toEqual([]);
    // They are names like any that the kind does not have.
    expect(
      texts.filter((text) => /"id": ?"(veiled|guarded|locked)"|did you mean '(veiled|guarded|locked)'/.test(text)),
    ).toEqual([]);
    expect(texts.filter((text) => / → 200 /.test(text) && text.includes('"plain"')).length).toBeGreaterThan(0);
  });

  it('a struct shows the allowed values to callers who may write the field', async () => {
    await made();
    const ids = async (caller: TestProject) => {
      const { items } = (await ok(caller.get('/shown/struct'))) as { items: { id: string }[] };
      return items.map(({ id }) => id).filter((id) => id !== 'metadata');
    };
    expect(await ids(root)).toEqual(['plain', ...NAMES]);
    for (const operation of ['create', 'update']) {
      await ok(root.put('/kind/unit/shown', { access: { ...closed, read: 'anyone', [operation]: 'member' } }));
      expect([await ids(world.callers.ann), await ids(world.callers.nobody)]).toEqual([['plain', ...NAMES], ['plain']]);
    }
    await ok(root.put('/kind/unit/shown', { access: { ...closed, read: 'anyone' } }));
    expect(await ids(world.callers.ann)).toEqual(['plain']);
  });
});
