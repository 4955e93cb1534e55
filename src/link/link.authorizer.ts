/** Checks the rights on a link before anything is read: those on the kinds of its two units, and of its type. */
import { Injectable } from '@nestjs/common';
import { authorizeKind, checkHasTable, kindDenied, suggestableLinkTypes } from '../access/access.js';
import { hasOwnAccess, linkGrantOf } from '../access/link-access.js';
import type { LinkOperation } from '../model/built-in-traits.js';
import type { LinkTypeDef } from '../model/model.js';
import { didYouMean } from '../shared/did-you-mean.js';
import type { LinkPlan } from '../sql/link/link-ends.sql.js';
import type { Opened } from '../run/command.js';
import { planLink, unknownType, type LinkPath } from './link.plan.js';
import { SystemLinks, type SystemLink } from './system-links.js';

/** A link that the caller may be allowed to write: the statement tests its units. */
export interface PlannedLink {
  readonly type: LinkTypeDef;
  readonly plan: LinkPlan;
}

@Injectable()
export class LinkAuthorizer {
  constructor(private readonly systemLinks: SystemLinks) {}

  /**
   * Plans a link between units; returns the link type of the system if the path names kinds of the model. The `access` of
   * a link type replaces the right `link` of the parent's kind; both units must be readable. Changing values is a create.
   * @throws KindError 401, 403, 404
   */
  plan(scope: Opened, path: LinkPath, operation: LinkOperation): PlannedLink | SystemLink {
    const { model, caller } = scope;
    const type = model.linkTypes.get(path.link);
    const ofModel = model.kinds.get(path.parentKind)?.builtIn === true;
    const own = !ofModel && hasOwnAccess(type, operation);
    const { kind: parent } = authorizeKind(model, path.parentKind, own ? 'read' : 'link', caller);
    const systemLink = this.systemLinks.find(path.parentKind, path.link, path.childKind);
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
    return { type, plan: planLink(scope, model, path, { type, parent, child, ...grant }) };
  }
}

export function isSystemLink(planned: PlannedLink | SystemLink): planned is SystemLink {
  return 'add' in planned;
}
