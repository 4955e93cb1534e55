/** Plans the statement that creates or deletes a link, and judges its result. Pure. */
import { accessDenied, grantOf } from '../access/access.js';
import type { KindDef, LinkTypeDef, Model } from '../model/model.js';
import { refusal, type KindError } from '../shared/errors.js';
import { shortened } from '../shared/shortened.js';
import type { LinkPlan } from '../sql/link/link-ends.sql.js';
import type { LinkRow } from '../sql/link/link.sql.js';
import type { Caller } from '../tenancy/caller.js';
import type { Session } from '../catalog/session/session.js';
import { readableLinkFields } from '../unit/query/link-values.js';
import { requireKey, unknownUnit } from '../unit/session/unit-ids.js';

/** The ids in the path of a link. */
export interface LinkPath {
  readonly parentKind: string;
  readonly parent: string;
  readonly link: string;
  readonly childKind: string;
  readonly child: string;
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
export function planLink(
  { project, caller }: Pick<Session, 'project' | 'caller'>,
  model: Model,
  path: LinkPath,
  { type, parent, child, allowed, rule }: LinkEnds,
): LinkPlan {
  const end = (kind: KindDef, id: string): LinkPlan['parent'] => {
    const key = requireKey(kind, id);
    const grant = grantOf(kind, 'read', caller, model);
    return { kind, key, access: grant ? grant.predicate : { op: 'constant', value: false } };
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
