/** Turns a query and what the caller may see into a plan: names become fields, texts become values. Pure. */
import { createHash } from 'node:crypto';
import { parsePath } from '../filter/filter.parser.js';
import type { ListQuery } from '../http/list-query.js';
import { Faults, KindError, refusal } from '../shared/errors.js';
import { didYouMean } from '../shared/nearest.js';
import type { Field, KindDef } from '../model/model.js';
import { everyField, resolveFilter, resolvePath, type Predicate, type Visible } from '../model/predicate.js';
import type { ListPlan, OrderTerm, ReadPlan } from '../sql/select.sql.js';

export interface PlanContext {
  readonly schema: string;
  readonly kind: KindDef;
  /** The units that the caller may read. */
  readonly access: Predicate | undefined;
  /** The fields that the caller may read. */
  readonly visible: Visible;
}

/** All faults of a query are told at once. @throws KindError 400 */
export function planList(query: ListQuery, context: PlanContext, extra?: Predicate): ListPlan {
  const { kind, visible } = context;
  const faults = new Faults();
  const attempt = <T>(work: () => T, otherwise: T): T => collect(faults, work, otherwise);
  const order = attempt(() => planOrder(query, kind, visible), []);
  const filter = attempt(() => query.filter && resolveFilter(query.filter, kind, visible), undefined);
  const fields = attempt(() => planFields(query, kind, visible), []);
  const cursor = attempt(() => planCursor(query, kind, order), undefined);
  faults.throwIfAny();
  const parts = [extra, filter].filter((part) => part !== undefined);
  return {
    schema: context.schema,
    kind,
    access: context.access,
    fields,
    filter: parts.length > 1 ? { op: 'and', parts } : parts[0],
    order,
    limit: query.limit,
    offset: query.offset,
    count: query.count,
    cursor,
  };
}

export function planGet(query: ListQuery, context: PlanContext): ReadPlan {
  const { schema, kind, access, visible } = context;
  return { schema, kind, access, fields: planFields(query, kind, visible) };
}

function collect<T>(faults: Faults, work: () => T, otherwise: T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof KindError)) throw error;
    faults.take(error);
    return otherwise;
  }
}

/** The fields to answer, in the order of the record: what `include` keeps, or what `exclude` leaves. */
export function planFields(
  query: Pick<ListQuery, 'include' | 'exclude'>,
  kind: KindDef,
  visible: Visible,
): readonly Field[] {
  if (!query.include && !query.exclude) return everyField(visible);
  const faults = new Faults();
  const check = (names: readonly string[], parameter: string) => {
    for (const name of names.filter((each) => !visible.has(each))) {
      faults.add(
        'parameter.unknown',
        `${parameter}: no parameter '${name.slice(0, 80)}' in '${kind.id}'${faults.few ? didYouMean(name, visible.keys()) : ''}`,
        { parameter },
      );
    }
  };
  check(query.include ?? [], 'include');
  check(query.exclude ?? [], 'exclude');
  faults.throwIfAny();
  const fields = everyField(visible);
  if (query.include) return fields.filter(({ id }) => query.include?.includes(id));
  return query.exclude ? fields.filter(({ id }) => !query.exclude?.includes(id)) : fields;
}

/** The asked order made total with the id; without one, oldest first. */
function planOrder(query: ListQuery, kind: KindDef, visible: Visible): OrderTerm[] {
  const faults = new Faults();
  const terms = query.order.flatMap(({ path, descending }): OrderTerm[] => {
    const term = collect(faults, () => orderTerm(path, descending, kind, visible), undefined);
    // What is the same in every unit orders nothing.
    return term && term.target.field.constant === undefined ? [term] : [];
  });
  faults.throwIfAny();
  if (query.order.length === 0 && kind.key !== 'uuid') {
    const inserted = kind.fields.get('inserted_at');
    if (inserted) terms.push({ target: { field: inserted, keys: [] }, descending: false });
  }
  if (terms.some(({ target }) => target.field === kind.keyField || target.field === kind.primary)) return terms;
  return [...terms, { target: { field: kind.keyField, keys: [] }, descending: false }];
}

function orderTerm(path: string, descending: boolean, kind: KindDef, visible: Visible): OrderTerm {
  let target;
  try {
    target = resolvePath(parsePath(path), kind, visible);
  } catch (error) {
    if (error instanceof KindError) throw orderRefusal(error);
    throw error;
  }
  const { field, keys } = target;
  const sortable =
    !field.def.multiple &&
    (field.type.operators.has('lt') || ['boolean', 'unit'].includes(field.type.id) || keys.length > 0);
  if (sortable) return { target, descending };
  throw refusal(
    'query.bad_value',
    `order: '${field.id}' is ${field.def.multiple ? 'a list' : field.type.id}, which has no order`,
    { parameter: 'order' },
  );
}

function orderRefusal(error: KindError): KindError {
  const [{ code, text }] = error.messages;
  return refusal(code === 'filter.unknown_parameter' ? 'parameter.unknown' : 'query.bad_value', `order: ${text}`, {
    parameter: 'order',
  });
}

/** What a cursor holds: the order that it continues, and the values of the last unit. */
interface CursorToken {
  readonly o: string;
  readonly k: readonly (string | null)[];
}

function orderSignature(kind: KindDef, order: readonly OrderTerm[]): string {
  const terms = order.map(({ target, descending }) => [target.field.id, ...target.keys, descending]);
  return createHash('sha256')
    .update(JSON.stringify([kind.id, terms]))
    .digest('base64url')
    .slice(0, 12);
}

export function cursorOf(plan: ListPlan, keys: readonly (string | null)[]): string {
  const token: CursorToken = { o: orderSignature(plan.kind, plan.order), k: keys };
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

function planCursor(
  query: ListQuery,
  kind: KindDef,
  order: readonly OrderTerm[],
): readonly (string | null)[] | undefined {
  if (query.cursor === undefined) return undefined;
  if (query.cursor === '') return [];
  const token = readToken(query.cursor);
  if (token && token.k.length === order.length && token.o === orderSignature(kind, order)) return token.k;
  throw badCursor();
}

export function badCursor(): KindError {
  return refusal('query.bad_value', 'cursor: not one that a list of this kind in this order gave', {
    parameter: 'cursor',
  });
}

function readToken(text: string): CursorToken | undefined {
  try {
    const { o, k } = JSON.parse(Buffer.from(text, 'base64url').toString()) as Partial<CursorToken>;
    const fits = typeof o === 'string' && Array.isArray(k) && k.every((key) => key === null || typeof key === 'string');
    return fits ? { o, k } : undefined;
  } catch {
    return undefined;
  }
}
