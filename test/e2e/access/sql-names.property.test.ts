/**
 * Kinds and parameters whose ids are the names that our own SQL gives to tables and columns: whatever is written and read,
 * under rules that name every parameter, the id and the natural key, goes as with any other names.
 */
import { expect, it } from 'vitest';
import { RESERVED_KINDS } from '../../../src/model/built-in/built-in.js';
import { defineKinds, signUp } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import { dealt } from '../../support/runs.js';
import { sharedService, type TestProject } from '../../support/service.js';
import { sqlNames } from '../../support/sql-names.js';

const service = await sharedService();
/** Fields of all units or of all members, what a sign-in answers besides, and ids that no kind can have. */
const TAKEN = [
  ...['id', 'links', 'inserted_at', 'updated_at', 'first_access_time', 'email_verified_at', 'administrator', 'groups'],
  ...RESERVED_KINDS,
];
const NAMES = sqlNames().filter((name) => !TAKEN.includes(name));
const OPERATIONS = ['read', 'create', 'update', 'delete', 'link'];
/** Names of one project: two kinds, a natural key, a list, JSON, references, and texts. */
const CHUNK = 45;

type Unit = Record<string, unknown> & { id: string };
const created = async (caller: TestProject, kind: string, body: object): Promise<Unit> =>
  (await ok(caller.post(`/${kind}/unit`, body))) as Unit;

/** A member that has a value of every text too. */
async function member(project: TestProject, texts: readonly string[]): Promise<TestProject> {
  await defineKinds(project, { id: 'person', label: 'Person', parameters: texts });
  await ok(project.put('/group/unit/kind_auth_member', { kind_list: ['kind_admin', 'person'] }));
  const { accessToken } = await signUp(project, 'ann', Object.fromEntries(texts.map((name) => [name, 'mine'])));
  return project.as(accessToken);
}

/** Rules that hold for every unit and ask for all that it has. */
function rulesOf(texts: readonly string[], paths: readonly string[], notMine: string): string[] {
  const absent = (path: string) => `or(isnull(${path}),isnull(${path},false))`;
  return [
    `and(${[...texts, ...paths, 'id', 'kind_id', 'inserted_at', 'metadata.x'].map(absent).join()})`,
    `or(eq(${texts[0]},@member.${texts[1]}),${notMine})`,
  ];
}

