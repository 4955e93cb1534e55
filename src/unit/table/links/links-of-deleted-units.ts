/** Deletes the links of deleted units. Every deletion of units calls it, in the same transaction. */
import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { isStaleModel } from '../../../database/statement/sqlstate.js';
import { isLinkable, type KindDef } from '../../../model/model.js';
import { LIMITS } from '../../../shared/limits.js';
import {
  deleteDanglingLinksStatement,
  deleteLinksOfStatement,
  type DeletedLinks,
} from '../../../sql/link/many-links.sql.js';
import type { Statement } from '../../../sql/fragment.js';
import {
  linkKeyOf,
  linksOfUnitsStatement,
  storedLinksStatement,
  type LinkKey,
  type StoredLinkRow,
} from '../../../sql/link/stored-links.sql.js';
import { Behaviors, type HookedLink } from '../../draft/behavior.js';
import { hookedLink, HookedSize, LinkHooks } from './link-hooks.js';
import { DeletionProgress } from '../../../catalog/session/deletion-progress.js';
import { withUnit } from '../../draft/refusal-position.js';
import { usedBy } from '../../../catalog/session/executors.js';
import { linkRecordingOf } from '../../../catalog/session/recording.js';
import type { Session } from '../../../catalog/session/session.js';

/** Links that are read at once with their values. */
const PAGE = 100;

const NONE: readonly HookedLink[] = [];

@Injectable()
export class LinksOfDeletedUnits {
  constructor(
    private readonly behaviors: Behaviors,
    private readonly hooks: LinkHooks,
    private readonly database: Database,
  ) {}

  /** Whether hooks may run when links of units of the kind are deleted. */
  mayRunHooks(kind: KindDef, session: Pick<Session, 'model' | 'project' | 'deployment'>): boolean {
    return isLinkable(kind) && this.behaviors.unlinkingKinds(session).length > 0;
  }

  /**
   * Calls the hooks for the links of units, before these are deleted; an error prevents that. Returns the links, for
   * `remove`. Hooks can create and delete links, so the links are read until there are no new ones.
   * @param naming whether refusals of hooks name the unit
   * @throws KindError 409 if there are too many
   */
  async beforeRemove(
    session: Session,
    kind: KindDef,
    keys: readonly string[],
    naming = false,
  ): Promise<readonly HookedLink[]> {
    if (!this.mayRunHooks(kind, session)) return NONE;
    await this.#checkNumber(session, kind, keys);
    const named = naming ? new Set(keys) : undefined;
    const seen = new Set<string>();
    const count = new HookedSize();
    for (;;) {
      const links: HookedLink[] = [];
      const size = new HookedSize();
      let anyNew = false;
      for await (const row of this.#linksOf(session, kind, keys)) {
        size.add(1, row.values.length);
        const link = hookedLink(row);
        const name = JSON.stringify(linkKeyOf(row));
        if (!seen.has(name)) {
          seen.add(name);
          count.add(1, 0);
          if (anyNew && !(await this.#exists(session, row))) continue;
          anyNew = true;
          const call = () => this.hooks.beforeUnlink(session, link);
          await (named ? withUnit(endOf(link, kind, named), call) : call());
        }
        links.push(link);
      }
      if (!anyNew) return links;
    }
  }

  /**
   * Call it after the rows were deleted: from then on no new link to them can be created. At REPEATABLE READ the
   * transaction does not see links created since it began; these are deleted after the commit, and until then they lead
   * nowhere.
   */
  async remove(session: Session, kind: KindDef, keys: readonly string[], hooked: readonly HookedLink[]): Promise<void> {
    if (!isLinkable(kind)) return;
    const { executor } = session;
    await executor.run(deleteLinksOfStatement(deletedLinks(session, kind), keys));
    await this.hooks.afterUnlinks(session, hooked);
    if (executor.tx?.isolation !== 'repeatable read') return;
    executor.tx.afterCommit(() => this.#removeDangling(session, kind, keys));
  }

  /** Their units are gone, so hooks cannot prevent it: only those that run afterwards are called. */
  async #removeDangling(session: Session, kind: KindDef, keys: readonly string[]): Promise<void> {
    const { project } = session;
    const statement = deleteDanglingLinksStatement(deletedLinks(session, kind), keys);
    try {
      if (!this.mayRunHooks(kind, session)) return void (await this.database.ofProject(project).run(statement));
      const found = await this.database
        .ofProject(project)
        .run<StoredLinkRow>(this.#page(session, kind, keys, undefined));
      if (found.length === 0) return;
      await this.#removeDanglingWithHooks(session, kind, keys).catch(async (error: unknown) => {
        await this.database.ofProject(project).run(statement);
        throw error;
      });
    } catch (error) {
      // The kind was deleted, and its links with it.
      if (!isStaleModel(error)) throw error;
    }
  }

  async #removeDanglingWithHooks(session: Session, kind: KindDef, keys: readonly string[]): Promise<void> {
    await this.database.transaction(async (executor) => {
      const within: Session = { ...session, executor, deletionProgress: new DeletionProgress() };
      const links = new Map<string, StoredLinkRow>();
      const size = new HookedSize();
      for await (const row of this.#linksOf(within, kind, keys)) {
        size.add(1, row.values.length);
        links.set(JSON.stringify(linkKeyOf(row)), row);
      }
      await executor.run(deleteDanglingLinksStatement(deletedLinks(session, kind), keys));
      // A unit with the same key may have been created meanwhile: its links are still there.
      for await (const row of this.#linksOf(within, kind, keys)) links.delete(JSON.stringify(linkKeyOf(row)));
      await this.hooks.afterUnlinks(within, [...links.values()].map(hookedLink));
    }, usedBy(session));
  }

  async *#linksOf(session: Session, kind: KindDef, keys: readonly string[]): AsyncGenerator<StoredLinkRow> {
    for (let after: LinkKey | undefined; ;) {
      session.deletionProgress?.checkTime();
      const rows: StoredLinkRow[] = await session.executor.run(this.#page(session, kind, keys, after));
      yield* rows;
      if (rows.length < PAGE) return;
      after = rows.at(-1);
    }
  }

  #page(session: Session, kind: KindDef, keys: readonly string[], after: LinkKey | undefined): Statement {
    const types = [...session.model.linkTypes.values()];
    const parents = this.behaviors.unlinkingKinds(session);
    return linksOfUnitsStatement(session.project.schema, { kind, keys, parents, types, after, limit: PAGE });
  }

  /** So that no hook runs where there are too many links. @throws KindError 409 */
  async #checkNumber(session: Session, kind: KindDef, keys: readonly string[]): Promise<void> {
    const parents = this.behaviors.unlinkingKinds(session);
    const limit = LIMITS.hookedLinks + 1;
    const counted = linksOfUnitsStatement(session.project.schema, {
      kind,
      keys,
      parents,
      types: [],
      after: undefined,
      limit,
    });
    new HookedSize().add((await session.executor.run(counted)).length, 0);
  }

  async #exists({ executor, project }: Session, key: LinkKey): Promise<boolean> {
    return (await executor.run(storedLinksStatement(project.schema, [key], []))).length > 0;
  }
}

function deletedLinks(session: Session, kind: KindDef): DeletedLinks {
  return { schema: session.project.schema, kind, recording: linkRecordingOf(session) };
}

/** The unit of a link that is one of these. */
function endOf({ parent, child }: HookedLink, { id }: KindDef, keys: ReadonlySet<string>): string {
  return parent.kind_id === id && keys.has(parent.id) ? parent.id : child.id;
}
