/** Checks the rights on a link before anything is read, plans its statement, and judges the result. */
import { authorizeKind, checkHasTable, kindDenied, suggestableLinkTypes } from '../access/access.js';
import { accessDenied } from '../access/level.js';
import { hasOwnAccess, linkGrantOf } from '../access/link-access.js';
import { linkRecordingOf } from '../catalog/session/recording.js';
import type { LinkOperation } from '../model/built-in-traits.js';
import type { KindDef, LinkTypeDef } from '../model/model.js';
import type { Opened } from '../run/command.js';
import { didYouMean, shortened } from '../shared/texts.js';
import { type KindError, refusal } from '../shared/errors.js';
import type { LinkPlan } from '../sql/link/link-ends.sql.js';
import type { LinkRow } from '../sql/link/link.sql.js';
import type { Direction } from '../sql/link/traversal-plan.js';
import type { Caller } from '../tenancy/caller.js';
import { notLinked, readableLinkFields } from '../unit/query/reachable-kinds.js';
import { requireKey, unknownUnit } from '../unit/store/unit-ids.js';
import type { SystemLink, SystemLinks } from './system-links.js';
import { readableUnits } from '../unit/table/rights.js';

/** The ids in the path of a link. */
export interface LinkPath {
  readonly parentKind: string;
  readonly parent: string;
  readonly link: string;
  readonly childKind: string;
  readonly child: string;
}

/** A link that the caller may be allowed to write: the statement tests its units. */
export interface PlannedLink {
  readonly path: LinkPath;
  readonly type: LinkTypeDef;
  readonly plan: LinkPlan;
}

export function isSystemLink(planned: PlannedLink | SystemLink): planned is SystemLink {
  return 'add' in planned;
}

/**
 * Plans a link between units; returns the link type of the system if the path names kinds of the model. The `access` of
 * a link type replaces the right `link` of the parent's kind; both units must be readable. Changing values is a create.
 * @throws KindError 401, 403, 404
 */
export function authorizeLink(
  scope: Opened,
  path: LinkPath,
  operation: LinkOperation,
  systemLinks: SystemLinks,
): PlannedLink | SystemLink {
  const { model, caller } = scope;
  const type = model.linkTypes.get(path.link);
  const ofModel = model.kinds.get(path.parentKind)?.builtIn === true;
  const own = !ofModel && hasOwnAccess(type, operation);
  const { kind: parent } = authorizeKind(model, path.parentKind, own ? 'read' : 'link', caller);
  const systemLink = systemLinks.find(path.parentKind, path.link, path.childKind);
  if (systemLink) {
    authorizeKind(model, path.childKind, 'read', caller);
    return systemLink;
  }
  if (parent.builtIn) throw unknownType(path);
  const { kind: child } = authorizeKind(model, path.childKind, 'read', caller);
  if (child.builtIn) throw unknownType(path);
  if (!type) throw unknownType(path, didYouMean(path.link, suggestableLinkTypes(model, caller)));
  const grant = linkGrantOf(type, operation, { parent, child }, caller, model);
  if (!grant) throw kindDenied(model, parent, parent.id, 'link', caller);
  checkHasTable(parent);
  checkHasTable(child);
  return { type, path, plan: planLink(scope, path, { type, parent, child, ...grant }) };
}

interface LinkEnds {
  readonly type: LinkTypeDef;
  readonly parent: KindDef;
  readonly child: KindDef;
  /** The parents that the caller may link. */
  readonly allowed: LinkPlan['allowed'];
  /** The links that the access of their type allows. */
  readonly rule: LinkPlan['rule'];
}

/** @throws KindError 404 for an id that no unit can have */
function planLink(opened: Opened, path: LinkPath, { type, parent, child, allowed, rule }: LinkEnds): LinkPlan {
  const { project, caller, model } = opened;
  const end = (kind: KindDef, id: string): LinkPlan['parent'] => {
    return { kind, key: requireKey(kind, id), access: readableUnits(opened, kind) };
  };
  return {
    schema: project.schema,
    version: model.version,
    linkId: type.id,
    shown: type.parameters.length === 0 ? [] : readableLinkFields(type, caller, model),
    parent: end(parent, path.parent),
    child: end(child, path.child),
    allowed,
    rule,
    recording: linkRecordingOf(opened, parent),
  };
}

/** @throws KindError 404 for a unit that the caller may not read, 401 or 403 for units that the caller may not link */
export function checkLinkedUnits(row: LinkRow, { parent, child }: LinkPlan, path: LinkPath, caller: Caller): void {
  if (!row.parent) throw unknownUnit(parent.kind, path.parent);
  if (row.allowed === false) throw accessDenied(caller, `You may not link this unit of '${parent.kind.id}'`);
  if (!row.child) throw unknownUnit(child.kind, path.child);
}

export function unknownType({ parentKind, link, childKind }: LinkPath, hint = ''): KindError {
  const between = `from '${parentKind}' to '${shortened(childKind)}'`;
  return refusal('link.unknown', `No link type '${shortened(link)}' ${between}${hint}`);
}

const DIRECTIONS: readonly Direction[] = ['parent', 'child'];

/** @throws KindError 404 for kinds of the model and unknown directions */
export function parseDirection(kind: KindDef, direction: string): Direction {
  const found = DIRECTIONS.find((each) => each === direction);
  if (!found) {
    throw refusal('link.unknown', `No direction '${shortened(direction)}'${didYouMean(direction, DIRECTIONS)}`);
  }
  if (kind.builtIn) throw notLinked(kind);
  return found;
}
