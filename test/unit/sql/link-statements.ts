/** The statements of links, walks and groups, for `statements.test.ts`. */
import { listQueryOf } from '../../support/list-query.js';
import { builtInField } from '../../../src/model/field.js';
import type { Field, KindDef } from '../../../src/model/model.js';
import { parameterType } from '../../../src/model/parameter-type/type-by-id.js';
import type { Predicate } from '../../../src/model/predicate/predicate.js';
import type { Statement } from '../../../src/sql/fragment.js';
import {
  deleteLinkStatement,
  findLinkStatement,
  insertLinkStatement,
  lockLinksStatement,
} from '../../../src/sql/link/link.sql.js';
import type { LinkPlan } from '../../../src/sql/link/link-ends.sql.js';
import {
  type LinkSet,
  lockLinkSetUnitStatement,
  lockLinksToDeleteStatement,
  lockLinkTableStatement,
  lockOthersStatement,
  refusedLinksStatement,
} from '../../../src/sql/link/link-set.sql.js';
import { writeLinksStatements } from '../../../src/sql/link/link-set-write.sql.js';
import {
  countLinksStatement,
  deleteDanglingLinksStatement,
  deleteLinksOfKindStatement,
  deleteLinksOfStatement,
  deleteLinksOfTypeStatement,
  linkedKindsStatement,
} from '../../../src/sql/link/many-links.sql.js';
import type { PassedKind } from '../../../src/sql/link/traversal-plan.js';
import { listStatement } from '../../../src/sql/list/select.sql.js';
import {
  estimateUnionStatement,
  getAnyStatement,
  unionStatement,
  type UnionPlan,
} from '../../../src/sql/list/union.sql.js';
import { loadedLinks, walkStatement, type WalkPlan } from '../../../src/sql/walk/walk.sql.js';
import { planParts } from '../../../src/unit/query/union.plan.js';
import { planGet, planList, type PlanContext } from '../../../src/unit/query/list.plan.js';

interface Given {
  readonly schema: string;
  readonly version: number;
  readonly city: KindDef;
  readonly land: KindDef;
  /** The id of a city. */
  readonly id: string;
  /** Lets that one city through. */
  readonly own: Predicate;
  readonly context: (kind: KindDef, access?: Predicate) => PlanContext;
}

