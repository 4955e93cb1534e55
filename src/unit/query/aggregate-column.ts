/** The columns of an aggregation: which values a function takes, and of which type its result is. Pure. */
import type { AggregateFunction, AggregateTerm, GroupTerm } from '../../filter/aggregate.ast.js';
import { builtInField, typeInWords } from '../../model/field.js';
import type { Field } from '../../model/model.js';
import { numberField, numberTypeOf, type NumberType } from '../../model/predicate/expression.js';
import { isOfHidden, type Target } from '../../model/predicate/predicate.js';
import { refusal } from '../../shared/errors.js';
import type {
  AggregateColumn,
  ComputedColumn,
  GroupColumn,
  InputType,
  Transform,
  ValueColumn,
} from '../../sql/aggregate/aggregate-plan.js';

interface ColumnContext {
  readonly name: string;
  /** The values of units, one target per kind that has the parameter. */
  readonly targets: readonly Target[];
  readonly timezone: string;
  /** The position in the answer. */
  readonly at: number;
}

/** @throws KindError 400 if the function does not take values of this type, or the types of the kinds differ */
export function columnOf(term: GroupTerm | AggregateTerm, context: ColumnContext): AggregateColumn {
  return isSelect(term) ? selectColumn(term, context) : groupColumn(term, context);
}

/** @param hidden whether a column of which it is computed is hidden */
export function computedColumn(
  target: Target,
  { name, at }: Pick<ColumnContext, 'name' | 'at'>,
  hidden: boolean,
): ComputedColumn {
  const field = answered(target.field, name, at);
  return { role: 'computed', name, hidden, field, input: NO_VALUE, target };
}

/** A count of units. */
export function countColumn(name: string, at: number): ValueColumn {
  const field = resultField('integer', name, at);
  return { role: 'value', function: 'count', filtered: false, name, hidden: false, field, input: NO_VALUE };
}

const NO_VALUE: InputType = { type: undefined, array: false };

function isSelect(term: GroupTerm | AggregateTerm): term is AggregateTerm {
  return 'filter' in term;
}

function groupColumn(term: GroupTerm, { name, targets, timezone, at }: ColumnContext): GroupColumn {
  const value = valueOf(targets, term, 'text');
  const base = { role: 'group', name, hidden: targets.some(isOfHidden), input: value.input } as const;
  switch (term.function) {
    case undefined:
      return { ...base, transform: undefined, field: answered(value.field, name, at) };
    case 'each': {
      if (!value.input.array) throw unfit(term, value.field, 'a list of values');
      const field = answered(value.field, name, at);
      return { ...base, transform: { type: 'each' }, field: { ...field, def: { ...field.def, multiple: false } } };
    }
    case 'lower':
      if (value.input.type !== 'text' || value.input.array || !value.field.type.operators.has('icontains'))
        throw unfit(term, value.field, 'a text');
      return { ...base, transform: { type: 'lower' }, field: answered(value.field, name, at) };
    case 'bucket':
      return { ...base, transform: { type: 'bucket', size: term.size }, field: bucketField(term, value, name, at) };
    default: {
      const types = term.function === 'hour' ? ['timestamptz'] : ['date', 'timestamptz'];
      if (!types.includes(value.input.type ?? '') || value.input.array)
        throw unfit(term, value.field, term.function === 'hour' ? 'a datetime' : 'a date or datetime');
      const transform: Transform = { type: 'period', period: term.function, timezone };
      return { ...base, transform, field: answered(value.field, name, at) };
    }
  }
}

function bucketField(term: GroupTerm & { function: 'bucket' }, value: UnitValue, name: string, at: number): Field {
  switch (numberOf(term, value)) {
    case 'integer':
      return term.size.includes('.') ? resultField('decimal', name, at) : wholeNumber(name, at);
    case 'decimal':
      return resultField('decimal', name, at);
    case 'float':
      return resultField('float', name, at);
  }
}

