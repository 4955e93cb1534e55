/** Calls behaviors of the parent's kind for links that are created and deleted. */
import { Injectable } from '@nestjs/common';
import { PatternMatcher } from '../../../catalog/pattern/pattern-matcher.js';
import type { LinkOperation } from '../../../model/built-in-traits.js';
import type { KindDef } from '../../../model/model.js';
import { refusal } from '../../../shared/errors.js';
import { LIMITS } from '../../../shared/limits.js';
import { storedLinksStatement, type LinkKey, type StoredLinkRow } from '../../../sql/link/stored-links.sql.js';
import { Behaviors, type Behavior, type HookedLink, type NewLink, type PendingWrite } from '../../draft/behavior.js';
import type { Draft } from '../../draft/draft.js';
import type { TransactionNeeds } from '../../../catalog/session/executors.js';
import type { Session } from '../../../catalog/session/session.js';

const EVENTS = {
  create: ['beforeLink', 'afterLink'],
  delete: ['beforeUnlink', 'afterUnlink'],
} as const satisfies Record<LinkOperation, readonly (keyof Behavior)[]>;

/** Links that are read at once with their values. */
const PAGE = 100;

type Of = Pick<Session, 'project' | 'deployment'>;

@Injectable()
export class LinkHooks {
  constructor(
    private readonly behaviors: Behaviors,
    private readonly patterns: PatternMatcher,
  ) {}

  /** Whether behaviors are called when links from units of a kind are created or deleted. */
  runFor(parent: KindDef, operation: LinkOperation, session: Of): boolean {
    return this.behaviors.of(parent, session).some((behavior) => EVENTS[operation].some((event) => event in behavior));
  }

  /** The transaction in which they run for links from units of a kind. @param about a key of similar work */
  needs(parent: KindDef, session: Of, about: string): TransactionNeeds {
    return { isolation: 'repeatable read', long: this.behaviors.haveHooks(parent, session), about: () => about };
  }

  /** @throws KindError 503 if the module of the kind is broken */
  ready(parent: KindDef, session: Of): void {
    this.behaviors.checkReady(parent, session);
  }

  /** Returns the values of a new link, which the behaviors may change. Adds faults of their changes. */
  async beforeLink(parent: KindDef, link: NewLink, given: Draft, write: PendingWrite): Promise<Draft> {
    let draft = given;
    for (const behavior of this.behaviors.of(parent, write.session)) {
      draft = (await behavior.beforeLink?.(draft, link, write)) ?? draft;
      await this.patterns.settle(write.session.project.id, write.patterns);
    }
    return draft;
  }

  /** Calls the behaviors for links that were created. */
  async afterLinks(session: Session, keys: readonly LinkKey[]): Promise<void> {
    const hooked = this.#hooked(session, keys, 'create');
    for (let at = 0; at < hooked.length; at += PAGE) {
      for (const link of await this.#stored(session, hooked.slice(at, at + PAGE))) {
        for (const behavior of this.#of(session, link)) await behavior.afterLink?.(link, session);
      }
    }
  }

  /**
   * Calls the behaviors for links that are to be deleted; an error prevents that. Returns the links, for `afterUnlinks`.
   * @throws KindError 409 if there are too many
   */
  async beforeUnlinks(session: Session, keys: readonly LinkKey[]): Promise<readonly HookedLink[]> {
    const hooked = this.#hooked(session, keys, 'delete');
    const size = new HookedSize();
    size.add(hooked.length, 0);
    const links: HookedLink[] = [];
    for (let at = 0; at < hooked.length; at += PAGE) {
      const rows = await this.#rows(session, hooked.slice(at, at + PAGE));
      for (const row of rows) {
        size.add(0, row.values.length);
        const link = hookedLink(row);
        links.push(link);
        await this.beforeUnlink(session, link);
      }
    }
    return links;
  }

  async beforeUnlink(session: Session, link: HookedLink): Promise<void> {
    for (const behavior of this.#of(session, link)) await behavior.beforeUnlink?.(link, session);
  }

  /** Calls the behaviors for links that were deleted. */
  async afterUnlinks(session: Session, links: readonly HookedLink[]): Promise<void> {
    for (const link of links) {
      for (const behavior of this.#of(session, link)) await behavior.afterUnlink?.(link, session);
    }
  }

  #of(session: Session, { parent }: HookedLink): readonly Behavior[] {
    const kind = session.model.kinds.get(parent.kind_id);
    return kind ? this.behaviors.of(kind, session) : [];
  }

  #hooked(session: Session, keys: readonly LinkKey[], operation: LinkOperation): LinkKey[] {
    return keys.filter(({ parent_kind }) => {
      const kind = session.model.kinds.get(parent_kind);
      return kind !== undefined && this.runFor(kind, operation, session);
    });
  }

  async #stored(session: Session, keys: readonly LinkKey[]): Promise<HookedLink[]> {
    return (await this.#rows(session, keys)).map(hookedLink);
  }

  #rows({ executor, project, model }: Session, keys: readonly LinkKey[]): Promise<StoredLinkRow[]> {
    const types = [...new Set(keys.map(({ link_id }) => link_id))].flatMap((id) => model.linkTypes.get(id) ?? []);
    return executor.run<StoredLinkRow>(storedLinksStatement(project.schema, keys, types));
  }
}

/** Counts links that are deleted with hooks, and the size of their values, which are kept until the hooks have run. */
export class HookedSize {
  #links = 0;
  #characters = 0;

  /** @throws KindError 409 */
  add(links: number, characters: number): void {
    this.#links += links;
    this.#characters += characters;
    if (this.#links <= LIMITS.hookedLinks && this.#characters <= LIMITS.answerBytes) return;
    const most = LIMITS.hookedLinks.toLocaleString('en');
    const text = `More than ${most} links with hooks, or values of more than 32 MiB, would be deleted at once; delete some of them first`;
    throw refusal('unit.reaches_too_many', text);
  }
}

export function newLinkOf({ parent_kind, parent_id, child_kind, child_id, link_id }: LinkKey): NewLink {
  return { parent: { kind_id: parent_kind, id: parent_id }, child: { kind_id: child_kind, id: child_id }, link_id };
}

export function hookedLink(row: StoredLinkRow): HookedLink {
  return { ...newLinkOf(row), values: JSON.parse(row.values) as HookedLink['values'] };
}
