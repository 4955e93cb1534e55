/** Checks the access of link types for many links at once, after their units were found. */
import { Injectable } from '@nestjs/common';
import { accessDenied } from '../../access/access.js';
import { hasOwnAccess, linkGrantOf } from '../../access/link-access.js';
import type { LinkTypeDef } from '../../model/model.js';
import type { KindError } from '../../shared/errors.js';
import { getOrInsert } from '../../shared/get-or-insert.js';
import type { LinkSet, OtherUnits } from '../../sql/link/link-set.sql.js';
import type { Session } from '../../catalog/session/session.js';
import { linkedKinds } from './link-set.plan.js';
import { LinkSetRepository } from './link-set.repository.js';
import type { FoundLink } from './link-set.values.js';

@Injectable()
export class LinkSetAccess {
  constructor(private readonly repository: LinkSetRepository) {}

  /** @throws KindError 401, 403 with the position of the first link that the access of its type does not allow */
  async checkCreates(
    session: Session,
    set: LinkSet,
    others: readonly OtherUnits[],
    found: readonly FoundLink[],
  ): Promise<void> {
    for (const { kind, allowed, rule } of others) {
      const links = found.filter(({ kindId }) => kindId === kind.id);
      if (!rule || links.length === 0) continue;
      const ids = links.map(({ id }) => id);
      const refused = await this.repository.refused(session, set, { kind, allowed, rule, ids });
      const first = links.find(({ id }) => refused.has(id));
      if (first) throw mayNotLink(session, first.kindId, first.index);
    }
  }

  /**
   * Checks the deletion of links, where it is not decided by what was checked of the unit of the path. @param units JSON text
   * @throws KindError 401, 403 if one of the links may not be deleted
   */
  async checkDeletes(session: Session, set: LinkSet, type: LinkTypeDef, units: string): Promise<void> {
    if (!hasOwnAccess(type, 'create') && !hasOwnAccess(type, 'delete')) return;
    const { model, caller } = session;
    const idsByKind = new Map<string, string[]>();
    for (const { kind, id } of JSON.parse(units) as { readonly kind: string; readonly id: string }[]) {
      getOrInsert(idsByKind, kind, () => []).push(id);
    }
    for (const [kindId, ids] of idsByKind) {
      const kind = model.kinds.get(kindId);
      const kinds = kind && linkedKinds(set.kind, kind, set.direction);
      const grant = kinds && linkGrantOf(type, 'delete', kinds, caller, model);
      if (!kind || !kinds || !grant) throw mayNotLink(session, kinds?.parent.id ?? kindId);
      if (!grant.allowed && !grant.rule) continue;
      const refused = await this.repository.refused(session, set, { kind, ...grant, ids });
      if (refused.size > 0) throw mayNotLink(session, kinds.parent.id);
    }
  }
}

export function mayNotLink({ caller }: Session, kindId: string, index?: number): KindError {
  const denied = accessDenied(caller, `You may not link this unit of '${kindId}'`);
  return index === undefined ? denied : denied.withMessages([{ ...denied.messages[0], index }]);
}
