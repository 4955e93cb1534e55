import { describe, expect, it } from 'vitest';
import { checkModel } from '../../../src/model/check/check-model.js';
import { diffModels, type Condition, type Guard, type SchemaStep } from '../../../src/model/table/diff.js';
import type { TableShape } from '../../../src/model/table/required-tables.js';
import { constraintName } from '../../../src/model/names.js';
import { Faults, KindError } from '../../../src/shared/errors.js';
import { runSync } from '../../../src/shared/work-in-pieces.js';
import { kind, modelWith, parameter, type Records } from '../../support/models.js';

function filtersOf({ checks }: TableShape): string {
  return checks.size === 0 ? '' : ` checks ${[...checks.values()].map(({ check }) => check?.filter).join(', ')}`;
}

/** A step in few words: `alter city +name`, `create index city(name)`. */
function brief(step: SchemaStep): string {
  switch (step.type) {
    case 'create_table':
      return `create ${step.table.name}(${[...step.table.columns.values()].map(({ name, type, array, notNull }) => `${name} ${type}${array ? '[]' : ''}${notNull ? '!' : ''}`).join(', ')})${filtersOf(step.table)}`;
    case 'alter_table':
      return `alter ${step.table}: ${step.changes
        .map((change) => {
          if (change.type === 'drop') return `-${change.column}`;
          if (change.type === 'not_null') return `${change.column}${change.notNull ? '!' : '?'}`;
          if (change.type === 'widen') return `${change.column.name} -> ${change.column.type}`;
          const { name, type, array, notNull } = change.column;
          return `${change.replace ? '-+' : '+'}${name} ${type}${array ? '[]' : ''}${notNull ? '!' : ''}${change.default === null ? '' : ` = ${JSON.stringify(change.default)}`}`;
        })
        .join(', ')}`;
    case 'create_index':
      return `${step.index.unique ? 'unique ' : ''}${step.index.method} ${step.table}(${step.index.columns.join(', ')})`;
    case 'add_foreign_key':
      return `key ${step.table}.${step.key.column} -> ${step.key.target} ${step.key.onDelete}`;
    case 'add_check':
    case 'drop_check':
      return `${step.type === 'add_check' ? 'check' : 'drop check'} ${step.table} ${step.check.check?.filter ?? ''}`;
    case 'drop_table':
      return `drop ${step.table}`;
    case 'drop_index':
      return `drop index ${step.name}`;
    case 'create_sequence':
      return `create sequence${step.numbers ? ` after ${step.numbers.table}.${step.numbers.column}` : ''}`;
    case 'drop_sequence':
      return 'drop sequence';
    case 'drop_foreign_key':
      return `drop key ${step.table} ${step.name}`;
  }
}

const guard = (code: Guard['code'], condition: Condition, parameterId?: string, cascade = false): Guard => ({
  ...{ kind: 'city', table: 'city', condition, code, cascade },
  ...(parameterId !== undefined && { parameter: parameterId }),
});
const violated = (condition: Condition, id = 'name') => guard('parameter.violated', condition, id);
const violates = (constraint: object, array = false, column = 'name') =>
  ({ type: 'violates', column, array, constraint }) as Condition;

const NAME = parameter('name', 'string');
const CITY: Records = { kinds: [kind('city', ['name'])], parameters: [NAME] };
const cityWith = (
  given: Parameters<typeof parameter>[2],
  type: Parameters<typeof parameter>[1] = 'string',
): Records => ({ kinds: [kind('city', ['name'])], parameters: [parameter('name', type, given)] });
const UNIT_COLUMNS = 'metadata jsonb!, inserted_at timestamptz!, updated_at timestamptz!';

interface Row {
  readonly name: string;
  readonly before: Records;
  readonly after: Records;
  readonly steps: readonly string[];
  readonly guards?: readonly Guard[];
}

const checkedBy = (...filters: readonly string[]) =>
  kind('city', ['name'], { checks: filters.map((filter, at) => ({ id: `c${at}`, filter, text: 'a' })) });
