import { InexactNumber, typeName } from '../../shared/json.js';
import { type ParameterType, OPERATORS } from './parameter-type.js';
import { acceptInRange, numberSchema, rangeConstraints, withinRange } from './number-rules.js';

/** A whole number that every JSON parser keeps exactly: within ±(2^53−1). */
export const integerType: ParameterType<'integer', 'number'> = {
  id: 'integer',
  label: 'Integer',
  expects: 'a whole number within ±9007199254740991',
  column: 'bigint',
  json: 'native',
  fields: ['default', 'min_value', 'max_value', 'values', 'sequence'],
  operators: OPERATORS.ordered,
  keyable: true,
  sortable: true,
  numeric: true,
  accept(value, rules, report) {
    if (value instanceof InexactNumber) {
      report('parameter.bad_value', `must be ${integerType.expects}, got ${value.text.slice(0, 40)}`);
      return undefined;
    }
    if (typeof value !== 'number') {
      report('parameter.bad_type', `must be a whole number, got ${typeName(value)}`);
      return undefined;
    }
    if (!Number.isSafeInteger(value)) {
      report('parameter.bad_value', `must be ${integerType.expects}, got ${value}`);
      return undefined;
    }
    return acceptInRange(value, rules, report);
  },
  read(text) {
    const value = /^-?\d{1,16}$/.test(text) ? Number(text) : NaN;
    return Number.isSafeInteger(value) ? value : undefined;
  },
  constraints: rangeConstraints,
  inQuery: 'number',
  typescript: 'number',
  schema: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
  ruleSchema: numberSchema,
  example: (rules) => withinRange(1, rules),
};
