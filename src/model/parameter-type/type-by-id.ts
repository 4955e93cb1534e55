/** Finds parameter types by their ids. */
import type { ParameterType } from './parameter-type.js';
import { PARAMETER_TYPE_LIST, type ParameterTypeId } from './parameter-types.js';

export const PARAMETER_TYPES: ReadonlyMap<ParameterTypeId, ParameterType> = new Map(
  PARAMETER_TYPE_LIST.map((type): [ParameterTypeId, ParameterType] => [type.id, type]),
);

export function isParameterTypeId(id: string): id is ParameterTypeId {
  return PARAMETER_TYPES.has(id as ParameterTypeId);
}

export function parameterType(id: ParameterTypeId): ParameterType {
  const type = PARAMETER_TYPES.get(id);
  if (!type) throw new Error(`no parameter type ${id}`);
  return type;
}
