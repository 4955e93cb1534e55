/**
 * The parameter types, in the order in which lists show them. A new type is a file beside this one and an entry here;
 * other code does not distinguish types by id.
 */
import { binaryType } from './binary.type.js';
import { booleanType } from './boolean.type.js';
import { decimalType } from './decimal.type.js';
import { floatType } from './float.type.js';
import { integerType } from './integer.type.js';
import { jsonType } from './json.type.js';
import { stringType } from './string.type.js';
import { dateType, datetimeType, timeType } from './temporal.type.js';
import { textType } from './text.type.js';
import { unitType } from './unit.type.js';

export const PARAMETER_TYPE_LIST = [
  stringType,
  textType,
  integerType,
  floatType,
  decimalType,
  booleanType,
  dateType,
  timeType,
  datetimeType,
  binaryType,
  jsonType,
  unitType,
] as const;

export type ParameterTypeId = (typeof PARAMETER_TYPE_LIST)[number]['id'];