/** @param value what units get in a new column */
const fails = (filter: string, value?: unknown): Guard => {
  const column = { field: expect.anything(), ...(value !== undefined && { value }) };
  const check = expect.objectContaining({ filter });
  return violated({ type: 'fails', check, columns: [column] } as Condition, 'checks');
};

const ROWS: readonly Row[] = [
  { name: 'nothing', before: CITY, after: CITY, steps: [] },
  { name: 'a label', before: CITY, after: cityWith({ label: 'Name' }), steps: [] },
  {
    name: 'a kind',
    before: {},
    after: {
      kinds: [kind('city', ['name', 'size', 'tags'], { unique: [['name', 'size']] })],
      parameters: [
        NAME,
        parameter('size', 'integer', { nullable: false, unique: true }),
        parameter('tags', 'string', { multiple: true, indexed: true }),
      ],
    },
    steps: [
      `create city(id uuid!, name text, size bigint!, tags text[], ${UNIT_COLUMNS})`,
      'unique btree city(size)',
      'gin city(tags)',
      'unique btree city(name, size)',
    ],
  },
  {
    name: 'a kind with checks',
    before: {},
    after: { ...CITY, kinds: [checkedBy('eq(name,a)', 'ne(name,b)')] },
    steps: [`create city(id uuid!, name text, ${UNIT_COLUMNS}) checks eq(name,a), ne(name,b)`],
  },
  {
    name: 'a check, and one with another filter',
    before: { ...CITY, kinds: [checkedBy('eq(name,a)')] },
    after: { ...CITY, kinds: [checkedBy('ne(name,a)', 'ne(name,b)')] },
    steps: ['drop check city eq(name,a)', 'check city ne(name,a)', 'check city ne(name,b)'],
    guards: [fails('ne(name,a)'), fails('ne(name,b)')],
  },
  {
    name: 'the text of a check',
    before: { ...CITY, kinds: [checkedBy('eq(name,a)')] },
    after: { ...CITY, kinds: [kind('city', ['name'], { checks: [{ id: 'c0', filter: 'eq(name,a)', text: 'b' }] })] },
    steps: [],
  },
  {
    name: 'a check of a new parameter',
    before: CITY,
    after: {
      kinds: [kind('city', ['name', 'size'], { checks: [{ id: 'c0', filter: 'lt(size,9)', text: 'a' }] })],
      parameters: [NAME, parameter('size', 'integer', { default_value: 7 })],
    },
    steps: ['alter city: +size bigint = 7', 'check city lt(size,9)'],
    guards: [fails('lt(size,9)', 7)],
  },
  {
    name: 'the type of a parameter that a check names',
    before: { ...CITY, kinds: [checkedBy('isnull(name,false)')] },
    after: { ...cityWith({}, 'integer'), kinds: [checkedBy('isnull(name,false)')] },
    steps: ['drop check city isnull(name,false)', 'alter city: -+name bigint', 'check city isnull(name,false)'],
    guards: [fails('isnull(name,false)', null)],
  },
  {
    name: 'a kind with a natural key',
    before: {},
    after: { kinds: [kind('city', ['name'])], parameters: [parameter('name', 'decimal', { is_primary: true })] },
    steps: [`create city(id numeric!, ${UNIT_COLUMNS})`, 'btree city(inserted_at, id)'],
  },
  {
    name: 'a remote kind',
    before: {},
    after: { ...CITY, kinds: [kind('city', ['name'], { remote: true })] },
    steps: [],
  },
  {
    name: 'a kind that goes',
    before: CITY,
    after: { parameters: [NAME] },
    steps: ['drop city'],
    guards: [guard('kind.has_units', { type: 'any' }, undefined, true)],
  },
  {
    name: 'a kind that becomes remote',
    before: CITY,
    after: { ...CITY, kinds: [kind('city', ['name'], { remote: true })] },
    steps: ['drop city'],
    guards: [guard('kind.has_units', { type: 'any' }, undefined, true)],
  },
  {
    name: 'a kind that is no longer remote',
    before: { ...CITY, kinds: [kind('city', ['name'], { remote: true })] },
    after: CITY,
    steps: [`create city(id uuid!, name text, ${UNIT_COLUMNS})`],
  },
  {
    name: 'a parameter more',
    before: { ...CITY, kinds: [kind('city', [])] },
    after: CITY,
    steps: ['alter city: +name text'],
  },
  {
    name: 'two more and one less in one statement',
    before: { kinds: [kind('city', ['name'])], parameters: [NAME, parameter('a', 'date'), parameter('b', 'json')] },
    after: { kinds: [kind('city', ['a', 'b'])], parameters: [NAME, parameter('a', 'date'), parameter('b', 'json')] },
    steps: ['alter city: -name, +a date, +b jsonb'],
    guards: [guard('parameter.has_values', { type: 'has_value', column: 'name' }, 'name', true)],
  },
  {
    name: 'a parameter more, with a default for the units that are there',
    before: { ...CITY, kinds: [kind('city', [])] },
    after: cityWith({ default_value: '2024-01-31T10:00:00+01:00', nullable: false }, 'datetime'),
    steps: ['alter city: +name timestamptz! = "2024-01-31T10:00:00+01:00"'],
  },
  {
    name: 'a parameter more that may not be null and has no default',
    before: { ...CITY, kinds: [kind('city', [])] },
    after: cityWith({ nullable: false }),
    steps: ['alter city: +name text!'],
    guards: [violated({ type: 'any' })],
  },
  {
    name: 'a unique parameter more, with a default',
    before: { ...CITY, kinds: [kind('city', [])] },
    after: cityWith({ unique: true, default_value: 'x' }),
    steps: ['alter city: +name text = "x"', 'unique btree city(name)'],
    guards: [violated({ type: 'more_than_one' })],
  },
  {
    name: 'a run-time parameter more',
    before: { ...CITY, kinds: [kind('city', [])] },
    after: cityWith({ only_run_time: true }),
    steps: [],
  },
  {
    name: 'a parameter that is no longer stored',
    before: CITY,
    after: cityWith({ persistence: 'run_time' }),
    steps: ['alter city: -name'],
    guards: [guard('parameter.has_values', { type: 'has_value', column: 'name' }, 'name', true)],
  },
  {
    name: 'not null',
    before: CITY,
    after: cityWith({ nullable: false }),
    steps: ['alter city: name!'],
    guards: [violated({ type: 'is_null', column: 'name' })],
  },
  { name: 'null again', before: cityWith({ nullable: false }), after: CITY, steps: ['alter city: name?'] },
  {
    name: 'unique',
    before: CITY,
    after: cityWith({ unique: true }),
    steps: ['unique btree city(name)'],
    guards: [violated({ type: 'duplicates', columns: ['name'] })],
  },
  {
    name: 'unique no longer',
    before: cityWith({ unique: true }),
    after: CITY,
    steps: [`drop index ${constraintName('city', ['name'], 'key')}`],
  },
  {
    name: 'unique in a list',
    before: cityWith({ multiple: true }),
    after: cityWith({ multiple: true, unique: true }),
    steps: [],
    guards: [violated({ type: 'duplicate_elements', column: 'name' })],
  },
  {
    name: 'indexed',
    before: CITY,
    after: cityWith({ indexed: true }),
    steps: ['btree city(name, id)', 'trigram city(name)'],
  },
  {
    name: 'indexed and unique is one index',
    before: cityWith({ indexed: true }),
    after: cityWith({ indexed: true, unique: true }),
    steps: [`drop index ${constraintName('city', ['name', 'id'], 'idx')}`, 'unique btree city(name)'],
    guards: [violated({ type: 'duplicates', columns: ['name'] })],
  },
  {
    name: 'multiple',
    before: CITY,
    after: cityWith({ multiple: true }),
    steps: ['alter city: -+name text[]'],
    guards: [guard('parameter.locked_by_units', { type: 'any' }, 'name')],
  },
  {
    name: 'a list with an index, no longer multiple',
    before: cityWith({ multiple: true, indexed: true }),
    after: cityWith({ indexed: true }),
    steps: [
      `drop index ${constraintName('city', ['name'], 'idx')}`,
      'alter city: -+name text',
      'btree city(name, id)',
      'trigram city(name)',
    ],
    guards: [guard('parameter.locked_by_units', { type: 'any' }, 'name')],
  },
  {
    name: 'rules that are new',
    before: CITY,
    after: cityWith({ min_length: 1, max_length: 5, values: ['a'], pattern: 'x' }),
    steps: [],
    guards: [
      violated(violates({ type: 'min_length', limit: 1 })),
      violated(violates({ type: 'max_length', limit: 5 })),
      violated(violates({ type: 'values', values: ['a'] })),
      violated(violates({ type: 'pattern', pattern: 'x' })),
    ],
  },
  {
    name: 'a rule on a list',
    before: cityWith({ multiple: true }),
    after: cityWith({ multiple: true, max_length: 5 }),
    steps: [],
    guards: [violated(violates({ type: 'max_length', limit: 5 }, true))],
  },
  {
    name: 'rules that stay or go',
    before: cityWith({ max_length: 5, pattern: 'x' }),
    after: cityWith({ max_length: 5 }),
    steps: [],
  },
  {
    name: 'bounds of numbers',
    before: cityWith({}, 'decimal'),
    after: cityWith({ min_value: '1', scale: 2 }, 'decimal'),
    steps: [],
    guards: [violated(violates({ type: 'scale', limit: 2 })), violated(violates({ type: 'min_value', limit: '1' }))],
  },
  {
    name: 'a natural key',
    before: CITY,
    after: cityWith({ is_primary: true }),
    steps: ['drop city', `create city(id text!, ${UNIT_COLUMNS})`, 'btree city(inserted_at, id)'],
    guards: [guard('parameter.locked_by_units', { type: 'any' }, 'name')],
  },
  {
    name: 'a natural key no longer',
    before: cityWith({ is_primary: true }),
    after: CITY,
    steps: ['drop city', `create city(id uuid!, name text, ${UNIT_COLUMNS})`],
    guards: [guard('parameter.locked_by_units', { type: 'any' }, 'name')],
  },
  {
    name: 'uniqueness of several, of which one is new: nothing stored can violate it',
    before: { ...CITY, parameters: [NAME, parameter('size', 'integer')] },
    after: {
      kinds: [kind('city', ['name', 'size'], { unique: [['name', 'size']] })],
      parameters: [NAME, parameter('size', 'integer')],
    },
    steps: ['alter city: +size bigint', 'unique btree city(name, size)'],
  },
  {
    name: 'uniqueness and indexes of several',
    before: {
      kinds: [kind('city', ['name', 'xmin'], { indexes: [['name']] })],
      parameters: [NAME, parameter('xmin', 'integer')],
    },
    after: {
      kinds: [kind('city', ['name', 'xmin'], { unique: [['xmin', 'name']] })],
      parameters: [NAME, parameter('xmin', 'integer')],
    },
    steps: [`drop index ${constraintName('city', ['name', 'id'], 'idx')}`, 'unique btree city(_xmin, name)'],
    guards: [violated({ type: 'duplicates', columns: ['_xmin', 'name'] }, 'unique')],
  },
];