function selectColumn(term: AggregateTerm, { name, targets, at }: ColumnContext): ValueColumn {
  const filtered = term.filter !== undefined;
  if (!term.path) return { ...countColumn(name, at), filtered };
  const whole = term.function === 'first' || term.function === 'last';
  const value = valueOf(targets, term, whole ? 'json' : 'text');
  const hidden = targets.some(isOfHidden);
  const base = { role: 'value', function: term.function, filtered, name, hidden, input: value.input } as const;
  return { ...base, field: resultOf(term, value, name, at) };
}

function resultOf(term: AggregateTerm, value: UnitValue, name: string, at: number): Field {
  switch (term.function) {
    case 'count':
    case 'count_distinct':
      return resultField('integer', name, at);
    case 'sum':
    case 'avg': {
      const number = numberOf(term, value);
      if (number === 'float') return resultField('float', name, at);
      return number === 'integer' && term.function === 'sum' ? wholeNumber(name, at) : resultField('decimal', name, at);
    }
    case 'min':
    case 'max':
      if (value.input.array || !value.field.type.sortable) throw unfit(term, value.field, 'a value that has an order');
      return answered(value.field, name, at);
    case 'first':
    case 'last':
      return answered(value.field, name, at);
  }
}

/** The values that units have for a term. */
interface UnitValue {
  readonly field: Field;
  readonly input: InputType;
}

/** @param keys the type of a value at keys in a JSON field */
function valueOf(targets: readonly Target[], term: GroupTerm | AggregateTerm, keys: 'text' | 'json'): UnitValue {
  const values = targets.map((target) => unitValue(target, keys));
  // Without any kind there are no values either.
  const [first = unitValue({ field: builtInField({ id: '', type: 'text' }), keys: [] }, keys), ...others] = values;
  const same = others.every(({ input }) => input.type === first.input.type && input.array === first.input.array);
  // What is computed of whole numbers in one kind may be computed of decimals in another one.
  if (same) return values.find(({ field }) => field.json !== 'safe_integer') ?? first;
  throw refusal('query.bad_value', `'${first.field.id}' is of different types in these kinds, at character ${term.at}`);
}

function unitValue({ field, keys }: Target, type: 'text' | 'json'): UnitValue {
  if (keys.length > 0) return unitValue({ field: builtInField({ id: keys.join('.'), type }), keys: [] }, type);
  return { field, input: { type: field.columnType, array: field.def.multiple } };
}

function numberOf(term: GroupTerm | AggregateTerm, { field }: UnitValue): NumberType {
  const number = numberTypeOf({ field, keys: [] });
  if (number) return number;
  throw unfit(term, field, 'a number');
}

function unfit(term: GroupTerm | AggregateTerm, field: Field, wants: string) {
  const called: AggregateFunction | GroupTerm['function'] = term.function;
  return refusal(
    'query.bad_value',
    `${called ?? ''} wants ${wants}, and '${field.id}' is ${typeInWords(field)}, at character ${term.at}`,
  );
}

/** A field of the answer with the values of units. */
function answered(field: Field, name: string, at: number): Field {
  const { def, type, columnType, json, reference, describedAs } = field;
  return {
    ...{
      id: name,
      def: { ...def, id: name, nullable: true },
      type,
      column: columnName(at),
      columnType,
      json,
      system: false,
    },
    ...(reference && { reference }),
    ...(describedAs !== undefined && { describedAs }),
  };
}

function resultField(type: 'integer' | 'decimal' | 'float', name: string, at: number): Field {
  return builtInField({ id: name, type }, { column: columnName(at) });
}

/** A sum of integers: a number, or a string where a JSON parser would lose digits. */
function wholeNumber(name: string, at: number): Field {
  return { ...numberField(name, 'integer'), column: columnName(at) };
}

/** The column of the grouped rows. */
function columnName(at: number): string {
  return `c${at}`;
}
