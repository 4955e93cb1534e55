import { InexactNumber, scalarText, typeName } from '../../shared/json.js';
import { type ParameterType, type Stored, OPERATORS } from './parameter-type.js';
import { acceptInRange, numberSchema, rangeConstraints, withinRange } from './number-rules.js';

/** A double. */
export const floatType: ParameterType<'float', 'number'> = {
  id: 'float',
  label: 'Float',
  expects: 'a number',
  column: 'double precision',
  json: 'native',
  fields: ['default', 'min_value', 'max_value'],
  operators: OPERATORS.ordered,
  keyable: false,
  sortable: true,
  numeric: true,
  quoted,
  accept(given, rules, report) {
    // A double is always the nearest number, so lost digits are no fault.
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
  inQuery: 'number',
  typescript: 'number',
  schema: { type: 'number', format: 'double' },
  ruleSchema: numberSchema,
  example: (rules) => withinRange(1.5, rules),
};

/** PostgreSQL switches to an exponent at other sizes than JavaScript, and pads it to two digits. */
function quoted(value: Stored): string {
  const [digits = '', exponent = '0'] = Number(value).toExponential().split('e');
  const size = Math.abs(Number(exponent));
  if (Number(exponent) >= -4 && Number(exponent) < 15) return scalarText(value);
  return `${digits}e${exponent.startsWith('-') ? '-' : '+'}${String(size).padStart(2, '0')}`;
}