const LAND = kind('land', ['iso']);
const ISO = parameter('iso', 'string', { is_primary: true });
const refersTo = (reference: string, given: Parameters<typeof parameter>[2] = {}): Records => ({
  kinds: [LAND, kind('plain', []), kind('city', ['name'])],
  parameters: [ISO, parameter('name', 'unit', { reference_kind: reference, ...given })],
});
const KEY = constraintName('city', ['name'], 'fkey');
const INDEX = constraintName('city', ['name', 'id'], 'idx');

const REFERENCES: readonly Row[] = [
  {
    name: 'a reference takes the type of the key that it leads to',
    before: { kinds: [LAND, kind('plain', [])], parameters: [ISO] },
    after: refersTo('land', { on_delete: 'cascade' }),
    steps: [
      `create city(id uuid!, name text, ${UNIT_COLUMNS})`,
      'btree city(name, id)',
      'key city.name -> land cascade',
    ],
  },
  {
    name: 'kinds that refer to each other, made at once',
    before: {},
    after: {
      kinds: [kind('city', ['a']), kind('land', ['b'])],
      parameters: [
        parameter('a', 'unit', { reference_kind: 'land' }),
        parameter('b', 'unit', { reference_kind: 'city' }),
      ],
    },
    steps: [
      `create city(id uuid!, a uuid, ${UNIT_COLUMNS})`,
      'btree city(a, id)',
      `create land(id uuid!, b uuid, ${UNIT_COLUMNS})`,
      'btree land(b, id)',
      'key city.a -> land restrict',
      'key land.b -> city restrict',
    ],
  },
  {
    name: 'another rule of deletion',
    before: refersTo('land'),
    after: refersTo('land', { on_delete: 'set_null' }),
    steps: [`drop key city ${KEY}`, 'key city.name -> land set_null'],
  },
  {
    name: 'another kind, with another key',
    before: refersTo('land'),
    after: refersTo('plain'),
    steps: [
      `drop key city ${KEY}`,
      `drop index ${INDEX}`,
      'alter city: -+name uuid',
      'btree city(name, id)',
      'key city.name -> plain restrict',
    ],
    guards: [guard('parameter.locked_by_units', { type: 'any' }, 'name')],
  },
  {
    name: 'the referenced kind gets another key',
    before: refersTo('land'),
    after: {
      ...refersTo('land'),
      parameters: [parameter('iso', 'string'), parameter('name', 'unit', { reference_kind: 'land' })],
    },
    steps: [
      `drop key city ${KEY}`,
      `drop index ${INDEX}`,
      'drop land',
      'alter city: -+name uuid',
      `create land(id uuid!, iso text, ${UNIT_COLUMNS})`,
      'btree city(name, id)',
      'key city.name -> land restrict',
    ],
    guards: [{ ...guard('parameter.locked_by_units', { type: 'any' }, 'iso'), kind: 'land', table: 'land' }],
  },
  {
    name: 'both go',
    before: refersTo('land'),
    after: { kinds: [kind('plain', [])], parameters: [] },
    steps: [`drop key city ${KEY}`, 'drop land', 'drop city'],
    guards: [
      { ...guard('kind.has_units', { type: 'any' }, undefined, true), kind: 'land', table: 'land' },
      guard('kind.has_units', { type: 'any' }, undefined, true),
    ],
  },
];

