/** The fields of the console by their types. A new one is a file beside this one and an entry here. */
import type { FieldType } from '../api/types.js';
import { binaryField } from './binary.field.js';
import { booleanField } from './boolean.field.js';
import type { ConsoleField } from './console-field.js';
import { dateField } from './date.field.js';
import { datetimeField } from './datetime.field.js';
import { decimalField } from './decimal.field.js';
import { floatField } from './float.field.js';
import { integerField } from './integer.field.js';
import { jsonField } from './json.field.js';
import { stringField } from './string.field.js';
import { textField } from './text.field.js';
import { timeField } from './time.field.js';
import { unitField } from './unit.field.js';

const FIELDS: Readonly<Record<FieldType, ConsoleField>> = {
  string: stringField,
  text: textField,
  integer: integerField,
  float: floatField,
  decimal: decimalField,
  boolean: booleanField,
  date: dateField,
  time: timeField,
  datetime: datetimeField,
  binary: binaryField,
  json: jsonField,
  unit: unitField,
};
const BY_TYPE: ReadonlyMap<string, ConsoleField> = new Map(Object.entries(FIELDS));

/** Also of a type that is newer than the console, which is called as the service calls it. */
export function fieldOfType(type: string): ConsoleField {
  return BY_TYPE.get(type) ?? { label: type, help: '', width: 180 };
}
