/**
 * A model with every sort of secret: fields of every type that are hidden or protected; units that a rule
 * hides; kinds that may not be read; members. Who may not know which of them is listed by hand, apart from the model.
 */
import { linkColumnName } from '../../../src/model/names.js';
import { asMember, defineKinds, tokensOf } from '../../support/callers.js';
import { createdId, ok, query } from '../../support/definitions.js';
import type { TestProject } from '../../support/service.js';

/** Two values of each type: as JSON, and as PostgreSQL writes them. */
export const PAIRS = {
  string: { json: ['alpha', 'omega'], column: 'text' },
  text: { json: ['Alpha text', 'Omega text'], column: 'text' },
  integer: { json: [7, 8], column: 'bigint' },
  float: { json: [1.5, 2.5], column: 'double precision' },
  decimal: { json: ['1.5', '2.5'], column: 'numeric' },
  boolean: { json: [true, false], column: 'boolean' },
  date: { json: ['2024-01-31', '2025-01-31'], column: 'date' },
  time: { json: ['09:30:00', '10:30:00'], column: 'time' },
  datetime: { json: ['2024-01-31T09:30:00Z', '2025-01-31T09:30:00Z'], column: 'timestamptz' },
  binary: { json: ['AAEC', 'AAED'], column: 'bytea' },
  json: { json: [{ k: 1 }, { k: 2 }], column: 'jsonb' },
} as const satisfies Record<string, { json: readonly [unknown, unknown]; column: string }>;

type TypeId = keyof typeof PAIRS;
const TYPES = Object.keys(PAIRS) as TypeId[];

/** Whom a field is kept from. */
const FLAVOURS = [
  { more: { hidden: true }, from: ['nobody', 'ann', 'bob', 'root'] },
  { more: { read_access: 'admin' }, from: ['nobody', 'ann', 'bob'] },
  { more: { read_access: 'nobody' }, from: ['nobody', 'ann', 'bob', 'root'] },
  // A rule that no unit satisfies.
  { more: { read_access: 'eq(code,none)' }, from: ['nobody', 'ann', 'bob'] },
] as const;
/** Those that values of links may have. */
const LINK_FLAVOURS = FLAVOURS.slice(0, 3);
export type Who = (typeof FLAVOURS)[0]['from'][number];
export const EVERYBODY: readonly Who[] = FLAVOURS[0].from;

export interface Parameter {
  readonly id: string;
  readonly type: TypeId;
  readonly from: readonly Who[];
}

/** One that is kept from some, for every type, and one that is not. */
export const KEPT: readonly Parameter[] = TYPES.map((type, at) => ({
  id: `s_${type}`,
  type,
  from: FLAVOURS[at % FLAVOURS.length]?.from ?? [],
}));
export const PLAIN: readonly Parameter[] = TYPES.map((type) => ({ id: `o_${type}`, type, from: [] }));

/** Values of links, one for each flavour and one that is kept from nobody. */
export const LINK_VALUES: readonly Parameter[] = [
  ...LINK_FLAVOURS.map(({ from }, at): Parameter => ({ id: `w_${at}`, type: 'integer', from })),
  { id: 'w_plain', type: 'integer', from: [] },
];

/** The end of a link with values that leads to a unit that is hidden from callers: its name, and theirs. */
const HIDDEN_ENDS: readonly (readonly [string, readonly Who[]])[] = [
  ['anns0', ['nobody', 'bob']],
  ['bobs0', ['nobody', 'ann']],
  ['closed', ['nobody', 'ann', 'bob']],
];

const valuesOf = (at: number) =>
  Object.fromEntries([...KEPT, ...PLAIN].map(({ id, type }) => [id, PAIRS[type].json[at]]));
const reference = (id: string, kind: string) => ({ id, kind_id: 'unit', reference_kind: kind });

/** Units by name. `spare` ones are hidden, and nothing that anybody may read leads to them. */
export interface World {
  readonly callers: Readonly<Record<Who, TestProject>>;
  readonly ids: Readonly<Record<string, string>>;
}

