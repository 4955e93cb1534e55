/** Every operator on every type, every spelling, every way to write a value. */
import { describe, expect, it } from 'vitest';
import { PARAMETER_TYPES } from '../../../src/model/parameter-type/type-by-id.js';
import { defineKinds } from '../../support/callers.js';
import { createdId } from '../../support/definitions.js';
import { PLACE, THING, TYPES, type TypeId } from '../../support/every-type.js';
import { play } from '../../support/scenario.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
await defineKinds(project, PLACE, THING, {
  id: 'note',
  label: 'Note',
  parameters: [
    { id: 'name', kind_id: 'string' },
    { id: 'n', kind_id: 'integer' },
    { id: 'tags', kind_id: 'string', multiple: true },
    { id: 'meta', kind_id: 'json' },
    { id: 'at', kind_id: 'datetime' },
    { id: 'day', kind_id: 'date' },
  ],
});
const place = await createdId(project.post('/place/unit', {}));

const OPERATORS = [
  'eq',
  'ne',
  'contains',
  'icontains',
  'startswith',
  'istartswith',
  'endswith',
  'iendswith',
  'lt',
  'lte',
  'gt',
  'ge',
  'gte',
  'get',
  'in',
  'isnull',
];
const ORDER = ['lt', 'lte', 'gt', 'ge', 'gte', 'get'];
const TEXT = ['contains', 'icontains', 'startswith', 'istartswith', 'endswith', 'iendswith'];

/** As docs/filter.md has them. */
const HAS: Record<TypeId, readonly string[]> = {
  string: OPERATORS,
  text: OPERATORS,
  integer: ['eq', 'ne', ...ORDER, 'in', 'isnull'],
  float: ['eq', 'ne', ...ORDER, 'in', 'isnull'],
  decimal: ['eq', 'ne', ...ORDER, 'in', 'isnull'],
  date: ['eq', 'ne', ...ORDER, 'in', 'isnull'],
  time: ['eq', 'ne', ...ORDER, 'in', 'isnull'],
  datetime: ['eq', 'ne', ...ORDER, 'in', 'isnull'],
  boolean: ['eq', 'ne', 'in', 'isnull'],
  unit: ['eq', 'ne', 'in', 'isnull'],
  json: ['eq', 'ne', 'in', 'isnull'],
  binary: ['eq', 'ne', 'in', 'isnull'],
};
const ON_LISTS = ['eq', 'ne', 'contains', 'in', 'isnull'];

/** A value of each type, what comes right below it, and what comes right above. */
const SAMPLES: Record<TypeId, readonly [low: unknown, value: unknown, high: unknown]> = {
  string: ['Rom', 'Rome', 'Romf'],
  text: ['Rom', 'Rome', 'Romf'],
  integer: [41, 42, 43],
  float: [0.29999999999999993, 0.3, 0.30000000000000004],
  decimal: ['9.999999999999999999999999', '10', '10.00000000000000000000001'],
  boolean: [null, true, false],
  date: ['2024-02-28', '2024-02-29', '2024-03-01'],
  time: ['09:29:59.999999', '09:30:00', '09:30:00.000001'],
  datetime: ['2024-01-31T09:29:59.999999Z', '2024-01-31T09:30:00Z', '2024-01-31T09:30:00.000001Z'],
  binary: [null, 'AAEC', 'AAED'],
  json: [null, 'red', 'blue'],
  unit: [null, place, null],
};

const units: Record<string, Record<'low' | 'value' | 'high' | 'none', string>> = {};
for (const type of TYPES) {
  const made = await project.post(
    '/thing/unit',
    [...SAMPLES[type], null].map((value) => ({
      [`a_${type}`]: value,
      ...(type !== 'unit' && { [`some_${type}`]: value === null ? null : [value] }),
    })),
  );
  if (made.status !== 200) throw new Error(made.text);
  const [low = '', value = '', high = '', none = ''] = (made.body.content.items as { id: string }[]).map(
    ({ id }) => id,
  );
  units[type] = { low, value, high, none };
}

const found = async (kind: string, filter: string): Promise<string[]> => {
  const reply = await project.get(`/${kind}/unit?limit=1000&include=id&filter=${encodeURIComponent(filter)}`);
  if (reply.status !== 200) throw new Error(`${filter} → ${reply.text}`);
  expect(reply.body.content.count).toBe(reply.body.content.items.length);
  return (reply.body.content.items as { id: string }[]).map(({ id }) => id);
};

