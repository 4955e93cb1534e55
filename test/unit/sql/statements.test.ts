/**
 * The exact SQL of representative plans, committed beside this file so that a review shows what changes; each of them
 * is executed too. After a change on purpose: `npx vitest run test/unit/sql -u`, and read the difference.
 */
import { describe, expect, it } from 'vitest';
import { readTableShapes } from '../../../src/catalog/project/introspection.js';
import { listQueryOf } from '../../support/list-query.js';
import { diffModels, type Guard } from '../../../src/model/table/diff.js';
import { schemaName } from '../../../src/model/names.js';
import type { FieldExpression } from '../../../src/model/expression.js';
import { Moment, type Predicate } from '../../../src/model/predicate/predicate.js';
import type { Statement } from '../../../src/sql/fragment.js';
import {
  dropDefaultsStatement,
  guardStatement,
  lockForDefinitionChangeStatement,
  patternValuesStatement,
  stepStatements,
} from '../../../src/sql/definition/ddl.sql.js';
import { isLargeStatement, oversizedStatement, listIndexesStatement } from '../../../src/sql/definition/index.sql.js';
import { lockTablesStatement, lockUnitsStatement } from '../../../src/sql/lock.sql.js';
import { keepVersionStatement } from '../../../src/sql/definition/model.sql.js';
import {
  clearReferencesStatement,
  countReferencesStatement,
  referringStatement,
} from '../../../src/sql/write/reference.sql.js';
import { estimateStatement, getStatement, listStatement } from '../../../src/sql/list/select.sql.js';
import { insertStatement, insertUnansweredStatement } from '../../../src/sql/write/insert.sql.js';
import {
  deleteStatement,
  deleteUnitsStatement,
  lockAsEditStatement,
  lockStatement,
} from '../../../src/sql/write/delete.sql.js';
import { type WritePlan } from '../../../src/sql/write/written-rows.sql.js';
import type { TransitionField } from '../../../src/sql/condition/next-values.sql.js';
import { failedChecksStatement, lookupStatement, takenStatement } from '../../../src/sql/write/existing-rows.sql.js';
import {
  lockMatchingStatement,
  failingMatchingStatement,
  takenByMatchingStatement,
  updateMatchingStatement,
} from '../../../src/sql/write/matching.sql.js';
import {
  passedGuardsStatement,
  resultsStatement,
  updateSetStatement,
  updateStatement,
} from '../../../src/sql/write/update.sql.js';
import { rowParams, rowsText } from '../../../src/sql/write/input-rows.sql.js';
import { pageCursor } from '../../../src/unit/query/cursor.js';
import { planGet, planList, type PlanContext } from '../../../src/unit/query/list.plan.js';
import { tableShapes } from '../../../src/model/table/required-tables.js';
import { runSync } from '../../../src/shared/work-in-pieces.js';
import { linkStatements } from './link-statements.js';
import { modelOf, ok } from '../../support/definitions.js';
import { kind, kindIn, modelWith, parameter } from '../../support/models.js';
import { resolvedChecks } from '../../../src/model/check/kind-checks.js';
import type { KindRecord } from '../../../src/model/build/definition-records.js';
import { sharedService } from '../../support/service.js';

const RECORDS = {
  kinds: [
    kind('city', ['name', 'size', 'price', 'founded', 'opened', 'photo', 'tags', 'extra', 'land', 'xmin'], {
      unique: [['name', 'size']],
    }),
    kind('land', ['iso', 'title']),
  ],
  parameters: [
    parameter('name', 'string', { unique: true, max_length: 20, nullable: false }),
    parameter('size', 'integer', { indexed: true }),
    parameter('price', 'decimal'),
    parameter('founded', 'date'),
    parameter('opened', 'datetime'),
    parameter('photo', 'binary'),
    parameter('tags', 'string', { multiple: true, indexed: true }),
    parameter('extra', 'json'),
    parameter('land', 'unit', { reference_kind: 'land', on_delete: 'set_null' }),
    parameter('xmin', 'string'),
    parameter('iso', 'string', { is_primary: true }),
    parameter('title', 'string'),
  ],
};
const model = modelWith(RECORDS);
/** The same kind with checks, which compare nulls as SQL does. */
const CHECKS = [
  { id: 'size', filter: 'or(lt(size,9),not(eq(name,"it\'s \\\\")),isnull(price,false))', text: 'a' },
  { id: 'tags', filter: 'and(ne(xmin,a),in(tags,a,"b,c"),not(in(size,1,2)),eq(extra,1))', text: 'b' },
];
const checked = kindIn(
  modelWith({ ...RECORDS, kinds: [{ ...RECORDS.kinds[0], checks: CHECKS } as KindRecord, ...RECORDS.kinds.slice(1)] }),
  'city',
);
const [city, land, stringKind] = ['city', 'land', 'string'].map((id) => kindIn(model, id)) as [
  ReturnType<typeof kindIn>,
  ReturnType<typeof kindIn>,
  ReturnType<typeof kindIn>,
];
const ID = '0198c0de-0000-7000-8000-000000000001';
const OTHER_ID = '0198c0de-0000-7000-8000-000000000002';

