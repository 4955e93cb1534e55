/** Plans what a caller may see of the history of units. Pure. */
import { authorizeKind, checkActive } from '../access/access.js';
import type { ListQuery } from '../filter/queries.js';
import { parseListQuery, type Parsed } from '../http/route/parse-list-query.js';
import { builtInField } from '../model/field.js';
import type { Field, KindDef } from '../model/model.js';
import type { Names } from '../model/predicate/path.js';
import type { Predicate } from '../model/predicate/predicate.js';
import { hasMoment } from '../model/predicate/related.js';
import { resolveFilter } from '../model/predicate/resolve-filter.js';
import type { Opened } from '../run/command.js';
import { collectFaults } from '../shared/collect-faults.js';
import { Faults, refusal } from '../shared/errors.js';
import type { HistoryPlan, PastPlan, VersionsPlan } from '../sql/changes/history.sql.js';
import type { OrderTerm } from '../sql/list/order.sql.js';
import { planAnswer } from '../unit/query/answer.plan.js';
import { planCursor } from '../unit/query/cursor.js';
import { planContextOf, planQuery } from '../unit/query/list.plan.js';
import { orderTerm } from '../unit/query/order.plan.js';
import type { PastQuery } from './history.query.js';
import { readableUnits } from '../unit/table/rights.js';
import { versionedFields } from './history-right.js';

/** A kind whose history the caller may read. */
export interface HistoryOf {
  readonly kind: KindDef;
  /** The units that it may read. */
  readonly read: Predicate | undefined;
  /** Those whose history it may read, too. */
  readonly access: readonly Predicate[];
}

/** @throws KindError 401, 403, 404, and 400 for a kind that keeps none */
export function authorizeHistory({ model, caller }: Opened, kindId: string): HistoryOf {
  const { kind, grant } = authorizeKind(model, kindId, 'history', caller);
  checkActive(kind);
  if (kind.changes !== 'history') {
    throw refusal('history.off', `'${kind.id}' keeps no history; its setting changes is '${kind.changes}'`);
  }
  const read = readableUnits({ caller, model }, kind);
  const access = [read, grant.predicate];
  return { kind, read, access: access.filter((each) => each !== undefined) };
}

/** @param unit its id; undefined for all units of the kind */
export function planVersions(
  { project, caller, model }: Opened,
  { kind, access }: Pick<HistoryOf, 'kind' | 'access'>,
  unit: string | undefined,
): VersionsPlan {
  const fields = versionedFields(kind, caller, model);
  return { schema: project.schema, kind, unit, access, fields, days: kind.historyKeep };
}

const field = (id: string, type: 'string' | 'integer' | 'datetime', multiple = false): Field =>
  builtInField({ id, type, label: id, nullable: true, ...(multiple && { multiple }) });

/** What versions can be filtered and ordered by. */
const VERSION_FIELDS: readonly Field[] = [
  field('version', 'integer'),
  field('at', 'datetime'),
  field('operation', 'string'),
  field('member', 'string'),
  field('via', 'string'),
  field('changed', 'string', true),
];
const UNIT_FIELD = field('unit_id', 'string');
/** The number of the change, which makes an order total. */
const NUMBER = builtInField({ id: 'seq', type: 'integer', label: 'seq', nullable: false });

/** @throws KindError 400 with all faults of the query */
export function planHistory(plan: VersionsPlan, parsed: Parsed<ListQuery>): HistoryPlan {
  const names = namesOfVersions(plan);
  return planQuery(parsed, (query) => {
    const faults = new Faults();
    const attempt = <T>(work: () => T, otherwise: T): T => collectFaults(faults, work, otherwise);
    const filter = attempt(() => query.filter && resolveFilter(query.filter, names), undefined);
    if (filter && hasMoment(filter)) {
      faults.add('filter.bad_value', 'filter: a version has no @now', { parameter: 'filter' });
    }
    const order = planOrder(query, names, attempt);
    const cursor = attempt(() => planCursor(query, names.kind, order), undefined);
    faults.throwIfAny();
    const { limit, offset, count } = query;
    return { ...plan, filter, order, cursor, limit, offset, count };
  });
}

/** The newest first, also among those that are equal. */
function planOrder(
  { order }: Pick<ListQuery, 'order'>,
  names: Names,
  attempt: <T>(work: () => T, otherwise: T) => T,
): readonly OrderTerm[] {
  const terms = order.flatMap((by) => attempt<readonly OrderTerm[]>(() => [orderTerm(by, names)], []));
  return [...terms, { value: { type: 'field', target: { field: NUMBER, keys: [] } }, descending: true }];
}

/** Versions as units of a kind. */
export function namesOfVersions({ kind, unit }: VersionsPlan): Names {
  const fields = unit === undefined ? [UNIT_FIELD, ...VERSION_FIELDS] : VERSION_FIELDS;
  const visible = new Map(fields.map((each) => [each.id, each]));
  const id = unit === undefined ? `${kind.id} history` : `${kind.id} history ${unit}`;
  return { kind: { ...kind, id, fields: visible, keyField: NUMBER, primary: undefined }, visible, called: 'a history' };
}

/** Without faults, and without rows: whether there is the unit. */
export function planExistence(plan: VersionsPlan): HistoryPlan {
  return planHistory(plan, parseListQuery([['limit', '0']], ['limit']));
}

/** @throws KindError 400 with all faults of the query */
export function planPast(
  opened: Opened,
  { kind, read, access }: HistoryOf,
  unit: string,
  parsed: Parsed<PastQuery>,
): PastPlan {
  return planQuery(parsed, (query) => {
    const context = { ...planContextOf(opened, { kind, access: undefined }), addresses: undefined };
    const { fields } = planAnswer({ ...query, nest: false }, context);
    return {
      schema: opened.project.schema,
      kind,
      unit,
      read,
      access,
      fields: fields.map(withoutRevealing),
      days: kind.historyKeep,
      asOf: { atMost: query.asOf },
    };
  });
}

/** What only some definitions show is not told of old ones, as in their history. */
function withoutRevealing(field: Field): Field {
  return field.shownWhere ? { ...field, shownWhere: 'nowhere' } : field;
}