describe('the steps from one model to another', () => {
  it.each([...ROWS, ...REFERENCES])('$name', ({ before, after, steps, guards = [] }) => {
    const change = diffModels(modelWith(before), modelWith(after));
    expect(change.steps.map(brief)).toEqual(steps);
    expect(change.guards).toEqual(guards);
    expect(diffModels(modelWith(after), modelWith(after))).toEqual({ guards: [], steps: [] });
  });

  it('an index of a kind with a natural key ends with the time of insertion', () => {
    const code = parameter('code', 'string', { is_primary: true });
    const name = parameter('name', 'string', { indexed: true });
    const after = {
      kinds: [kind('city', ['code', 'name'], { indexes: [['name', 'code']] })],
      parameters: [code, name],
    };
    const { steps } = diffModels(modelWith({}), modelWith(after));
    expect(steps.slice(1).map(brief)).toEqual([
      'btree city(name, inserted_at)',
      'trigram city(name)',
      'btree city(name, id)',
      'btree city(inserted_at, id)',
    ]);
  });

  it('a kind that becomes a member kind gains columns, and loses them with their values', () => {
    const joined = { ...CITY, members: ['city'] };
    const change = diffModels(modelWith(CITY), modelWith(joined));
    expect(change.steps.map(brief)).toEqual([
      'alter city: +kind_system_user uuid!, +username text!, +email text!, +first_name text! = "", +last_name text! = "", +first_access_time timestamptz, +last_access_time timestamptz, +email_verified_at timestamptz',
      'unique btree city(kind_system_user)',
    ]);
    expect(change.guards).toEqual(['kind_system_user', 'username', 'email'].map((id) => violated({ type: 'any' }, id)));
    const back = diffModels(modelWith(joined), modelWith(CITY));
    expect(back.guards.map(({ code, parameter: id, cascade }) => [code, id, cascade])).toEqual(
      [
        'kind_system_user',
        'username',
        'email',
        'first_name',
        'last_name',
        'first_access_time',
        'last_access_time',
        'email_verified_at',
      ].map((id) => ['parameter.has_values', id, true]),
    );
  });
});

