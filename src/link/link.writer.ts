/** Creates, changes and deletes links between units of users' kinds. */
import { Injectable } from '@nestjs/common';
import { StaleModelError } from '../catalog/catalog.service.js';
import { usedBy } from '../catalog/session/executors.js';
import type { Session } from '../catalog/session/session.js';
import { Database } from '../database/database.js';
import { isLockTimeout, isTooLongForIndex } from '../database/statement/sqlstate.js';
import { noteContention } from '../database/transaction/contention.js';
import { shownValue } from '../model/field.js';
import type { Model } from '../model/model.js';
import { LINK_TABLE } from '../model/names.js';
import { isCallerError, KindError, refusal, retryLater } from '../shared/errors.js';
import { type Json, scalarText } from '../shared/json.js';
import type { MaybePromise } from '../shared/work-in-pieces.js';
import { keepVersionStatement } from '../sql/definition/model.sql.js';
import type { Statement } from '../sql/fragment.js';
import type { LinkEnd, LinkPlan } from '../sql/link/link-ends.sql.js';
import {
  deleteLinkStatement,
  findLinkStatement,
  insertLinkStatement,
  type LinkRow,
  type LinkValues,
  updateLinkStatement,
} from '../sql/link/link.sql.js';
import type { LinkKey } from '../sql/link/stored-links.sql.js';
import type { Body } from '../unit/draft/draft.js';
import { LinkHooks, newLinkOf } from '../unit/table/links/link-hooks.js';
import { UnitQuota } from '../unit/table/write/unit-quota.js';
import { LinkValueReader } from './link-values.js';
import { checkLinkedUnits, type PlannedLink } from './link.plan.js';

/** Attempts to create a link that other requests create and delete meanwhile. */
const ATTEMPTS = 5;

/** Reads the values of a link from the body of a request. */
type ReadValues = () => MaybePromise<Body>;

@Injectable()
export class LinkWriter {
  constructor(
    private readonly database: Database,
    private readonly values: LinkValueReader,
    private readonly hooks: LinkHooks,
    private readonly quota: UnitQuota,
  ) {}

  /**
   * Creates a link and returns its record. If it exists with these values, or if there are none, that is the stored one.
   * @param read returns the values. Its faults are reported after those of the units
   */
  async create(session: Session, planned: PlannedLink, read: ReadValues): Promise<string> {
    if (this.hooks.runFor(planned.plan.parent.kind, 'create', session)) {
      return this.#createWithHooks(session, planned, read);
    }
    const values = await this.#input(session, planned, async () => this.#newValues(session, planned, await read()));
    return typeof values === 'string' ? values : this.#insert(session, planned, values);
  }