/** All of them, of a schema whose model has a version. */
function statements(schema: string, version: number): Map<string, Statement> {
  const context = (of = city, access?: Predicate): PlanContext => ({ schema, kind: of, access, visible: of.fields });
  const list = (query: string, of = city, access?: Predicate) =>
    planList(listQueryOf(`?${query}`), context(of, access));
  const own: Predicate = { op: 'is', target: { field: city.keyField, keys: [] }, negated: false, value: ID };
  const field = (id: string) => city.fields.get(id) ?? city.keyField;
  const renamed: Predicate = {
    op: 'and',
    parts: [own, { op: 'isnull', target: { field: field('name'), keys: [] }, value: false }],
  };
  const write: WritePlan = {
    schema,
    kind: city,
    version,
    written: [city.keyField, ...['name', 'tags', 'extra', 'land', 'xmin', 'metadata'].map(field)],
    fields: ['id', 'name', 'opened', 'tags', 'xmin'].map(field),
    shown: undefined,
    allowed: undefined,
  };
  const recent: Predicate = {
    ...{ op: 'order', target: { field: field('opened'), keys: [] } },
    ...{ than: 'gte', value: new Moment(-3600) },
  };
  const steps: TransitionField = {
    ...{ field: field('name'), initial: ['open'], possible: { open: ['solved'] } },
    conditional: [{ possible: { solved: ['open'] }, condition: recent }],
  };
  const once = { ...write, written: [field('name')], guarded: [{ field: field('name'), repeatable: true }] };
  const set = { readable: own, access: own, allowed: own, keys: [ID] };
  const expressions: readonly FieldExpression[] = [
    { field: field('size'), expression: { op: 'inc', by: 1 } },
    { field: field('tags'), expression: { op: 'list', remove: ['a'], add: ['b'] } },
    { field: field('extra'), expression: { op: 'merge', patch: { a: null, b: { c: [1] }, d: 1 } } },
  ];
  const onceSize = [{ field: field('size'), repeatable: true }];
  const matching = { schema, kind: city, version, filter: own, readable: own, access: own, most: 10 };
  const row = { id: ID, name: 'Rome', tags: ['a'], extra: { a: 1 }, land: null, _xmin: 'x', metadata: {} };
  const numberedRow = (number: string) => ({ ...row, id: `${ID.slice(0, -1)}${number}`, name: `City ${number}` });
  const second = planList(listQueryOf('?limit=2&order=size;desc&cursor='), context());
  const guards: readonly Guard[] = (
    [
      { type: 'any' },
      { type: 'more_than_one' },
      { type: 'has_value', column: 'name' },
      { type: 'is_null', column: '_xmin' },
      { type: 'duplicates', columns: ['name', 'size'] },
      { type: 'duplicate_elements', column: 'tags' },
      { type: 'violates', column: 'name', array: false, constraint: { type: 'max_length', limit: 5 } },
      { type: 'violates', column: 'tags', array: true, constraint: { type: 'values', values: ["a'b"] } },
      { type: 'violates', column: 'price', array: false, constraint: { type: 'min_value', limit: '1.5' } },
      { type: 'violates', column: 'price', array: false, constraint: { type: 'scale', limit: 2 } },
      { type: 'violates', column: 'photo', array: false, constraint: { type: 'max_bytes', limit: 3 } },
    ] as const
  ).map((condition) => ({ kind: 'city', table: 'city', condition, code: 'parameter.violated', cascade: false }));
  const change = { schema, kind: city, version, id: ID, access: own, tags: ['1', '2'] };
  return new Map<string, Statement>([
    ['a list', listStatement(list(''))],
    ['a list of a natural key', listStatement(list('', land))],
    ['a list of a kind that shares its table', listStatement(list('include=id,label', stringKind))],
    [
      'some fields of a page, in an order',
      listStatement(list('include=name,price,opened&order=size;desc&order=name;asc&limit=10&offset=20')),
    ],
    ['the count alone', listStatement(list('limit=0&filter=isnull(size)'))],
    ['no count', listStatement(list('count=none&include=id'))],
    ['what a caller may read', listStatement(list('include=id&filter=eq(name,x)', city, own))],
    ['the first page by cursor', listStatement(second)],
    ['the next page by cursor', listStatement(list(`limit=2&order=size;desc&cursor=${pageCursor(second, ['5', ID])}`))],
    [
      'the page after the nulls',
      listStatement(
        list(`limit=2&order=size;asc&cursor=${pageCursor(list('limit=2&order=size;asc&cursor='), [null, ID])}`),
      ),
    ],
    ...[
      'eq(name,a)',
      'ne(name,a)',
      'not(eq(size,1))',
      'and(ge(size,1),lte(price,2.50),or(lt(founded,01-02-2024),gte(opened,2024-01-31)))',
      'in(size,[1,2])',
      'icontains(name,50%_\\)',
      'startswith(xmin,a)',
      'contains(tags,a)',
      'in(tags,[a,b])',
      'eq(tags,[a,b])',
      'eq(extra.a."b.c",1)',
      'eq(extra,{"a":1})',
      'isnull(extra.a,false)',
      'eq(photo,AAEC)',
      'eq(land,IT)',
      'eq(kind_id,city)',
    ].map((filter): [string, Statement] => [
      filter,
      listStatement(list(`include=id&filter=${encodeURIComponent(filter)}`)),
    ]),
    ['an estimate', estimateStatement(list('count=estimated&filter=eq(size,1)'))],
    ['a unit', getStatement(planGet(listQueryOf(''), context(city, own)), ID)],
    ['a unit of a natural key', getStatement(planGet(listQueryOf('?include=title'), context(land)), 'IT')],
    ['an insert of several units', insertStatement(write, runSync(rowsText(['2', '3'].map(numberedRow))))],
    [
      'an insert of units that are not answered',
      insertUnansweredStatement(write, runSync(rowsText(['2', '3'].map(numberedRow)))),
    ],
    [
      'an insert under a rule with a time',
      insertStatement({ ...write, allowed: recent }, rowParams(write.written, row) ?? { params: [] }),
    ],
    ['an insert of a unit', insertStatement(write, rowParams(write.written, row) ?? { params: [] })],
    [
      'an insert into a table that is shared',
      insertStatement(
        { ...write, kind: stringKind, written: [stringKind.keyField], fields: [stringKind.keyField] },
        runSync(rowsText([])),
      ),
    ],
    [
      'an update',
      updateStatement(
        { ...write, written: [field('name')], guarded: [], id: ID, access: own, tags: ['1'] },
        rowParams([field('name')], { name: 'Oslo' }) ?? { params: [] },
      ),
    ],
    [
      'an update of nothing',
      updateStatement(
        { ...write, written: [], guarded: [], id: ID, access: undefined, tags: undefined },
        runSync(rowsText([{}])),
      ),
    ],
    [
      'an update of a value that may be written once',
      updateStatement(
        { ...once, id: ID, access: undefined, tags: undefined },
        rowParams([field('name')], { name: 'Oslo' }) ?? { params: [] },
      ),
    ],
    [
      'an update of a value with transitions',
      updateStatement(
        { ...once, guarded: [steps], id: ID, access: recent, tags: undefined },
        rowParams([field('name')], { name: 'open' }) ?? { params: [] },
      ),
    ],
    [
      'an update of a unit with rules, of which those are tested again that it can break',
      updateStatement(
        { ...once, id: ID, access: renamed, shown: renamed, allowed: renamed, tags: undefined },
        rowParams([field('name')], { name: 'Oslo' }) ?? { params: [] },
      ),
    ],
    [
      'whether values that may be written once would stay',
      passedGuardsStatement(
        { ...once, id: ID, access: undefined, tags: undefined },
        runSync(rowsText([{ name: 'Oslo' }])),
      ),
    ],
    [
      'an update by expressions',
      updateStatement(
        { ...write, written: [], expressions, guarded: onceSize, id: ID, access: undefined, tags: undefined },
        runSync(rowsText([{}])),
      ),
    ],
    ['the results of expressions', resultsStatement({ schema, kind: city, id: ID }, expressions)],
    [
      'an update of all units that match',
      updateMatchingStatement(
        { ...matching, ...write, ...once, expressions, allowed: renamed },
        rowParams([field('name')], { name: 'Oslo' }) ?? { params: [] },
      ),
    ],
    [
      'which of the units that match would get values of another one',
      takenByMatchingStatement(
        { ...matching, ...write, ...once, expressions, allowed: renamed },
        rowParams([field('name')], { name: 'Oslo' }) ?? { params: [] },
        [[field('name')], [field('name'), field('size')]],
      ),
    ],
    [
      'which of the units that match would fail checks',
      failingMatchingStatement(
        { ...matching, ...write, ...once, expressions },
        rowParams([field('name')], { name: 'Oslo' }) ?? { params: [] },
        resolvedChecks(checked),
      ),
    ],
    ['all units that match locked, to be deleted', lockMatchingStatement(matching, true)],
    [
      'units looked up by unique values',
      lookupStatement(
        { schema, kind: city, by: [field('name'), field('size')], readable: own, fields: [city.keyField] },
        runSync(rowsText([{ name: 'Oslo', size: 1 }])),
      ),
    ],
    [
      'an update of several units, each to values of its own',
      updateSetStatement(
        { ...write, ...once, ...set, shown: renamed, allowed: renamed, rules: [own], answers: true },
        runSync(rowsText([{ name: 'Oslo' }])),
      ),
    ],
    [
      'the same without answers',
      updateSetStatement(
        { ...write, ...set, guarded: [], allowed: undefined, rules: [], answers: false },
        runSync(rowsText([{ name: 'Oslo' }, { name: 'Bergen' }])),
      ),
    ],
    [
      'an insert of what is not there yet',
      insertStatement({ ...write, by: [field('name')] }, rowParams(write.written, row) ?? { params: [] }),
    ],
    ['a unit locked, to be edited', lockStatement(change, false)],
    ['a unit locked, to be deleted', lockStatement(change, true)],
    ['a unit locked by an edit that changes nothing', lockAsEditStatement(change)],
    ['units held before a run', lockUnitsStatement({ schema, kind: city, keys: [ID], forDelete: false })],
    ['units that may be deleted, held', lockUnitsStatement({ schema, kind: land, keys: ['IT'], forDelete: true })],
    ['tables held before a run', lockTablesStatement(schema, ['city', 'land'])],
    ['the version of the model kept', keepVersionStatement(schema)],
    ['a deletion', deleteStatement(change)],
    ['how many refer to it', countReferencesStatement(schema, city, field('land'), ['IT'], [])],
    ['which refer to it', referringStatement(schema, city, field('land'), ['IT'], { limit: 100, except: [] })],
    [
      'whether one refers to it still',
      referringStatement(schema, city, field('land'), ['IT'], { limit: 1, except: [ID], only: ID }),
    ],
    ['references emptied', clearReferencesStatement({ schema, kind: city }, field('land'), ['IT'], [ID])],
    ['some units deleted', deleteUnitsStatement({ schema, kind: city }, [ID])],
    [
      'which values another unit has',
      takenStatement(
        schema,
        city,
        [[field('name')], [field('name'), field('size')]],
        { json: '[{"name":"Rome"}]', count: 1 },
        { written: [field('name')], keys: [ID] },
      ),
    ],
    [
      'which values of several others have',
      takenStatement(schema, city, [[field('name')], [field('name'), field('size')]], {
        json: '[{"name":"Rome","size":1},{"name":"Oslo","size":1}]',
        count: 2,
      }),
    ],
    [
      'which values of several edited ones have',
      takenStatement(
        schema,
        city,
        [[field('name'), field('size')]],
        { json: '[{"name":"Rome"},{"name":"Oslo"}]', count: 2 },
        { written: [field('name')], keys: [ID, OTHER_ID] },
      ),
    ],
    [
      'which checks new units fail',
      failedChecksStatement(
        { schema, kind: checked, written: [field('name'), field('tags')], expressions: [], keys: undefined },
        resolvedChecks(checked),
        { json: '[{"name":"Rome"},{"name":"Oslo","tags":["a"]}]', count: 2 },
      ),
    ],
    [
      'which checks an edited unit fails',
      failedChecksStatement(
        { schema, kind: checked, written: [field('name')], expressions, keys: [ID] },
        resolvedChecks(checked),
        { json: '[{"name":"Rome"}]', count: 1 },
      ),
    ],
    ['whether an index is a large one', isLargeStatement(schema, 'city', '_city_size_idx', 10_000)],
    ['whether it may be too small for a value', oversized(schema)],
    ['which indexes stand', listIndexesStatement(schema)],
    ...linkStatements({ schema, version, city, land, id: ID, own, context }),
    ['guards', guardStatement(guards, schema)],
    ['values for a pattern', patternValuesStatement(schema, { table: 'city' }, 'tags', true, ID)],
    ['locks', lockForDefinitionChangeStatement(schema, ['city', 'land'])],
    ['defaults that are dropped', dropDefaultsStatement('city', ['name', '_xmin'], schema)],
  ]);
}

