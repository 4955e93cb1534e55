/**
 * Checks whether all definitions of a project were read. Some are missing while its schema is restored from a dump,
 * table by table. The version does not show this, because it is restored before the definitions.
 */
import type { WorkInPieces } from '../../shared/work-in-pieces.js';
import { BUILT_IN_GROUPS, BUILT_IN_KINDS, BUILT_IN_LINK_TYPES } from './built-in.js';
import type { Model } from '../model.js';

/** Whether the built-in kinds, groups and link types exist that every project has. */
export function hasBuiltIn({ kinds, groups, linkTypes }: Model): boolean {
  return (
    BUILT_IN_KINDS.every(({ id }) => kinds.has(id)) &&
    BUILT_IN_GROUPS.every(({ id }) => groups.has(id)) &&
    BUILT_IN_LINK_TYPES.every(({ id }) => linkTypes.has(id))
  );
}

/** Whether all parameters that kinds and link types name, and all kinds that groups name, exist. */
export function* isWhole({ kinds, parameters, groups, linkTypes }: Model): WorkInPieces<boolean> {
  for (const kind of kinds.values()) {
    if (!kind.builtIn && !kind.parameters.every((id) => parameters.has(id))) return false;
    yield;
  }
  for (const type of linkTypes.values()) {
    if (!type.parameters.every((id) => parameters.has(id))) return false;
    yield;
  }
  for (const group of groups.values()) {
    if (!group.kinds.every((id) => kinds.has(id))) return false;
    yield;
  }
  return true;
}