export async function makeWorld(root: TestProject): Promise<World> {
  const ann = await asMember(root);
  const person = (username: string) =>
    createdId(root.post('/person/unit', { username, email: `${username}@example.com` }));
  const bobId = await person('bob');
  const bob = root.as((await tokensOf(root, 'person', bobId)).access_token);
  const { items } = (await ok(ann.get('/person/unit'))) as { items: { id: string }[] };
  const ids: Record<string, string> = { ann: items[0]?.id ?? '', bob: bobId, spare_person: await person('eve') };
  // Texts that are searched: of those that are kept, only one that is not hidden can be.
  const searched = (id: string) => (['o_string', 'o_text', 's_text'].includes(id) ? { search: 'simple' } : {});
  const fields = KEPT.map(({ id, type }, at) => ({
    id,
    kind_id: type,
    ...searched(id),
    ...FLAVOURS[at % FLAVOURS.length]?.more,
  }));
  const all = [...KEPT, ...PLAIN].map(({ id }) => id);
  const code = { id: 'code', kind_id: 'string', unique: true };
  const serial = { id: 'serial', kind_id: 'integer', unique: true, read_access: 'admin' };
  await defineKinds(
    root,
    {
      id: 'open',
      public: true,
      parameters: [code, serial, ...fields, ...PLAIN.map(({ id, type }) => ({ id, kind_id: type, ...searched(id) }))],
    },
    {
      id: 'ruled',
      parameters: ['code', ...all, reference('owner', 'person')],
      access: { read: 'eq(owner,@member.id)' },
    },
    { id: 'closed', parameters: ['code', ...all, reference('holds', 'ruled')], access: { read: 'admin' } },
    { id: 'sealed', parameters: ['code', ...all], access: { read: 'nobody' } },
    {
      id: 'pointer',
      public: true,
      parameters: ['code', ...['open', 'ruled', 'closed', 'person'].map((kind) => reference(`to_${kind}`, kind))],
    },
  );
  const make = async (name: string, kind: string, at: number, more: object = {}) => {
    const body = { code: name, ...(kind === 'pointer' ? {} : valuesOf(at)), ...more };
    ids[name] = await createdId(root.post(`/${kind}/unit`, body));
  };
  for (const at of [0, 1]) {
    await make(`open${at}`, 'open', at, { serial: 10 * at });
    await make(`anns${at}`, 'ruled', at, { owner: ids['ann'] });
    await make(`bobs${at}`, 'ruled', at, { owner: bobId });
    await make(`spare_ruled${at}`, 'ruled', at);
    await make(`spare_closed${at}`, 'closed', at, { holds: ids['anns0'] });
    await make(`spare_sealed${at}`, 'sealed', at);
  }
  await make('closed', 'closed', 0, { holds: ids['anns0'] });
  await make('sealed', 'sealed', 0);
  for (const [at, to_ruled] of [ids['anns0'], ids['bobs0'], null].entries()) {
    await make(`pointer${at}`, 'pointer', 0, {
      to_open: ids['open0'],
      to_ruled,
      to_closed: ids['closed'],
      to_person: bobId,
    });
  }
  for (const [kind, name] of [
    ['open', 'open1'],
    ['ruled', 'bobs0'],
    ['ruled', 'spare_ruled0'],
    ['closed', 'spare_closed0'],
  ] as const) {
    await ok(root.post(`/open/unit/${ids['open0']}/link/link/${kind}/unit/${ids[name]}`));
  }
  const values = LINK_VALUES.map(({ id, type }, at) => ({ id, kind_id: type, ...LINK_FLAVOURS[at]?.more }));
  await ok(root.post('/link/unit', { id: 'tie', parameters: values }));
  await ok(root.post('/link/unit', { id: 'bound', access: { create: 'member', delete: 'anyone' } }));
  const [before] = PAIRS.integer.json;
  for (const [kind, name] of [
    ['open', 'open1'],
    ['ruled', 'anns0'],
    ['ruled', 'bobs0'],
    ['closed', 'closed'],
  ] as const) {
    const body = Object.fromEntries(LINK_VALUES.map(({ id }) => [id, before]));
    await ok(root.post(`/open/unit/${ids['open0']}/link/tie/${kind}/unit/${ids[name]}`, body));
  }
  // One of the two values between which it is exchanged.
  await query(root, `UPDATE $schema."person" SET "first_name" = 'x'`);
  return { callers: { nobody: root.as(undefined), ann, bob, root }, ids };
}