function oversized(schema: string): Statement {
  const table = tableShapes(model).get('city');
  const index = { name: 'i', columns: ['name', 'size', 'tags', 'price'], unique: false, method: 'btree' as const };
  return (table && oversizedStatement(schema, table, index)) ?? { text: '', values: [] };
}

/** What makes the tables of `RECORDS`, and what changes them. */
function definitions(schema: string): Statement[] {
  const later = modelWith({
    kinds: [kind('city', ['name', 'size', 'tags', 'land', 'xmin', 'late', 'lists']), ...RECORDS.kinds.slice(1)],
    parameters: [
      ...RECORDS.parameters.filter(({ id }) => !['name', 'land', 'tags'].includes(id)),
      parameter('name', 'string', { max_length: 20 }),
      parameter('land', 'unit', { reference_kind: 'land', on_delete: 'cascade' }),
      parameter('tags', 'integer', { multiple: true }),
      parameter('late', 'string', { default_value: "it's \\ 'late'", nullable: false }),
      parameter('lists', 'json', { multiple: true, default_value: [{ a: "'" }, 1] }),
    ],
  });
  const checkedKind = (id: string, ...ids: readonly string[]) =>
    modelWith({
      ...RECORDS,
      kinds: [
        kind('city', RECORDS.kinds[0]?.parameters ?? [], { checks: CHECKS.filter((each) => ids.includes(each.id)) }),
        kind('land', ['iso', 'title'], { checks: [{ id, filter: 'ne(iso,x)', text: 'c' }] }),
      ],
    });
  const [one, two] = [checkedKind('a', 'size'), checkedKind('b', 'size', 'tags')];
  const steps = [
    ...diffModels(modelWith({}), model).steps,
    ...diffModels(model, later).steps,
    ...diffModels(later, modelWith({})).steps,
    ...diffModels(modelWith({}), one).steps,
    ...diffModels(one, two).steps,
    ...diffModels(two, modelWith({})).steps,
  ];
  return steps.flatMap((step) => stepStatements(step, schema));
}

