/**
 * The texts of conflicts (409) with stored units: ids and values that are taken, and references that prevent a
 * deletion.
 */
import type { KindDef } from '../../model/model.js';
import { refusal, type KindError, type Message } from '../../shared/errors.js';
import { knowsWholeProject, type Caller } from '../../tenancy/caller.js';

/** For a definition whose id another has. */
export function takenId({ traits }: KindDef): Message {
  return { code: traits.existsCode ?? 'unit.not_unique', text: 'There is one of that id already', parameter: 'id' };
}

/** For parameters whose values, taken together, another unit has. */
export function takenValues(ids: readonly string[]): Message {
  const [parameter = ''] = ids;
  if (ids.length > 1) return { code: 'unit.not_unique', text: `Another unit has the same values of ${ids.join(', ')}` };
  return { code: 'parameter.not_unique', text: `${parameter}: another unit has that value`, parameter };
}

/** The same for parameters that the caller may not read. */
export const TAKEN_UNREADABLE_VALUES: Message = {
  code: 'unit.not_unique',
  text: 'Another unit has the same values in parameters that are unique',
};

/** For a unique constraint that belongs to no parameter. */
export const UNKNOWN_CONFLICT: Message = {
  code: 'unit.conflict',
  text: 'The unit conflicts with one that is stored',
};

/** The number of units of a kind that refer to units by a field, and the id of one to which they do. */
export interface CountedReference {
  readonly kindId: string;
  readonly fieldId: string;
  readonly count: number;
  readonly to: string;
}

/** References prevent a deletion. Only administrators see how many, of which kinds. */
export function referenced(by: readonly CountedReference[], caller: Caller): KindError {
  const counts = by.map(({ kindId, fieldId, count }) => `${count} of '${kindId}' by '${fieldId}'`).join(', ');
  return refusal('unit.referenced', `Units refer to this one${knowsWholeProject(caller) ? `: ${counts}` : ''}`);
}

/** A unit kept its reference to the deleted unit, although the deletion sets it to null, because a hook set it again. */
export function referenceKept({ id }: KindDef, caller: Caller): KindError {
  const ofKind = knowsWholeProject(caller) ? ` of '${id}'` : '';
  return refusal('unit.referenced', `A unit${ofKind} keeps its reference to this one`);
}

/** PostgreSQL refused a deletion, and does not say how many units refer to the unit. */
export function referencedByOthers(): KindError {
  return refusal('unit.referenced', 'Other units refer to this one');
}
