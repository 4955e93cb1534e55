import { typeName } from '../../shared/json.js';
import { type ParameterType, OPERATORS } from './parameter-type.js';

/** True or false. */
export const booleanType: ParameterType<'boolean', 'boolean'> = {
  id: 'boolean',
  label: 'Boolean',
  expects: 'true or false',
  column: 'boolean',
  json: 'native',
  fields: ['default'],
  operators: OPERATORS.equality,
  keyable: false,
  sortable: true,
  quoted: (value) => (value === true ? 't' : 'f'),
  accept(value, _rules, report) {
    if (typeof value === 'boolean') return value;
    report('parameter.bad_type', `must be true or false, got ${typeName(value)}`);
    return undefined;
  },
  read: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  inQuery: 'boolean',
  typescript: 'boolean',
  schema: { type: 'boolean' },
  example: () => true,
};