async function tryNames(names: readonly string[]): Promise<void> {
  const [natural = '', plain = '', key = '', list = '', json = '', one = '', back = '', own = '', ...texts] = names;
  const project = await service.project();
  const text = (id: string) => ({ id, kind_id: 'string' });
  const reference = (id: string, kind: string, on_delete: string) => {
    return { id, kind_id: 'unit', reference_kind: kind, on_delete };
  };
  const fields = [...texts, list, json];
  await defineKinds(
    project,
    {
      id: natural,
      parameters: [
        { ...text(key), is_primary: true },
        ...texts.map(text),
        { ...text(list), multiple: true },
        { id: json, kind_id: 'json', multiple: true },
      ],
    },
    { id: plain, parameters: [...fields, reference(one, natural, 'cascade')] },
  );
  const ann = await member(project, texts);
  for (const id of [reference(back, plain, 'set_null'), reference(own, natural, 'restrict')]) {
    await ok(project.post('/unit/unit', id));
  }
  const [first = ''] = texts;
  const ofNatural = rulesOf(
    [...fields, key],
    [own, `${own}.${first}`, `${back}.${first}`, `${back}.${one}.${key}`],
    'ne(id,@member.username)',
  );
  const ofPlain = rulesOf(fields, [one, `${one}.${key}`, `${one}.id`, `${one}.${own}.${first}`], 'ne(id,@member.id)');
  const access = (rules: readonly string[]) => Object.fromEntries(OPERATIONS.map((each) => [each, rules]));
  await ok(
    project.put(`/kind/unit/${natural}`, { parameters: [key, ...fields, back, own], access: access(ofNatural) }),
  );
  await ok(project.put(`/kind/unit/${plain}`, { access: access(ofPlain) }));
  await ok(project.post('/group/unit', { id: 'both', kind_list: [natural, plain] }));

  const values = (salt: string) => ({
    ...Object.fromEntries(texts.map((name) => [name, `${name} ${salt}`])),
    [list]: [salt, 'x'],
    [json]: [{ x: salt }, [1]],
  });
  // Creates: one, many, one inside another.
  const a = await created(ann, natural, { [key]: 'a', ...values('a') });
  expect(a).toMatchObject({ id: 'a', [key]: 'a', ...values('a') });
  await ok(
    ann.post(`/${natural}/unit`, [
      { [key]: 'b', [own]: 'a' },
      { [key]: 'c', ...values('c') },
    ]),
  );
  const inside = await created(ann, plain, { ...values('p'), [one]: { [key]: 'd', [own]: 'a' } });
  expect(inside).toMatchObject({ ...values('p'), [one]: 'd' });
  // Edits, of a version too.
  const before = await ann.get(`/${natural}/unit/a`);
  const headers = { 'if-match': before.headers.get('etag') ?? '' };
  const edited = await ok(ann.put(`/${natural}/unit/a`, { ...values('e'), [back]: inside.id }, { headers }));
  expect(edited).toMatchObject({ ...values('e'), [back]: inside.id });
  // Reads.
  const include = `id,${fields.join()},${own}.${first},${back}.${one}.${key}`;
  const filter = `filter=and(${texts.map((name) => `icontains(${name},E)`).join()},eq(${back}.${one}.id,d))`;
  const order = texts.map((name) => `&order[]=${name};desc`).slice(0, 16);
  const page = `/${natural}/unit?limit=2&include=${include}&order=${back}.${one}.${first};asc${order.slice(1).join('')}`;
  expect(await ok(ann.get(`${page}&${filter}`))).toMatchObject({
    count: 1,
    items: [{ id: 'a', ...values('e'), [`${back}.${one}.${key}`]: 'd' }],
  });
  const { next } = (await ok(ann.get(`${page}&cursor=`))) as { next: string };
  expect(await ok(ann.get(`${page}&cursor=${next}`))).toMatchObject({ count: 4, next: null });
  // Links.
  const link = `/${natural}/unit/a/link/link/${plain}/unit/${inside.id}`;
  await ok(ann.post(link));
  await ok(ann.post(`/${plain}/unit/${inside.id}/link/link/${natural}/unit/b`));
  const walked = `/${natural}/unit/a/link/child`;
  expect(await ok(ann.get(`${walked}?filter=isnull(${first},false)&order=${first};asc`))).toMatchObject({
    count: 1,
    items: [{ id: inside.id, ...values('p') }],
  });
  expect(await ok(ann.get(`${walked}?depth=2&load_links=true`))).toMatchObject({ count: 2 });
  expect(await ok(ann.get(`/group/both/unit?load_links=true&order=${first};desc`))).toMatchObject({ count: 5 });
  expect(await ok(ann.get('/group/both/unit/b?load_links=true'))).toMatchObject({ id: 'b', [own]: 'a' });
  expect(await ok(project.get(`/${natural}/unit/a/access?member=${await idOf(ann)}`))).toMatchObject({
    operations: { update: { allowed: true } },
  });
  await ok(ann.delete(link));
  // Deletions: d takes along the unit that refers to it, to which a refers.
  await ok(ann.delete(`/${natural}/unit/d`));
  expect(await ok(ann.get(`/${natural}/unit/a`))).toMatchObject({ id: 'a', [back]: null, ...values('e') });
  expect(await ok(ann.get(`/${plain}/unit`))).toEqual({ count: 0, items: [] });
}

const idOf = async (caller: TestProject) => ((await ok(caller.get('/person/unit'))) as { items: Unit[] }).items[0]?.id;

it('every name in our SQL may also be the name of a kind or a parameter', { timeout: 300_000 }, async () => {
  const [names = []] = dealt(NAMES, 1);
  for (let at = 0; at + CHUNK <= names.length; at += CHUNK) await tryNames(names.slice(at, at + CHUNK));
  await tryNames(names.slice(-CHUNK));
});

it.each([4, 9])('a list of JSON is stored as it is beside a parameter `e`, and as one: %i', async (place) => {
  const others = NAMES.filter((name) => name !== 'e').slice(0, CHUNK - 1);
  await tryNames(others.toSpliced(place, 0, 'e'));
});