  /** Changes the values of a link that `read` names, and returns its record. */
  async update(session: Session, planned: PlannedLink, read: ReadValues): Promise<string> {
    const values = await this.#input(session, planned, async () =>
      this.values.update(session, planned.type, await read()),
    );
    return this.#update(session, planned, values);
  }

  /** @param check throws faults of the request, which are reported after those of the units */
  async remove(session: Session, planned: PlannedLink, check: () => void = () => undefined): Promise<undefined> {
    await this.#input(session, planned, check);
    if (this.hooks.runFor(planned.plan.parent.kind, 'delete', session)) {
      return this.#removeWithHooks(session, planned);
    }
    return this.#delete(session, planned);
  }

  /** Hooks run only if the link does not exist. Rights are checked before they run, and again when the link is written. */
  async #createWithHooks(session: Session, planned: PlannedLink, read: ReadValues): Promise<string> {
    const { type, plan, path } = planned;
    const stored = await this.#run(session, findLinkStatement(plan));
    checkLinkedUnits(stored, plan, path, session.caller);
    this.hooks.ready(plan.parent.kind, session);
    const body = await read();
    if (stored.body !== null) {
      const values = await this.#newValues(session, planned, body);
      return typeof values === 'string' ? values : this.#insert(session, planned, values);
    }
    const key = linkKey(plan);
    const link = newLinkOf(key);
    const values = await this.values.createWith(session, type, body, (draft, write) =>
      this.hooks.beforeLink(plan.parent.kind, link, draft, write),
    );
    const record = await this.#insert(session, planned, values);
    await this.hooks.afterLinks(session, [key]);
    return record;
  }

  async #removeWithHooks(session: Session, planned: PlannedLink): Promise<undefined> {
    const { plan, path } = planned;
    const stored = await this.#run(session, findLinkStatement(plan));
    checkLinkedUnits(stored, plan, path, session.caller);
    if (stored.body === null) throw refusal('link.unknown', 'No such link');
    this.hooks.ready(plan.parent.kind, session);
    const links = await this.hooks.beforeUnlinks(session, [linkKey(plan)]);
    await this.#delete(session, planned);
    await this.hooks.afterUnlinks(session, links);
  }

  /** Missing units are reported before faults of query and body. */
  async #input<T>(session: Session, { plan, path }: PlannedLink, read: () => MaybePromise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      if (isCallerError(error))
        checkLinkedUnits(await this.#run(session, findLinkStatement(plan)), plan, path, session.caller);
      throw error;
    }
  }

  /**
   * The values of a new link; undefined if its type has no parameters. Without a value, faults such as a missing required
   * one do not matter if the link exists: its record is returned.
   */
  async #newValues(
    session: Session,
    { type, plan, path }: PlannedLink,
    body: Body,
  ): Promise<LinkValues | string | undefined> {
    if (type.parameters.length === 0) return undefined;
    try {
      return await this.values.create(session, type, body);
    } catch (error) {
      if ([...body.keys()].length > 0 || !isCallerError(error)) throw error;
      const row = await this.#run(session, findLinkStatement(plan));
      checkLinkedUnits(row, plan, path, session.caller);
      if (row.body === null) throw error;
      return row.body;
    }
  }

  async #insert(session: Session, { plan, path }: PlannedLink, values: LinkValues | undefined): Promise<string> {
    await this.quota.checkStorage(session);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const row = await this.#run(session, insertLinkStatement(plan, values));
      checkLinkedUnits(row, plan, path, session.caller);
      if (row.body !== null && row.differs) {
        throw refusal('link.differs', 'This link exists with other values; PUT on the same path changes them');
      }
      if (row.body !== null) return row.body;
    }
    throw retryLater('database.busy', 'The same link is made and deleted all the time');
  }

  async #update(session: Session, { plan, path }: PlannedLink, values: LinkValues): Promise<string> {
    await this.quota.checkStorage(session);
    const changes = values.written.length > 0;
    const row = await (changes
      ? this.#run(session, updateLinkStatement(plan, values))
      : this.#run(session, findLinkStatement(plan)));
    checkLinkedUnits(row, plan, path, session.caller);
    if (row.body === null) throw refusal('link.unknown', 'No such link');
    return row.body;
  }

  async #delete(session: Session, { plan, path }: PlannedLink): Promise<undefined> {
    const row = await this.#run(session, deleteLinkStatement(plan));
    checkLinkedUnits(row, plan, path, session.caller);
    if (row.body === null) throw refusal('link.unknown', 'No such link');
  }

  /** Without a transaction the statement runs alone. After a deadlock it runs again, in a transaction with retries. */
  async #run({ project, caller, model, executor }: Session, statement: Statement): Promise<LinkRow> {
    executor.tx?.beforeCommit(keepVersionStatement(project.schema));
    try {
      return currentRow(await executor.run<LinkRow>(statement), model);
    } catch (error) {
      noteContention(error, () => ({ schema: project.schema, table: LINK_TABLE }));
      if (isTooLongForIndex(error)) throw tooLong();
      if (executor.tx || !(error instanceof KindError) || error.code !== 'database.busy') throw error;
      // After a lock timeout the time limit of the statement is used up.
      if (isLockTimeout(error.cause)) throw error;
    }
    const options = { ...usedBy({ project, caller }), isolation: 'read committed' } as const;
    return currentRow(await this.database.transaction((tx) => tx.run<LinkRow>(statement), options), model);
  }
}

/** The key of a link, with ids as in records. */
function linkKey({ parent, child, linkId }: LinkPlan): LinkKey {
  const idOf = ({ kind, key }: LinkEnd) => scalarText(shownValue(kind.keyField, key as Json));
  return {
    parent_kind: parent.kind.id,
    parent_id: idOf(parent),
    child_kind: child.kind.id,
    child_id: idOf(child),
    link_id: linkId,
  };
}

/**
 * A row with a link is right whatever version it has: the link is read and written only if that was the one of the plan,
 * and Citus reads the version of the row after the write.
 * @throws StaleModelError if the statement found no link, and another version of the model
 */
function currentRow(rows: readonly LinkRow[], model: Model): LinkRow {
  const [row] = rows;
  if (!row || (row.body === null && Number(row.v) !== model.version)) throw new StaleModelError();
  return row;
}

export function tooLong(): KindError {
  return refusal('unit.conflict', 'The ids of both units are too long for a link: together at most some 2,500 bytes');
}
