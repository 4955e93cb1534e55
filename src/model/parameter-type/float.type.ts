import { InexactNumber, typeName } from '../../shared/json.js';
import { OPERATORS, type ParameterType } from './parameter-type.js';
import { acceptInRange, rangeConstraints } from './number-rules.js';

/** A double. */
export const floatType: ParameterType = {
  id: 'float',
  label: 'Float',
  wants: 'a number',
  column: 'double precision',
  json: 'native',
  fields: ['default', 'min_value', 'max_value'],
  operators: OPERATORS.ordered,
  keyable: false,
  indexable: true,
  accept(given, rules, report) {
    // The nearest one is what a double is about.
    const value = given instanceof InexactNumber ? Number(given.text) : given;
    if (typeof value !== 'number') {
      report('parameter.bad_type', `must be a number, got ${typeName(value)}`);
      return undefined;
    }
    if (!Number.isFinite(value)) {
      report('parameter.bad_value', 'must be a number that a double can hold');
      return undefined;
    }
    return acceptInRange(value, rules, report);
  },
  read(text) {
    const value = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : NaN;
    return Number.isFinite(value) ? value : undefined;
  },
  constraints: rangeConstraints,
};