const show = ({ text, values }: Statement): string =>
  [text, ...values.map((value, at) => `-- $${at + 1} = ${JSON.stringify(value)}`)].join('\n');

describe('the SQL', () => {
  it('of statements is what is committed', async () => {
    const text = [...statements('project_demo', 7)]
      .map(([name, statement]) => `-- ${name}\n${show(statement)}\n`)
      .join('\n');
    await expect(text).toMatchFileSnapshot('statements.sql');
  });

  it('of definitions is what is committed', async () => {
    await expect(`${definitions('project_demo').map(show).join('\n')}\n`).toMatchFileSnapshot('definitions.sql');
  });
});

describe('PostgreSQL', async () => {
  const service = await sharedService();
  const project = await service.project();
  const { database } = service.service;
  const schema = schemaName(project.id);
  const rollback = new Error('rolled back');
  for (const { id, kind_id, ...given } of RECORDS.parameters.filter((each) => each.kind_id !== 'unit')) {
    await ok(
      project.post(`/${kind_id}/unit`, {
        id,
        multiple: given.multiple,
        unique: given.unique,
        indexed: given.indexed,
        is_primary: given.is_primary,
        nullable: given.nullable,
      }),
    );
  }
  await ok(project.post('/kind/unit', { id: 'land', parameters: ['iso', 'title'] }));
  await ok(project.post('/unit/unit', { id: 'land', reference_kind: 'land', on_delete: 'set_null' }));
  await ok(
    project.post('/kind/unit', { id: 'city', parameters: RECORDS.kinds[0]?.parameters, unique: [['name', 'size']] }),
  );
  await ok(project.post('/land/unit', { iso: 'IT' }));
  const { version } = await modelOf(project);

  it.each([...statements(schema, version)])('runs: %s', async (_, statement) => {
    const work = database.transaction(async (tx) => {
      await tx.run(statement);
      throw rollback;
    });
    await expect(work).rejects.toBe(rollback);
  });

  it('runs the definitions, there and back', async () => {
    const empty = await service.project();
    const before = await readTableShapes(database, schemaName(empty.id));
    await database.transaction(async (tx) => {
      for (const statement of definitions(schemaName(empty.id))) await tx.run(statement);
    });
    expect(await readTableShapes(database, schemaName(empty.id))).toEqual(before);
  });
});