export function linkStatements({ schema, version, city, land, id: ID, own, context }: Given): [string, Statement][] {
  const link: LinkPlan = {
    schema,
    version,
    linkId: 'road',
    shown: [],
    parent: { kind: city, key: ID, access: own },
    allowed: undefined,
    child: { kind: land, key: 'IT', access: undefined },
  };
  const set: LinkSet = { schema, version, linkId: 'road', direction: 'child', kind: city, id: ID };
  const unit = { schema, version, unit: link.parent, allowed: own };
  const others = [
    { kind: city, access: own, allowed: undefined, keys: [ID], positions: [1] },
    { kind: land, access: undefined, allowed: undefined, keys: ['FR', 'IT'], positions: [2, 0] },
  ];
  const rows = { json: '[]', count: 0 };
  const written = { shown: [], inserted: [], given: [], rows, replace: false, deleted: undefined };
  // A column of links that a kind has as well.
  const values = [land.fields.get('inserted_at')].filter((field) => field !== undefined);
  const deleted = {
    passed: [{ kind: city, access: own }],
    passesAll: false,
    kept: '[]',
    allowed: undefined,
    most: 100,
  };
  const reference = (id: string): Field =>
    builtInField({ id, type: 'unit' }, { column: undefined, reference: { kind: '', key: parameterType('string') } });
  const title = land.fields.get('title');
  if (!title) throw new Error('a land has a title');
  const ruled: Predicate = {
    op: 'is',
    target: { field: title, keys: [], through: [{ reference: reference('child'), kind: land, access: undefined }] },
    negated: false,
    value: 'Italy',
  };
  const planned = (query: string) => planParts(listQueryOf(query), [context(city), context(land)]);
  const shownOf = (query: string) => ({ shown: planned(query).parts, order: planned(query).order });
  const passed: PassedKind[] = [city, land].map((each) => ({ kind: each, access: undefined }));
  const ways = (['parent', 'child'] as const).map((direction) => {
    return {
      schema,
      direction,
      depth: direction === 'child' ? 1 : 0,
      linkIds: undefined,
      linkValues: [],
      passed,
      passesAll: true,
      oneType: false,
    };
  });
  const walk: WalkPlan = {
    schema,
    direction: 'child',
    depth: 0,
    linkIds: undefined,
    linkValues: [],
    passed,
    passesAll: false,
    oneType: false,
    start: { kind: city, key: ID, access: own },
    ...shownOf('?include=name'),
    expectedKinds: undefined,
    excludesUnits: false,
    linkFilter: undefined,
    linkColumns: [],
    cursor: undefined,
    limit: 20,
    offset: 0,
    count: 'exact',
  };
  const insertedAt = builtInField({ id: 'inserted_at', type: 'datetime' }, { system: true });
  const byTime: Pick<WalkPlan, 'linkFilter' | 'linkColumns'> = {
    linkFilter: {
      op: 'order',
      target: { field: insertedAt, keys: [], ofLink: true },
      than: 'gt',
      value: '2024-01-01T00:00:00Z',
    },
    linkColumns: [{ name: 'inserted_at', columns: ['inserted_at'] }],
  };
  const union = (query: string): UnionPlan => {
    const order = query.includes('order') ? '' : '&order=name;asc';
    return {
      schema,
      ...planned(`${query || '?'}${order}&include=name`),
      limit: 10,
      offset: 0,
      count: 'exact',
      cursor: undefined,
    };
  };
  return [
    ['the neighbours of a unit', walkStatement(walk)],
    ['those by links of one type', walkStatement({ ...walk, linkIds: ['road'], oneType: true })],
    [
      'a walk of three steps, over units that a rule lets through',
      walkStatement({
        ...walk,
        depth: 2,
        direction: 'parent',
        linkIds: ['road'],
        oneType: true,
        passed: [{ kind: city, access: own }, walk.passed[1] as PassedKind],
      }),
    ],
    [
      'a walk, filtered and ordered',
      walkStatement({
        ...walk,
        depth: 1,
        excludesUnits: true,
        offset: 10,
        ...shownOf('?filter=eq(size,1)&order=title;desc'),
      }),
    ],
    ['neighbours by a value of the link', walkStatement({ ...walk, ...byTime, linkIds: ['road'], oneType: true })],
    [
      'a walk by values of links of two types, after a cursor',
      walkStatement({
        ...walk,
        ...byTime,
        ...shownOf('?order=title;desc'),
        depth: 2,
        linkColumns: [
          ...byTime.linkColumns,
          { name: 'weight', columns: ['parent_kind', 'child_kind'] },
          { name: 'depth', columns: [] },
        ],
        cursor: ['Oslo', '1', 'city', ID],
      }),
    ],
    ['neighbours after a cursor', walkStatement({ ...walk, cursor: ['city', ID] })],
    ['the kinds that are linked', linkedKindsStatement(schema)],
    [
      'links loaded',
      listStatement({
        ...planList(listQueryOf('?limit=10&include=name'), context(city)),
        also: loadedLinks(city, ways, { shown: [], only: undefined, limits: { units: 100, links: 200 } }),
      }),
    ],
    ['units of two kinds', unionStatement(union('?order=name;desc'))],
    ['those after a cursor', unionStatement({ ...union('?filter=eq(size,1)'), cursor: ['Oslo', ID, '0'] })],
    ['how many there may be', estimateUnionStatement(union(''))],
    [
      'a unit of either kind',
      getAnyStatement(schema, [
        { ...planGet(listQueryOf(''), context(land)), key: 'IT' },
        { ...planGet(listQueryOf(''), context(city, own)), key: ID },
      ]),
    ],
    ['a link made', insertLinkStatement(link)],
    ['a link deleted', deleteLinkStatement({ ...link, allowed: own })],
    [
      'which of many links a rule does not allow',
      refusedLinksStatement(set, { kind: land, ids: ['IT'], allowed: own, rule: ruled }),
    ],
    ['a link made by a rule over both units', insertLinkStatement({ ...link, rule: ruled })],
    ['whether a link is there', findLinkStatement(link)],
    ['many links: the table', lockLinkTableStatement(schema)],
    ['many links: their unit', lockLinkSetUnitStatement({ ...unit, replace: false })],
    ['many links: their unit, to replace them', lockLinkSetUnitStatement({ ...unit, replace: true })],
    ['many links: the other units', lockOthersStatement(set, others, false)],
    ['many links: those to delete', lockLinksToDeleteStatement(set, deleted)],
    [
      'many links: parents to unlink',
      lockLinksToDeleteStatement(
        { ...set, direction: 'parent' },
        { ...deleted, allowed: [{ kind: city, allowed: own }] },
      ),
    ],
    ...writeLinksStatements(set, written).map((statement): [string, Statement] => ['many links: written', statement]),
    ...writeLinksStatements(set, { ...written, shown: values, given: values, replace: true, deleted: '[]' }).map(
      (statement, at): [string, Statement] => [
        `many links: ${['others deleted', 'values changed', 'new ones made'][at]}`,
        statement,
      ],
    ),
    ['links of units that are gone', deleteLinksOfStatement({ schema, kind: city }, [ID])],
    ['links of units that are gone, after the commit', deleteDanglingLinksStatement({ schema, kind: land }, ['IT'])],
    ['links of a kind that is gone', deleteLinksOfKindStatement(schema, 'city')],
    ['links that nobody may make for a while', lockLinksStatement(schema)],
    ['links of a type counted', countLinksStatement(schema, 'road')],
    ['links of a type deleted', deleteLinksOfTypeStatement(schema, 'road')],
  ];
}
