/** Plans orders: resolves what units are ordered by. Pure. */
import type { Path } from '../../filter/filter.ast.js';
import type { ListQuery } from '../../filter/queries.js';
import type { OrderBy } from '../../filter/order.js';
import type { QueryName } from '../../http/route/query-names.js';
import { typeInWords } from '../../model/field.js';
import type { Field, KindDef } from '../../model/model.js';
import type { Names } from '../../model/predicate/path.js';
import type { Target } from '../../model/predicate/predicate.js';
import { resolveOperand, resolvePlace, resolveResemblance } from '../../model/predicate/resolve-filter.js';
import { type ErrorCode, Faults, KindError, refusal } from '../../shared/errors.js';
import { orderedField, type OrderedValue, type OrderTerm } from '../../sql/list/order.sql.js';
import { collectFaults } from '../../shared/collect-faults.js';

/** The order of the query, followed by the id, so that it is total; without one, oldest first. */
export function planOrder(query: Pick<ListQuery, 'order'>, names: Names): OrderTerm[] {
  const { kind } = names;
  const faults = new Faults();
  const terms = query.order.flatMap((by): OrderTerm[] => {
    const term = collectFaults(faults, () => orderTerm(by, names), undefined);
    const target = term && orderedField(term);
    // A constant field has no effect on the order.
    return term && (!target || target.through || target.field.constant === undefined) ? [term] : [];
  });
  faults.throwIfAny();
  if (query.order.length === 0 && kind.key !== 'uuid') {
    const inserted = kind.fields.get('inserted_at');
    if (inserted) terms.push(ascendingBy(inserted));
  }
  const key = terms.findIndex((term) => isByKey(term, kind));
  // Terms after the key have no effect.
  return key < 0 ? [...terms, ascendingBy(kind.keyField)] : terms.slice(0, key + 1);
}

function ascendingBy(field: Field): OrderTerm {
  return { value: { type: 'field', target: { field, keys: [] } }, descending: false };
}

function isByKey(term: OrderTerm, kind: KindDef): boolean {
  const target = orderedField(term);
  return target !== undefined && !target.through && (target.field === kind.keyField || target.field === kind.primary);
}

export function orderTerm({ value, ...direction }: OrderBy, names: Names): OrderTerm {
  if (value.type === 'distance') {
    const place = named('order', () => resolvePlace(value, 'distance', (path) => resolveOperand(path, names)));
    return { value: { type: 'distance', ...place }, ...direction };
  }
  if (value.type === 'similarity') {
    const texts = named('order', () => resolveResemblance(value, 'similarity', names));
    return { value: { type: 'similarity', ...texts }, ...direction };
  }
  if (value.type === 'rank') {
    if (names.search) return { value: { type: 'rank', search: names.search }, ...direction };
    throw refusal('query.bad_value', 'order: rank() needs a search', { parameter: 'order' });
  }
  const target = targetOf(() => value.path, names, 'order');
  if (value.type === 'by_value') return { value: positionOf(target), ...direction };
  const { field, keys } = target;
  const sortable = !field.def.multiple && (field.type.sortable || keys.length > 0);
  if (sortable) return { value: { type: 'field', target }, ...direction };
  throw refusal('query.bad_value', `order: '${field.id}' is ${typeInWords(field)}, which has no order`, {
    parameter: 'order',
  });
}

function positionOf(target: Target): OrderedValue {
  const { def, id } = target.field;
  if (def.values && !def.multiple) return { type: 'by_value', target, values: def.values };
  const text = `order: by_value() is of a single value with 'values', which '${id}' is not`;
  throw refusal('query.bad_value', text, { parameter: 'order' });
}

/** Resolves a path in a query parameter. @throws KindError whose messages name the query parameter */
export function targetOf(path: () => Path, names: Names, parameter: QueryName): Target {
  return named(parameter, () => resolveOperand(path(), names));
}

/** The codes of faults of a path in other parameters than filters. */
const KNOWN_CODES: ReadonlyMap<ErrorCode, ErrorCode> = new Map([
  ['filter.unknown_parameter', 'parameter.unknown'],
  ['filter.no_trigrams', 'filter.no_trigrams'],
]);

/** Adds the query parameter to the message of a refusal. */
function named<T>(parameter: QueryName, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof KindError)) throw error;
    const [{ code, text: message, parameter: path }] = error.messages;
    if (error.status !== 400 && path === undefined) throw error;
    const known = KNOWN_CODES.get(code) ?? 'query.bad_value';
    throw refusal(error.status === 400 ? known : code, `${parameter}: ${message}`, { parameter });
  }
}
