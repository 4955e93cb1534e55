/** Explains who may link a unit as the parent, where the access of the link type decides. */
import { Injectable } from '@nestjs/common';
import { authorizeKind, grantOf } from '../../access/access.js';
import { explainLink, linkChecks, type LinkExplanation } from '../../access/explain/explain-links.js';
import { isLinkable, type KindDef } from '../../model/model.js';
import { refusal } from '../../shared/errors.js';
import type { Caller } from '../../tenancy/caller.js';
import type { Session } from '../../catalog/session/session.js';
import { requireKey, unknownUnit } from '../store/unit-ids.js';
import { evaluateLink } from '../table/unit.repository.js';
import { UnitStores } from '../unit-stores.js';

/** The child of the links to explain. */
export interface NamedChild {
  readonly kind: KindDef;
  readonly id: string;
}

interface Parent extends NamedChild {
  /** Whether the member can read it. */
  readonly isReadable: boolean;
}

/** The explanations of the operations, by link type. */
type Explained = Readonly<Record<string, Readonly<Record<string, LinkExplanation>>>>;

@Injectable()
export class LinkExplanations {
  constructor(private readonly stores: UnitStores) {}

  /** @throws KindError 401, 403, 404 if there is no such unit, or it cannot be linked with the parent */
  async child(
    session: Session,
    parent: KindDef,
    { kindId, id }: { readonly kindId: string; readonly id: string },
  ): Promise<NamedChild> {
    const { kind } = authorizeKind(session.model, kindId, 'read', session.caller);
    const unlinked = [parent, kind].find((each) => !isLinkable(each));
    if (unlinked) throw refusal('link.unknown', `Units of '${unlinked.id}' have no links of this sort`);
    const store = this.stores.of(kind);
    store.checkState(kind, session, 'get');
    if (!(await store.reads.evaluate(session, kind, id, []))) throw unknownUnit(kind, id);
    return { kind, id };
  }

  /** Undefined if no link type has its own access. */
  async of(
    session: Session,
    parent: Parent,
    child: NamedChild | undefined,
    member: Caller,
  ): Promise<Explained | undefined> {
    const checks = linkChecks(parent.kind, child?.kind, member, session.model);
    if (checks.length === 0) return undefined;
    const readable = parent.isReadable && (!child || (await this.#mayRead(session, child, member)));
    const explained = new Map<string, Map<string, LinkExplanation>>();
    for (const check of checks) {
      const answers =
        child && check.predicates.length > 0
          ? await this.#evaluate(session, parent, child, check.predicates)
          : undefined;
      const ofType = explained.get(check.linkId) ?? new Map<string, LinkExplanation>();
      explained.set(check.linkId, ofType.set(check.operation, explainLink(check, member, answers, readable)));
    }
    return Object.fromEntries([...explained].map(([id, ofType]) => [id, Object.fromEntries(ofType)]));
  }

  async #mayRead(session: Session, { kind, id }: NamedChild, member: Caller): Promise<boolean> {
    const grant = grantOf(kind, 'read', member, session.model);
    if (!grant?.predicate) return grant !== undefined;
    const [holds] = (await this.stores.of(kind).reads.evaluate(session, kind, id, [grant.predicate])) ?? [];
    return holds === true;
  }

  #evaluate(
    session: Session,
    parent: NamedChild,
    child: NamedChild,
    predicates: Parameters<typeof evaluateLink>[2],
  ): Promise<readonly boolean[]> {
    const endOf = ({ kind, id }: NamedChild) => ({ kind, key: requireKey(kind, id) });
    return evaluateLink(session, { parent: endOf(parent), child: endOf(child) }, predicates);
  }
}
