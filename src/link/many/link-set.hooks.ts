/** Runs the hooks of links that a request for many creates and deletes. */
import { Injectable } from '@nestjs/common';
import { PatternChecks } from '../../model/check/pattern-checks.js';
import type { KindDef, LinkTypeDef } from '../../model/model.js';
import type { Faults } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { refusal } from '../../shared/errors.js';
import type { LinkSet, UnitList } from '../../sql/link/link-set.sql.js';
import type { LinkKey } from '../../sql/link/stored-links.sql.js';
import type { HookedLink } from '../../unit/draft/behavior.js';
import type { DefaultBytes } from '../../unit/draft/default-bytes.js';
import { withPosition } from '../../unit/draft/refusal-position.js';
import { LinkHooks, newLinkOf } from '../../unit/table/links/link-hooks.js';
import type { Session } from '../../catalog/session/session.js';
import type { FoundLink } from '../link-values.js';

@Injectable()
export class LinkSetHooks {
  constructor(private readonly hooks: LinkHooks) {}

  /** Whether hooks run for links from units of one of these kinds. */
  mayRun(parents: readonly KindDef[], replace: boolean, session: Session): boolean {
    return parents.some(
      (kind) => this.hooks.runFor(kind, 'create', session) || (replace && this.hooks.runFor(kind, 'delete', session)),
    );
  }

  /** Returns the links with the values that hooks have given to new ones. Adds faults of these. */
  async beforeCreates(
    session: Session,
    set: LinkSet,
    { values: kind }: LinkTypeDef,
    found: readonly FoundLink[],
    { faults, defaults }: { readonly faults: Faults; readonly defaults: DefaultBytes },
  ): Promise<readonly FoundLink[]> {
    const links: FoundLink[] = [];
    for (const each of found) {
      const parent = each.linked ? undefined : this.#hookedParent(session, set, each);
      if (!parent) {
        links.push(each);
        continue;
      }
      faults.throwIfAny();
      const { index } = each;
      this.hooks.ready(parent, session);
      const write = { kind, session, faults, patterns: new PatternChecks(), defaults, index };
      const link = newLinkOf(linkKey(set, each));
      const draft = await withPosition({ index }, () => this.hooks.beforeLink(parent, link, each.draft, write));
      links.push({ ...each, draft });
    }
    return links;
  }

  async afterCreates(session: Session, set: LinkSet, found: readonly FoundLink[]): Promise<void> {
    const keys = found.filter(({ linked }) => !linked).map((each) => linkKey(set, each));
    await this.hooks.afterLinks(session, keys);
  }

  /** Returns the deleted links that have hooks, for `afterDeletes`. @throws KindError 409 if there are too many */
  async beforeDeletes(session: Session, set: LinkSet, units: UnitList): Promise<readonly HookedLink[]> {
    const listed = JSON.parse(units) as { readonly kind: string; readonly id: string }[];
    const keys = listed.map(({ kind, id }) => linkKey(set, { kindId: kind, id }));
    const hooked = keys.filter(({ parent_kind }) => {
      const parent = session.model.kinds.get(parent_kind);
      return parent !== undefined && this.hooks.runFor(parent, 'delete', session);
    });
    if (hooked.length > LIMITS.hookedLinks) {
      const most = LIMITS.hookedLinks.toLocaleString('en');
      const text = `replace: more than ${most} links with hooks would be deleted`;
      throw refusal('link.too_many', text, { parameter: 'replace' });
    }
    return hooked.length === 0 ? [] : this.hooks.beforeUnlinks(session, hooked);
  }

  afterDeletes(session: Session, links: readonly HookedLink[]): Promise<void> {
    return this.hooks.afterUnlinks(session, links);
  }

  #hookedParent(session: Session, set: LinkSet, { kindId }: FoundLink): KindDef | undefined {
    const parent = set.direction === 'child' ? set.kind : session.model.kinds.get(kindId);
    return parent && this.hooks.runFor(parent, 'create', session) ? parent : undefined;
  }
}

function linkKey({ direction, kind, id, linkId }: LinkSet, other: Pick<FoundLink, 'kindId' | 'id'>): LinkKey {
  return direction === 'child'
    ? { parent_kind: kind.id, parent_id: id, child_kind: other.kindId, child_id: other.id, link_id: linkId }
    : { parent_kind: other.kindId, parent_id: other.id, child_kind: kind.id, child_id: id, link_id: linkId };
}