/** Exchanges both values of some fields, and again: no time, no id and no version changes with them. */
async function flip(root: TestProject, table: string, parameters: readonly Parameter[], where: string): Promise<void> {
  const sets = parameters.map(({ id, type }) => {
    const { json, column } = PAIRS[type];
    const [a, b] = json.map((value) => {
      const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
      return type === 'binary' ? `decode('${text}', 'base64')` : `'${text}'::${column}`;
    });
    return `"${id}" = CASE WHEN "${id}" = ${a} THEN ${b} ELSE ${a} END`;
  });
  await query(root, `UPDATE $schema."${table}" SET ${sets.join(', ')} WHERE ${where}`);
}

/** Exchanges the values of all that somebody may not know, and of nothing else. */
export async function flipSecretsOf(who: Who, { ids }: World, root: TestProject): Promise<void> {
  const kept = KEPT.filter(({ from }) => from.includes(who));
  const own = { nobody: undefined, ann: ids['ann'], bob: ids['bob'], root: undefined }[who];
  const foreign = own === undefined ? 'true' : `"owner" IS DISTINCT FROM '${own}'`;
  const everything = [...KEPT, ...PLAIN];
  await flip(root, 'open', kept, 'true');
  await flipLinks(who, ids, root);
  // Each unit has two values of its own, because the parameter is unique.
  if (who !== 'root') await query(root, 'UPDATE $schema."open" SET "serial" = "serial" # 1');
  await flip(root, 'sealed', everything, 'true');
  await flip(root, 'closed', who === 'root' ? kept : everything, 'true');
  await flip(root, 'ruled', who === 'root' ? kept : everything, who === 'root' ? 'true' : foreign);
  if (own !== undefined) await flip(root, 'ruled', kept, `"owner" = '${own}'`);
  if (who !== 'root') {
    const others = own === undefined ? 'true' : `"id" <> '${own}'`;
    await query(
      root,
      `UPDATE $schema."person" SET "first_name" = CASE WHEN "first_name" = 'x' THEN 'y' ELSE 'x' END WHERE ${others}`,
    );
  }
  await query(root, 'ANALYZE $schema."ruled"');
}

/** Exchanges the values of links that somebody may not know. */
async function flipLinks(who: Who, ids: World['ids'], root: TestProject): Promise<void> {
  const columns = (some: readonly Parameter[]) => some.map((each) => ({ ...each, id: linkColumnName('tie', each.id) }));
  const hidden = HIDDEN_ENDS.flatMap(([name, from]) => (from.includes(who) ? [`'${ids[name]}'`] : []));
  const isHidden = hidden.length > 0 ? `"child_id" IN (${hidden.join()})` : 'false';
  const kept = LINK_VALUES.filter(({ from }) => from.includes(who));
  await flip(root, '_link', columns(kept), `"link_id" = 'tie' AND NOT (${isHidden})`);
  await flip(root, '_link', columns(LINK_VALUES), `"link_id" = 'tie' AND (${isHidden})`);
}

/** Takes away every unit that only administrators, or not even they, know of. */
export async function dropSpares({ ids }: World, root: TestProject): Promise<void> {
  const spare = Object.entries(ids).flatMap(([name, id]) => (name.startsWith('spare_') ? [id] : []));
  await query(root, 'DELETE FROM $schema."_link" WHERE "child_id" = ANY($1)', [spare]);
  for (const table of ['closed', 'sealed', 'ruled', 'person']) {
    await query(root, `DELETE FROM $schema."${table}" WHERE "id" = ANY($1::uuid[])`, [spare]);
  }
  await query(root, 'ANALYZE $schema."ruled"');
}