/** Which of the four units of a type an operator finds, asked with the sample in the middle. */
function expected(type: TypeId, op: string): string[] {
  const { low = '', value = '', high = '', none = '' } = units[type] ?? {};
  const [a, , c] = SAMPLES[type];
  const lower = a === null ? [] : [low];
  const higher = c === null ? [] : [high];
  const empty = [...(a === null ? [low] : []), ...(c === null ? [high] : []), none];
  switch (op) {
    case 'ne':
      return [...lower, ...higher, ...empty];
    case 'lt':
      return lower;
    case 'lte':
      return [...lower, value];
    case 'gt':
    case 'ge':
      return higher;
    case 'gte':
    case 'get':
      return [value, ...higher];
    case 'isnull':
      return empty;
    default:
      return [value];
  }
}

describe('an operator', () => {
  const cases = TYPES.flatMap((type) => OPERATORS.map((op) => ({ type, op, has: HAS[type].includes(op) })));
  it.each(cases.filter(({ has }) => has))('$op finds what it should on $type', async ({ type, op }) => {
    const own = new Set(Object.values(units[type] ?? {}));
    const text = JSON.stringify(String(SAMPLES[type][1]));
    const filter = op === 'isnull' ? `isnull(a_${type})` : `${op}(a_${type},${text})`;
    const ids = await found('thing', filter);
    expect(ids.filter((id) => own.has(id)).sort()).toEqual(expected(type, op).sort());
    // The units of the other types have a null here.
    expect(ids.length - ids.filter((id) => own.has(id)).length).toBe(
      op === 'ne' || op === 'isnull' ? 4 * (TYPES.length - 1) : 0,
    );
  });

  it.each(cases.filter(({ has }) => !has))('$op is none of $type', async ({ type, op }) => {
    await play(project, {
      name: '',
      request: `GET /thing/unit?filter=${op}(a_${type},x)`,
      expect: { status: 400, code: 'filter.bad_operator', parameter: `a_${type}`, text: 'at character 1' },
    });
  });

  it.each(TYPES.filter((type) => type !== 'unit').flatMap((type) => OPERATORS.map((op) => ({ type, op }))))(
    '$op on a list of $type',
    async ({ type, op }) => {
      const text = JSON.stringify(String(SAMPLES[type][1]));
      const filter = op === 'isnull' ? `isnull(some_${type})` : `${op}(some_${type},${text})`;
      if (!ON_LISTS.includes(op)) {
        await play(project, {
          name: '',
          request: `GET /thing/unit?filter=${encodeURIComponent(filter)}`,
          expect: { status: 400, code: 'filter.bad_operator', parameter: `some_${type}` },
        });
        return;
      }
      const own = new Set(Object.values(units[type] ?? {}));
      const ids = (await found('thing', filter)).filter((id) => own.has(id));
      expect(ids.sort()).toEqual(expected(type, op).sort());
    },
  );

  it('exists for the types of the table above, and no others', () => {
    const canonical = (ops: readonly string[]) => new Set(ops.filter((op) => op !== 'ge' && op !== 'get'));
    for (const type of TYPES) expect(new Set(PARAMETER_TYPES.get(type)?.operators), type).toEqual(canonical(HAS[type]));
    expect(TEXT.every((op) => HAS.string.includes(op))).toBe(true);
  });

  const forUuids = OPERATORS.filter((op) => !['eq', 'ne', ...ORDER, 'in', 'isnull'].includes(op));
  it.each(forUuids)('%s does not exist for a generated id', async (op) => {
    await play(project, {
      name: '',
      request: `GET /thing/unit?filter=${op}(id,x)`,
      expect: { status: 400, code: 'filter.bad_operator' },
    });
  });
});

