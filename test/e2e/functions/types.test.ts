/** The types that `kind types` writes for a project: values of links, and the fields that `include` names. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { TypeChecker } from '../../../src/cli/functions/type-check.js';
import { kindTypesOf, renderKindTypes } from '../../../src/cli/functions/kind-types.js';
import { FunctionRegistry } from '../../../src/function/load/module-registry.js';
import { defineKinds } from '../../support/callers.js';
import { modelOf, ok } from '../../support/definitions.js';
import { FunctionsFolder } from '../../support/functions.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
await defineKinds(
  project,
  {
    id: 'city',
    parameters: [
      { id: 'name', kind_id: 'string', required: true, nullable: false },
      { id: 'population', kind_id: 'integer' },
      { id: 'budget', kind_id: 'decimal' },
      { id: 'founded', kind_id: 'date' },
      { id: 'tags', kind_id: 'string', multiple: true },
      { id: 'more', kind_id: 'json' },
      { id: 'pages', kind_id: 'json', multiple: true },
    ],
  },
  {
    id: 'visit',
    parameters: [
      { id: 'city', kind_id: 'unit', reference_kind: 'city' },
      { id: 'note', kind_id: 'text' },
    ],
  },
);
const { parameters: granted } = (await ok(project.get('/kind/unit/file'))) as { parameters: string[] };
await ok(project.put('/kind/unit/file', { parameters: [...granted, { id: 'alt', kind_id: 'string' }] }));
await ok(
  project.post('/link/unit', {
    id: 'flight',
    parameters: [
      { id: 'seats', kind_id: 'integer', required: true, nullable: false },
      { id: 'price', kind_id: 'decimal' },
      { id: 'days', kind_id: 'string', multiple: true },
    ],
  }),
);
await ok(
  project.post('/link/unit', {
    id: 'rail',
    parameters: [{ id: 'gauge', kind_id: 'string', values: ['wide', 'narrow'] }],
  }),
);

const HEAD = `
import type { Context, LinkRecord } from 'kind';
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : [A, B];
const same = <A, B>(_: Same<A, B>): void => undefined;
const [a, b] = [{ kind_id: 'city', id: 'a' }, { kind_id: 'city', id: 'b' }];
`;

const LINK_HOOKS = `${HEAD.replace('Context, LinkRecord }', 'LinkEvent, NewLinkEvent }')}
import { kind } from 'kind';
export const linkHooks = kind('city').module({
  hooks: {
    before_link(event) {
      same<typeof event.link_id, 'link' | 'flight' | 'rail'>(true);
      // @ts-expect-error not every type has it
      event.values.seats;
      if (event.link_id === 'flight') {
        same<typeof event.values.seats, number | undefined>(true);
        return { seats: 1, price: null };
      }
      return undefined;
    },
    after_link(event) {
      if (event.link_id === 'flight') same<typeof event.values.seats, number>(true);
      if (event.link_id === 'rail') same<typeof event.values.gauge, 'wide' | 'narrow' | null>(true);
    },
  },
});
// @ts-expect-error another value
export const thin: NewLinkEvent<'rail'>['values'] = { gauge: 'thin' };
export const seats = (event: NewLinkEvent<'flight'>): number => event.values.seats ?? 0;
export const stored = (event: LinkEvent<'flight'>): number => event.values.seats;
void [a, b];
`;

const EXPRESSIONS = `${HEAD}
export async function expressions({ units }: Context): Promise<void> {
  const city = await units('city').update('a', { population: { $inc: 1 } }, { ifMatch: 'e' });
  same<typeof city.etag, string>(true);
  // @ts-expect-error no list
  await units('city').update('a', { population: { $add: [1] } });
  await units('city').update('a', { budget: { $inc: '0.10' }, tags: { $add: ['port'], $remove: ['new'] } });
  await units('city').update('a', { more: { $merge: { a: 1 } }, metadata: { $set: {} }, pages: { $set: [1] } });
  // @ts-expect-error a text
  await units('city').update('a', { name: { $inc: 1 } });
  // @ts-expect-error a text
  await units('city').updateAll('all()', { name: { $inc: 'x' } });
  // @ts-expect-error a date
  await units('city').update('a', { founded: { $inc: 1 } });
  // @ts-expect-error no list of numbers
  await units('city').update('a', { tags: { $add: [1] } });
  // @ts-expect-error no JSON
  await units('city').update('a', { tags: { $merge: {} } });
  await units('elsewhere').update('a', { anything: { $inc: 1 } });
  // @ts-expect-error no such parameter
  await units('city').updateAll('all()', { size: { $inc: 1 } });
  same<number, Awaited<ReturnType<typeof count>>>(true);
  const { result, unit } = await units('city').upsert({ name: 'a' }, { by: 'name' });
  same<[typeof result, typeof unit.name], ['created' | 'updated' | 'unchanged' | 'ignored', string]>(true);
}
const count = ({ units }: Context) => units('city').removeAll('all()');
`;

const LINKS = `${HEAD}
export async function links({ links }: Context): Promise<void> {
  await links.create(a, b);
  await links.create(a, b, 'flight', { seats: 3, price: '1.5', days: ['mon'] });
  // @ts-expect-error no seats
  await links.create(a, b, 'flight', { price: '1.5' });
  // @ts-expect-error no text
  await links.create(a, b, 'flight', { seats: 'many' });
  // @ts-expect-error no such value
  await links.create(a, b, 'rail', { gauge: 'other' });
  // @ts-expect-error no parameters
  await links.create(a, b, 'link', { seats: 3 });
  await links.create(a, b, 'unknown' as string, { anything: 1 });
  await links.update(a, b, 'flight', { price: null });
  // @ts-expect-error not null
  await links.update(a, b, 'flight', { seats: null });
  const made = await links.createAll(a, 'child', [{ unit: b, values: { seats: 3 } }], { type: 'flight' });
  same<(typeof made)[number], LinkRecord<'flight'>>(true);
  for (const { seats, price, link_id } of made) {
    same<[typeof seats, typeof price, typeof link_id], [number, string | null, 'flight']>(true);
  }
  // @ts-expect-error no text
  await links.createAll(a, 'child', [{ unit: b, values: { seats: 'many' } }], { type: 'flight' });
  const { items } = await links.list(a, 'child', { link_id: 'flight' });
  for (const { link } of items) same<typeof link.seats, number>(true);
  const some = await links.list(a, 'child', { link_id: ['flight', 'rail'] });
  for (const { link } of some.items) {
    if (link.link_id === 'flight') same<typeof link.days, readonly string[] | null>(true);
    else same<typeof link.gauge, 'wide' | 'narrow' | null>(true);
  }
  const any = await links.list(a, 'child');
  for (const { link } of any.items) if (link.link_id === 'rail') same<typeof link.depth, number>(true);
}
`;

const UNITS = `${HEAD}
export async function units({ units }: Context): Promise<void> {
  const [named] = (await units('city').list({ include: ['id', 'name'] })).items;
  if (named) same<[typeof named.id, typeof named.name], [string, string]>(true);
  // @ts-expect-error not included
  void named?.population;
  const [term] = (
    await units('city').list({
      search: 'x',
      include: ['name', 'n:count_related(visit.city)', 'latest : related( visit.city,order=-inserted_at,limit=3)', 'snippet(name)'],
    })
  ).items;
  if (term) {
    same<[typeof term.name, typeof term.n, typeof term.snippet_name], [string, number, string | null]>(true);
    for (const visit of term.latest) same<typeof visit.note, string | null>(true);
  }
  const [behind] = (await units('visit').list({ include: ['city.name'] })).items;
  if (behind) same<(typeof behind)['city.name'], string | null>(true);
  const [whole] = (await units('city').list({ include: ['*', 'n:count_linked(flight,child)'] })).items;
  if (whole) same<[typeof whole.population, typeof whole.n], [number | null, number]>(true);
  const [all] = (await units('city').list()).items;
  same<typeof all extends { readonly population: number | null } | undefined ? 1 : 0, 1>(true);
  const names: string[] = ['name'];
  const [dynamic] = (await units('city').list({ include: names })).items;
  void dynamic?.population;
  const [far] = (await units('visit').list({ include: ['note', 'city.country.name'] })).items;
  if (far) same<[typeof far.note, (typeof far)['city.country.name']], [string | null, unknown]>(true);
  const [nested] = (await units('visit').list({ include: ['city.name'], nest: true })).items;
  void nested?.city;
  const made = await units('city').create({ name: 'Rome' }, { include: ['name', 'can()', 'n:count_related(visit.city)'] });
  same<[typeof made.name, typeof made.can.update, typeof made.n, typeof made.etag], [string, boolean, number, string]>(true);
  // @ts-expect-error not included
  void made.population;
  const complete = await units('city').create({ name: 'Rome' });
  same<typeof complete.population, number | null>(true);
  const [stay] = await units('visit').createAll([{ note: 'a' }], { include: ['city.name'] });
  if (stay) same<(typeof stay)['city.name'], string | null>(true);
  const edited = await units('city').update('a', { population: { $inc: 1 } }, { ifMatch: made.etag, include: ['population'] });
  same<typeof edited.population, number | null>(true);
  // @ts-expect-error not included
  void edited.name;
  const { unit } = await units('city').upsert({ name: 'Rome' }, { by: 'name', include: ['name'] });
  // @ts-expect-error not included
  void unit.population;
  // @ts-expect-error no such option
  await units('city').create({ name: 'Rome' }, { by: 'name' });
  const [other] = (await units('elsewhere').list({ include: ['title', 'n:count_related(a.b)', 's:sum_related(a.b,x)'] })).items;
  if (other) same<[typeof other.title, typeof other.n, typeof other.s], [unknown, number, number | string | null]>(true);
}
`;

const GROUPS = `${HEAD}
export async function groups({ units }: Context): Promise<void> {
  const options = {
    group: ['name', 'seen:year(inserted_at)', 'bucket(population,1000)', 'visits: count_related(visit.city)'],
    select: ['count()', 'sum(population)', 'max(name)', 'big:count(gt(population,5))', 'first(inserted_at)'],
  } as const;
  const [first] = (await units('city').aggregate(options)).items;
  if (first) {
    same<[typeof first.name, typeof first.seen, typeof first.visits], [string, string | null, number]>(true);
    same<[typeof first.bucket_population, typeof first.count], [number | string | null, number]>(true);
    same<[typeof first.sum_population, typeof first.max_name], [number | string | null, string | null]>(true);
    same<[typeof first.big, typeof first.first_inserted_at], [number, string | null]>(true);
    // @ts-expect-error not selected
    void first.min_name;
  }
  const inText = { group: 'city.name', select: '[count(eq(note,x)), last(note,and(eq(note,a),eq(note,b)))]' } as const;
  const [text] = (await units('visit').aggregate(inText)).items;
  if (text) same<[typeof text.city_name, typeof text.count, typeof text.last_note], [string | null, number, string | null]>(true);
  const [values] = (await units('visit').aggregate({ group: 'note' })).items;
  if (values) same<[typeof values.note, keyof typeof values], [string | null, 'note']>(true);
  const names: string[] = ['count()'];
  const [dynamic] = (await units('city').aggregate({ select: names })).items;
  if (dynamic) same<typeof dynamic, Readonly<Record<string, unknown>>>(true);
  const computed = ['count()', 'people:sum(mul(population,2))', 'each_of:div(people,count)', 'far:max(sum_related(visit.city,x))'] as const;
  const [calculated] = (await units('city').aggregate({ group: 'lower(name)', select: computed })).items;
  if (calculated) {
    same<[typeof calculated.people, typeof calculated.each_of, typeof calculated.far], [number | string | null, number | string | null, number | string | null]>(true);
    same<[typeof calculated.lower_name, typeof calculated.count], [string | null, number]>(true);
  }
  const [unnamed] = (await units('city').aggregate({ select: 'sum(count_related(visit.city))' })).items;
  if (unnamed) same<typeof unnamed, Readonly<Record<string, unknown>>>(true);
  const [other] = (await units('elsewhere').aggregate({ group: 'title', select: ['count()', 'sum(size)'] })).items;
  if (other) same<[typeof other.title, typeof other.sum_size], [unknown, number | string | null]>(true);
}
`;

const FILE_HOOKS = `${HEAD.replace('Context, LinkRecord', 'Context')}
import type { Readable } from 'node:stream';
import { kind } from 'kind';
export const fileHooks = kind('file').module({
  hooks: {
    before_create({ values, content }) {
      same<typeof content, Readable>(true);
      same<[typeof values.alt, typeof values.width], [string | null | undefined, number | null | undefined]>(true);
      // @ts-expect-error it is a stream beside the values
      void values.content;
      return { alt: 'x' };
    },
    // @ts-expect-error no hook replaces a content
    before_update: ({ content }) => {
      same<typeof content, Readable | undefined>(true);
      return { content: 'YQ==' };
    },
    after_create: ({ values: { media_type } }) => same<typeof media_type, string | undefined>(true),
  },
});
export const others = kind('city').module({
  // @ts-expect-error they have no contents
  hooks: { before_create: ({ content }) => void content },
});
export async function make({ files, system }: Context): Promise<void> {
  const made = await files.create({ name: 'a', alt: 'x', media_type: 'text/csv', content: new Blob(['a']).stream() });
  same<[typeof made.alt, typeof made.bytes, typeof made.etag], [string | null, number, string]>(true);
  await system.files.create({ name: 'a', content: (await fetch('http://localhost')).body ?? '' });
  // @ts-expect-error another value
  await files.create({ name: 'a', alt: 5, content: '' });
  // @ts-expect-error no content
  await files.create({ name: 'a' });
  const { content, name } = await files.open(made.id);
  same<[typeof content, typeof name, string], [Readable, string, Awaited<ReturnType<typeof files.url>>]>(true);
}
`;

// At once, because each check begins with the types of the libraries.
it('type links, files, groups, units, expressions and hooks in functions', { timeout: 60_000 }, async () => {
  const sources = {
    '_links.ts': LINKS,
    '_file-hooks.ts': FILE_HOOKS,
    '_groups.ts': GROUPS,
    '_units.ts': UNITS,
    '_expressions.ts': EXPRESSIONS,
    '_link-hooks.ts': LINK_HOOKS,
  };
  const folder = new FunctionsFolder(sources);
  const { current } = service.service.app.get(FunctionRegistry);
  const kinds = renderKindTypes(kindTypesOf(await modelOf(project), project.id, current), project.id);
  const checker = await TypeChecker.make(folder.path);
  const paths = Object.keys(sources).map((name) => join(folder.path, name));
  expect(checker?.check(paths, kinds)).toEqual([]);
});

it('without them links have any values', { timeout: 60_000 }, async () => {
  const source = `${HEAD}
export async function links({ links }: Context): Promise<void> {
  await links.create(a, b, 'flight', { seats: 'many' });
  const { items } = await links.list(a, 'child', { link_id: 'flight' });
  for (const { link } of items) same<typeof link.seats, unknown>(true);
}`;
  const folder = new FunctionsFolder({ '_links.ts': source });
  const checker = await TypeChecker.make(folder.path);
  expect(checker?.check([join(folder.path, '_links.ts')], 'export {};')).toEqual([]);
});
