/** What a caller may do with the units of each kind, and with links, as it is told itself: without rules, and without what others may. Pure. */
import { isLinkable, type KindDef, type LinkTypeDef, type Model } from '../model/model.js';
import { LINK_OPERATIONS, type LinkOperation, type Operation } from '../model/built-in-traits.js';
import type { WorkInPieces } from '../shared/work-in-pieces.js';
import { isAdministrator, type Caller } from '../tenancy/caller.js';
import { accessSettingOf, grantOf, isAllowedForSomeUnit, suggestableLinkTypes } from './access.js';
import { isAlwaysFalse } from '../model/predicate/predicate.js';
import { hasOwnAccess, linkSettingOf } from './link-access.js';
import { passesLevel } from './level.js';
import { describedFields, writableFields } from './masks.js';

/** None; some, by a rule; or all that the caller may read. */
export const RIGHTS = ['none', 'some', 'all'] as const;
export type Right = (typeof RIGHTS)[number];

/** Functions have a list of their own, and nobody signs up with a token. */
export const TOLD_OPERATIONS = [
  'read',
  'create',
  'update',
  'delete',
  'link',
  'history',
] as const satisfies readonly Operation[];
type ToldOperation = (typeof TOLD_OPERATIONS)[number];

type SourceOperation = 'list' | 'create' | 'update' | 'delete';

/** The operation of a remote source that each takes; links and histories are stored here. */
const SOURCE_OPERATION: Readonly<Record<ToldOperation, SourceOperation | undefined>> = {
  read: 'list',
  create: 'create',
  update: 'update',
  delete: 'delete',
  link: undefined,
  history: undefined,
};

export interface KindRights extends Readonly<Record<ToldOperation, Right>> {
  readonly id: string;
  /** The fields of its struct that the caller may not set. */
  readonly read_only: readonly string[];
}

/** Null where the right `link` of the parent's kind decides. */
interface LinkTypeRights extends Readonly<Record<LinkOperation, Right | null>> {
  readonly id: string;
}

export interface OwnRights {
  /** Those with which the caller may do something. */
  readonly kinds: readonly KindRights[];
  /** Those with access of their own; none if the caller may not read all link types. */
  readonly link_types: readonly LinkTypeRights[];
}

/**
 * In pieces, because the rules of all kinds may have to be compiled for the caller.
 * @param lacks whether the source of a remote kind does not support an operation
 */
export function* ownRights(
  model: Model,
  caller: Caller,
  lacks: (kind: KindDef, operation: SourceOperation) => boolean,
): WorkInPieces<OwnRights> {
  const rightOf = (kind: KindDef, operation: ToldOperation): Right => {
    if (operation === 'history' && kind.changes !== 'history') return 'none';
    const ofSource = SOURCE_OPERATION[operation];
    // Built-in kinds have links of the system: of kinds to their parameters, and of groups to their kinds.
    const isMissing = ofSource ? lacks(kind, ofSource) : operation !== 'history' && !isLinkable(kind) && !kind.builtIn;
    return isMissing ? 'none' : rightTo(operation, kind, caller, model);
  };
  const kinds: KindRights[] = [];
  for (const kind of model.kinds.values()) {
    if (!kind.active) continue;
    const rights: [ToldOperation, Right][] = [];
    for (const operation of TOLD_OPERATIONS) {
      rights.push([operation, rightOf(kind, operation)]);
      yield;
    }
    if (rights.every(([, right]) => right === 'none')) continue;
    const named = Object.fromEntries(rights) as Record<ToldOperation, Right>;
    kinds.push({ id: kind.id, ...named, read_only: readOnlyFields(kind, caller, model) });
    yield;
  }
  const readable = new Set(suggestableLinkTypes(model, caller));
  const types = [...model.linkTypes.values()].filter(
    (type) => readable.has(type.id) && LINK_OPERATIONS.some((operation) => hasOwnAccess(type, operation)),
  );
  return { kinds, link_types: types.map((type) => linkTypeRights(type, caller)) };
}

function rightTo(operation: Operation, kind: KindDef, caller: Caller, model: Model): Right {
  if (!isAllowedForSomeUnit(kind, operation, caller, model)) return 'none';
  if (isAlwaysFalse(grantOf(kind, operation, caller, model)?.predicate)) return 'none';
  if (isAdministrator(caller)) return 'all';
  const setting = accessSettingOf(kind, operation, model);
  return 'rules' in setting || setting.level === 'self' ? 'some' : 'all';
}

function readOnlyFields(kind: KindDef, caller: Caller, model: Model): string[] {
  const written = writableFields(kind, caller, model);
  return [...describedFields(kind, caller, model).values()]
    .filter(({ id, system }) => !system && !written.has(id))
    .map(({ id }) => id);
}

/** Whether a rule holds depends on both units of a link. */
function linkTypeRights(type: LinkTypeDef, caller: Caller): LinkTypeRights {
  const rightOf = (operation: LinkOperation): Right | null => {
    const setting = linkSettingOf(type, operation);
    if (setting === undefined) return null;
    if (typeof setting === 'string') return passesLevel(setting, caller) ? 'all' : 'none';
    return isAdministrator(caller) ? 'all' : 'some';
  };
  return { id: type.id, create: rightOf('create'), delete: rightOf('delete') };
}