describe('a model that contradicts itself', () => {
  const faults = (
    records: Records,
    touched: { kinds?: string[]; parameters?: string[] } = { kinds: ['city'] },
  ): string[] => {
    try {
      const told = new Faults();
      const [kinds, parameters] = [new Set(touched.kinds), new Set(touched.parameters)];
      const model = modelWith(records);
      const suggestable = { kinds: () => [...model.kinds.keys()], parameters: () => [...model.parameters.keys()] };
      runSync(checkModel(model, { kinds, parameters, linkTypes: new Set(), regrouped: new Set() }, suggestable, told));
      told.throwIfAny();
      return [];
    } catch (error) {
      if (!(error instanceof KindError)) throw error;
      return error.messages.map(({ code, parameter: id }) => `${code} ${id ?? ''}`);
    }
  };

  it.each<[string, Records, string[]]>([
    ['nothing wrong', CITY, []],
    ['a parameter that is not there', { kinds: [kind('city', ['nope'])] }, ['kind.bad_definition parameters']],
    [
      'a parameter twice',
      { kinds: [kind('city', ['name', 'name', 'name'])], parameters: [NAME] },
      ['kind.bad_definition parameters'],
    ],
    [
      'two keys',
      { kinds: [kind('city', ['iso', 'k'])], parameters: [ISO, parameter('k', 'integer', { is_primary: true })] },
      ['kind.bad_definition parameters'],
    ],
    ['a reference into nowhere', refersTo('nope'), ['parameter.bad_reference reference_kind']],
    ['a reference to a type', refersTo('string'), ['parameter.bad_reference reference_kind']],
    ['a reference to administrators', refersTo('kind_admin'), []],
    [
      'several faults',
      {
        kinds: [kind('city', ['nope', 'name', 'name'], { unique: [['x']], indexes: [['name'], ['name']] })],
        parameters: [NAME],
      },
      [
        ...['kind.bad_definition parameters', 'kind.bad_definition parameters'],
        ...['kind.bad_definition unique', 'kind.bad_definition indexes'],
      ],
    ],
    ['a member kind with a key', { kinds: [LAND], parameters: [ISO], members: ['land'] }, []],
  ])('%s', (_, records, messages) => expect(faults(records)).toEqual(messages));

  it('is checked only where something was changed', () => {
    const broken = { kinds: [kind('city', ['nope']), kind('town', [])] };
    expect(faults(broken, { kinds: ['town'] })).toEqual([]);
    expect(faults(broken, { kinds: ['city'] })).toEqual(['kind.bad_definition parameters']);
    expect(faults(refersTo('nope'), { parameters: ['name'] })).toEqual(['parameter.bad_reference reference_kind']);
    expect(faults({ kinds: [LAND], parameters: [ISO], members: ['land'] }, { parameters: ['iso'] })).toEqual([
      'unit.conflict is_primary',
    ]);
  });
});
