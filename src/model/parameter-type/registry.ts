/** The twelve parameter types, in the order in which they are listed. */
import type { ParameterTypeId } from './parameter-def.js';
import { binaryType } from './binary.type.js';
import { booleanType } from './boolean.type.js';
import { decimalType } from './decimal.type.js';
import { floatType } from './float.type.js';
import { integerType } from './integer.type.js';
import { jsonType } from './json.type.js';
import type { ParameterType } from './parameter-type.js';
import { stringType } from './string.type.js';
import { dateType, datetimeType, timeType } from './temporal.type.js';
import { textType } from './text.type.js';
import { unitType } from './unit.type.js';

export const PARAMETER_TYPES: ReadonlyMap<ParameterTypeId, ParameterType> = new Map<ParameterTypeId, ParameterType>([
  ['string', stringType],
  ['text', textType],
  ['integer', integerType],
  ['float', floatType],
  ['decimal', decimalType],
  ['boolean', booleanType],
  ['date', dateType],
  ['time', timeType],
  ['datetime', datetimeType],
  ['binary', binaryType],
  ['json', jsonType],
  ['unit', unitType],
]);

export function isParameterTypeId(id: string): id is ParameterTypeId {
  return PARAMETER_TYPES.has(id as ParameterTypeId);
}

export function parameterType(id: ParameterTypeId): ParameterType {
  const type = PARAMETER_TYPES.get(id);
  if (!type) throw new Error(`no parameter type ${id}`);
  return type;
}