describe('values', () => {
  const NOTES = {
    rome: {
      name: 'Rome',
      n: 1,
      tags: ['sea', 'port'],
      meta: {
        color: 'red',
        size: { width: 42 },
        checked: true,
        none: null,
        list: ['x', { y: 1 }],
        'a.b': 1,
        'first name': { '': 'Ann' },
      },
      at: '2024-01-31T00:00:00Z',
      day: '2024-01-31',
    },
    oder: {
      name: 'Frankfurt (Oder)',
      n: 2,
      tags: ['port', 'sea'],
      meta: { color: 'Red' },
      at: '2024-01-31T23:59:59.999999Z',
      day: '2024-02-01',
    },
    dc: { name: 'Washington, D.C.', n: 3, tags: [], meta: 'red', at: '2024-02-01T00:00:00Z' },
    empty: { name: '', n: 0, tags: [''], meta: {} },
    quote: { name: '"Rome"', n: -1, meta: null },
    spaces: { name: ' Rome ', tags: ['a,b'], meta: [1, 2] },
    draft: { name: '[draft]', tags: ['[x]'], meta: { b: 2, a: 1 } },
    bad: { name: 'a) first', tags: ['a)'], meta: 1 },
    back: { name: 'back\\slash', meta: '1' },
    percent: { name: '100%_', meta: true },
    member: { name: '@member.id', meta: 'true' },
    null: { name: 'null' },
  };
  type Note = keyof typeof NOTES;
  const names = new Map<string, Note>();
  const keys = Object.keys(NOTES) as Note[];
  const all = (...without: Note[]) => keys.filter((key) => !without.includes(key));
  it('are stored', async () => {
    const made = await project.post(
      '/note/unit',
      keys.map((key) => NOTES[key]),
    );
    (made.body.content.items as { id: string }[]).forEach(({ id }, at) => names.set(id, keys[at] as Note));
    expect(names.size).toBe(keys.length);
  });

  it.each<[string, readonly Note[]]>([
    ['eq(name,Rome)', ['rome']],
    ['eq(name,   Rome   )', ['rome']],
    [' eq ( name , Rome ) ', ['rome']],
    ['eq(name,"Rome")', ['rome']],
    ['eq(name," Rome ")', ['spaces']],
    ['eq(name,"\\"Rome\\"")', ['quote']],
    ['eq(name,Washington, D.C.)', ['dc']],
    ['eq(name,Frankfurt (Oder))', ['oder']],
    ['eq(name,"a) first")', ['bad']],
    ['eq(name,"")', ['empty']],
    ['eq(name,"[draft]")', ['draft']],
    ['eq(name,"back\\\\slash")', ['back']],
    ['eq(name,back\\slash)', ['back']],
    ['contains(name,%)', ['percent']],
    ['contains(name,_)', ['percent']],
    ['contains(name,\\)', ['back']],
    ['startswith(name,100%)', ['percent']],
    ['eq(name,@member.id)', ['member']],
    ['eq(name,null)', ['null']],
    ['in(name,Rome,null)', ['rome', 'null']],
    ['in(name,[Rome,null])', ['rome', 'null']],
    ['in(name,"Washington, D.C.",Frankfurt (Oder))', ['oder', 'dc']],
    ['in(name,["Washington, D.C.", "", Frankfurt (Oder)])', ['oder', 'dc', 'empty']],
    ['in(name,Rome)', ['rome']],
    ['eq(n,"1")', ['rome']],
    ['in(n,1, 2 ,"3")', ['rome', 'oder', 'dc']],
    ['contains(name,"")', keys],
    ['icontains(name,ROME)', ['rome', 'quote', 'spaces']],
    ['ne(name,Rome)', all('rome')],
    ['not(eq(name,Rome))', all('rome')],
    ['ne(n,1)', all('rome')],
    ['not(lt(n,2))', all('rome', 'empty', 'quote')],
    ['isnull(n)', ['spaces', 'draft', 'bad', 'back', 'percent', 'member', 'null']],
    ['isnull(n,true)', ['spaces', 'draft', 'bad', 'back', 'percent', 'member', 'null']],
    ['isnull(n,false)', ['rome', 'oder', 'dc', 'empty', 'quote']],
    ['not(isnull(n))', ['rome', 'oder', 'dc', 'empty', 'quote']],
    ['not(not(eq(n,1)))', ['rome']],
    ['and(eq(n,1))', ['rome']],
    ['or(eq(n,1),eq(n,2),and(eq(n,3),eq(name,x)))', ['rome', 'oder']],
    // Dates: both ways to write one, and the first instant of one.
    ['eq(day,2024-01-31)', ['rome']],
    ['eq(day,31-01-2024)', ['rome']],
    ['gt(day,31-01-2024)', ['oder']],
    ['ge(day,31-01-2024)', ['oder']],
    ['get(day,31-01-2024)', ['rome', 'oder']],
    ['in(day,31-01-2024,2024-02-01)', ['rome', 'oder']],
    ['eq(at,2024-01-31)', ['rome']],
    ['eq(at,31-01-2024)', ['rome']],
    ['and(gte(at,2024-01-31),lt(at,01-02-2024))', ['rome', 'oder']],
    ['lte(at,31-01-2024)', ['rome']],
    ['eq(at,2024-01-31T01:00:00+01:00)', ['rome']],
    ['gt(at,2024-01-31T23:59:59.999998Z)', ['oder', 'dc']],
    ['and(gte(inserted_at,2020-01-01),lt(updated_at,2999-12-31),eq(kind_id,note))', keys],
    ['ne(kind_id,note)', []],
    ['in(kind_id,note,other)', keys],
    ['startswith(kind_id,no)', keys],
    // JSON: the text of the whole or of what stands at keys.
    ['eq(meta,red)', ['dc']],
    ['eq(meta,1)', ['bad', 'back']],
    ['eq(meta,true)', ['percent', 'member']],
    ['eq(meta.color,red)', ['rome']],
    ['ne(meta.color,red)', all('rome')],
    ['in(meta.color,red,Red)', ['rome', 'oder']],
    ['eq(meta.size.width,42)', ['rome']],
    ['eq(meta.checked,true)', ['rome']],
    ['eq(meta."a.b",1)', ['rome']],
    ['eq(meta."first name"."",Ann)', ['rome']],
    ['eq("meta"."color",red)', ['rome']],
    ['eq(meta . color , red)', ['rome']],
    ['eq(meta.list.0,x)', ['rome']],
    ['eq(meta.list.1.y,1)', ['rome']],
    ['isnull(meta)', ['quote', 'null']],
    ['isnull(meta.none)', keys],
    ['isnull(meta.color,false)', ['rome', 'oder']],
    ['isnull(meta.nothing.deeper)', keys],
    ['eq(meta,"{\\"a\\":1,\\"b\\":2}")', ['draft']],
    ['eq(meta,{"a":1,"b":2})', ['draft']],
    ['eq(meta,"[1, 2]")', ['spaces']],
    ['eq(meta,"[2,1]")', []],
    ['eq(meta,{})', ['empty']],
    ['eq(meta.size,{"width":42})', ['rome']],
    ['in(meta,red,"[1,2]")', ['dc', 'spaces']],
    // Lists: the whole with eq, an element with contains and in.
    ['eq(tags,[sea,port])', ['rome']],
    ['eq(tags,[port,sea])', ['oder']],
    ['eq(tags,[sea])', []],
    ['eq(tags,"")', ['empty']],
    ['eq(tags,["a,b"])', ['spaces']],
    ['eq(tags,["[x]"])', ['draft']],
    ['ne(tags,[sea,port])', all('rome')],
    ['contains(tags,sea)', ['rome', 'oder']],
    ['contains(tags,se)', []],
    ['contains(tags,"a)")', ['bad']],
    ['in(tags,sea,"[x]")', ['rome', 'oder', 'draft']],
    ['not(in(tags,sea,port))', all('rome', 'oder')],
    ['isnull(tags,false)', ['rome', 'oder', 'dc', 'empty', 'spaces', 'draft', 'bad']],
    ['and(contains(tags,sea),contains(tags,port))', ['rome', 'oder']],
  ])('%s', async (filter, expectedNotes) => {
    expect((await found('note', filter)).map((id) => names.get(id))).toEqual(
      keys.filter((key) => expectedNotes.includes(key)),
    );
  });

  it.each([['naïve'], ['Ünïcödé ÉÈ'], ['ЖУК'], ['ΣΟΦΟ'], ['ǅ']])(
    'icontains, istartswith and iendswith know upper and lower case of all of Unicode: %s',
    async (upper) => {
      const id = await createdId(project.post('/note/unit', { name: upper }));
      const lower = upper.toLowerCase();
      for (const op of ['icontains', 'istartswith', 'iendswith']) {
        for (const text of [upper, lower, upper.toUpperCase()])
          expect(await found('note', `${op}(name,${text})`), `${op} ${text}`).toContain(id);
      }
      if (lower !== upper) expect(await found('note', `contains(name,${lower})`)).not.toContain(id);
      await project.delete(`/note/unit/${id}`);
    },
  );
});

describe('the spellings of greater than', () => {
  it.each([
    ['gt', 'ge'],
    ['gte', 'get'],
  ])('%s and %s are the same', async (one, other) => {
    for (const value of ['41', '42', '43']) {
      expect(await found('thing', `${one}(a_integer,${value})`)).toEqual(
        await found('thing', `${other}(a_integer,${value})`),
      );
    }
    expect(await found('thing', `${one}(a_integer,42)`)).toHaveLength(one === 'gt' ? 1 : 2);
  });
});

/** The last test, because it adds a unit. */
it.each(["eq(name,'Rome')", 'eq(name,"\'Rome\'")', "in(name,'Rome',x)", "contains(tags,'a')", "startswith(name,')"])(
  'single quotes are part of the value: %s',
  async (filter) => {
    await project.post('/note/unit', { name: "'Rome'", tags: ["'a'"] });
    const { body } = await project.get(`/note/unit?include=name&limit=1&filter=${encodeURIComponent(filter)}`);
    expect(body.content.items).toEqual([{ name: "'Rome'" }]);
  },
);
