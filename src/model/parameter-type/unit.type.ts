import { textFault, typeName } from '../../shared/json.js';
import { isUuid } from '../../shared/identifiers.js';
import { type ParameterType, OPERATORS } from './parameter-type.js';

/**
 * A reference: the id of a unit of `reference_kind`, with a foreign key. The type of its column, and of values in
 * filters, is that of the referenced kind's key (`Field.reference`).
 */
export const unitType: ParameterType<'unit', 'string'> = {
  id: 'unit',
  label: 'Unit',
  expects: 'the id of a unit',
  column: 'text',
  json: 'text',
  fields: ['default', 'reference_kind', 'on_delete', 'accept', 'max_bytes', 'owned'],
  operators: OPERATORS.equality,
  keyable: false,
  makes: 'caller',
  sortable: true,
  accept(value, _rules, report) {
    if (typeof value !== 'string') {
      report(
        'parameter.bad_type',
        `must be the id of a unit (a string) or an object to create one of, got ${typeName(value)}`,
      );
      return undefined;
    }
    const fault = textFault(value);
    if (!fault) return value;
    report('parameter.bad_value', fault);
    return undefined;
  },
  read: (text) => text,
  check(def, report) {
    if (def.runTime) report('only_run_time', 'a reference must be stored');
    if (def.multiple) report('multiple', 'a unit parameter refers to one unit; use links for many');
    if (def.onDelete === 'set_null' && !def.nullable) report('on_delete', 'set_null needs nullable: true');
  },
  typescript: 'string',
  schema: { type: 'string' },
};

/** The generated id of a unit. Parameters cannot have this type: it is that of the field `id`. */
export const uuidType: ParameterType<'uuid', 'string'> = {
  ...unitType,
  id: 'uuid',
  label: 'Id',
  expects: 'a UUID',
  column: 'uuid',
  fields: [],
  operators: OPERATORS.ordered,
  read: (text) => (isUuid(text) ? text.toLowerCase() : undefined),
  anyCase: true,
  idFormat: 'uuid',
  /** Where an id is needed: it is that of no unit. */
  example: () => '00000000-0000-4000-8000-000000000000',
};
