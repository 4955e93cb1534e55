/** User code receives values of every type in the form that records have, from every source, and may return them. */
import { describe, expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { FunctionsFolder, reload, sharedServiceWith } from '../../support/functions.js';
import { EDGES, shownOf, TYPES, type Accepted } from '../../support/values.js';

/** Kinds by the type of their key, and the key of a unit of each. */
const KEYS = { string: 'a b', integer: -7, decimal: '-1.5', date: '2024-02-29' } as const;
const parameters = [
  ...TYPES.flatMap((type) => [
    { id: `a_${type}`, type },
    { id: `some_${type}`, type, multiple: true },
  ]),
  ...[...Object.keys(KEYS), 'uuid'].map((key) => ({ id: `by_${key}`, type: 'unit', reference_kind: `of_${key}` })),
];
const declared = Object.fromEntries(parameters.map(({ id, ...each }) => [id, each]));
const folder = new FunctionsFolder({
  'thing.ts': `
import { kind } from 'kind';
const seen: unknown[] = [];
const note = (values: unknown) => { seen.push(JSON.stringify(values)); };
export default kind('thing').module({
  hooks: {
    before_create: ({ values }) => { note(values); return values; },
    before_update: ({ values }) => { note(values); return values; },
    after_create: ({ unit }) => { note(unit); },
  },
  functions: {
    echo: kind('thing').function({
      description: 'Echoes', parameters: ${JSON.stringify(declared)} as const, run: ({ parameters }) => parameters,
    }),
    seen: kind('thing').function({ description: 'What hooks saw', run: () => seen.splice(0).map((text) => JSON.parse(String(text))) }),
    pass: kind('thing').function({ description: 'Passes a unit on', run: async ({ units }) => {
      const { id, kind_id, inserted_at, updated_at, ...values } = (await units('thing').list({ limit: 1 })).items[0] ?? {};
      await units('far').create(values);
    } }),
  },
});`,
  'far.ts': `
import { kind, type RemoteUnit } from 'kind';
const units = new Map<string, RemoteUnit>();
export default kind('far').module({
  remote: {
    list: () => ({ count: units.size, items: [...units.values()] }),
    get: (id) => units.get(id),
    create: (values) => { const unit = { ...values, id: String(units.size) }; units.set(unit.id, unit); return unit; },
    update: (id, values) => { const unit = { ...units.get(id), ...values, id }; units.set(id, unit); return unit; },
  },
});`,
});
const service = await sharedServiceWith(folder);
const admin = await service.project();
const kindParameters = parameters.map(({ type, ...each }) => ({ ...each, kind_id: type }));
await defineKinds(
  admin,
  { id: 'of_uuid', parameters: [] },
  ...Object.keys(KEYS).map((type) => ({
    id: `of_${type}`,
    parameters: [{ id: `key_${type}`, kind_id: type, is_primary: true }],
  })),
  { id: 'thing', parameters: kindParameters },
  { id: 'far', remote: true, parameters: kindParameters.map(({ id }) => id) },
);
for (const [type, key] of Object.entries(KEYS)) await ok(admin.post(`/of_${type}/unit`, { [`key_${type}`]: key }));
const uuid = await createdId(admin.post('/of_uuid/unit', {}));
await reload(service);

const references = Object.fromEntries(Object.entries(KEYS).map(([type, key]) => [`by_${type}`, String(key)]));
/** Those that have room together in the body of a function. */
const edgesOf = (type: (typeof TYPES)[number]) => EDGES[type].accepted.filter(([text]) => text.length < 10_000);
const rows = Math.max(...TYPES.map((type) => edgesOf(type).length));
/** Values of every type, as JSON: those of one row of the tables alone, and of the whole tables as lists. */
const cases = Array.from({ length: rows }, (_, at) => {
  const given: [string, string][] = [];
  const shown: Record<string, unknown> = { ...references, by_uuid: uuid };
  const add = (id: string, values: readonly Accepted[], list: boolean) => {
    const texts = values.map(([text]) => text).join(',');
    given.push([id, list ? `[${texts}]` : texts]);
    shown[id] = list ? values.map(shownOf) : shownOf(values[0] ?? ['null']);
  };
  for (const type of TYPES) {
    const accepted = edgesOf(type);
    add(`a_${type}`, accepted.slice(at % accepted.length).slice(0, 1), false);
    add(`some_${type}`, at === 0 ? accepted : [], true);
  }
  for (const [id, key] of Object.entries({ ...references, by_uuid: uuid.toUpperCase() })) {
    given.push([id, JSON.stringify(key)]);
  }
  return { name: `of row ${at}`, body: `{${given.map(([id, text]) => `"${id}":${text}`).join(',')}}`, shown };
});

describe.each(cases)('the values $name', ({ body, shown }) => {
  it('are the parameters of a function', async () => {
    expect(await ok(admin.post('/thing/function/echo', body))).toEqual(shown);
  });

  it('are what hooks receive, may return, and find stored', async () => {
    const made = (await ok(admin.post('/thing/unit', body))) as { id: string };
    expect(made).toMatchObject(shown);
    await ok(admin.put(`/thing/unit/${made.id}`, body));
    expect(await ok(admin.get(`/thing/unit/${made.id}`))).toMatchObject(shown);
    const [created, stored, changed] = (await ok(admin.post('/thing/function/seen'))) as unknown[];
    expect(created).toEqual(shown);
    expect(stored).toMatchObject(shown);
    expect(changed).toEqual(shown);
  });

  it('are what a source receives, may return, and receives again', async () => {
    const made = (await ok(admin.post('/far/unit', body))) as { id: string };
    expect(made).toMatchObject(shown);
    expect(await ok(admin.put(`/far/unit/${made.id}`, body))).toMatchObject(shown);
    expect(await ok(admin.get(`/far/unit/${made.id}`))).toEqual(made);
  });
});

it('values read from one kind can be written to another', async () => {
  await ok(admin.post('/thing/function/pass'));
  const { items } = (await ok(admin.get('/far/unit'))) as { items: object[] };
  expect(items.at(-1)).toMatchObject(cases[0]?.shown ?? {});
});
