/** Creates, changes and deletes links between units of users' kinds. */
import { Injectable } from '@nestjs/common';
import { shownValue } from '../model/field.js';
import { isCallerError, refusal, retryLater } from '../shared/errors.js';
import type { MaybePromise } from '../shared/maybe-promise.js';
import { scalarText, type Json } from '../shared/json.js';
import type { LinkEnd, LinkPlan } from '../sql/link/link-ends.sql.js';
import type { LinkValues } from '../sql/link/link.sql.js';
import type { LinkKey } from '../sql/link/stored-links.sql.js';
import type { Body } from '../unit/draft/draft.js';
import { LinkHooks, newLinkOf } from '../unit/table/links/link-hooks.js';
import type { Session } from '../catalog/session/session.js';
import { UnitQuota } from '../unit/table/write/unit-quota.js';
import type { PlannedLink } from './link.authorizer.js';
import { checkLinkedUnits, type LinkPath } from './link.plan.js';
import { LinkRepository } from './link.repository.js';
import { LinkValueReader } from './link-values.js';

/** Attempts to create a link that other requests create and delete meanwhile. */
const ATTEMPTS = 5;

/** Reads the values of a link from the body of a request. */
type ReadValues = () => MaybePromise<Body>;

@Injectable()
export class LinkWriter {
  constructor(
    private readonly repository: LinkRepository,
    private readonly values: LinkValueReader,
    private readonly hooks: LinkHooks,
    private readonly quota: UnitQuota,
  ) {}

  /**
   * Creates a link and returns its record. If it exists with these values, or if there are none, that is the stored one.
   * @param read returns the values. Its faults are reported after those of the units
   */
  async create(session: Session, planned: PlannedLink, path: LinkPath, read: ReadValues): Promise<string> {
    if (this.hooks.runFor(planned.plan.parent.kind, 'create', session)) {
      return this.#createWithHooks(session, planned, path, read);
    }
    const values = await this.#input(session, planned, path, async () =>
      this.#newValues(session, planned, path, await read()),
    );
    return typeof values === 'string' ? values : this.#insert(session, planned, path, values);
  }

  /** Changes the values of a link that `read` names, and returns its record. */
  async update(session: Session, planned: PlannedLink, path: LinkPath, read: ReadValues): Promise<string> {
    const values = await this.#input(session, planned, path, async () =>
      this.values.update(session, planned.type, await read()),
    );
    return this.#update(session, planned, path, values);
  }

  /** @param check throws faults of the request, which are reported after those of the units */
  async remove(
    session: Session,
    planned: PlannedLink,
    path: LinkPath,
    check: () => void = () => undefined,
  ): Promise<undefined> {
    await this.#input(session, planned, path, check);
    if (this.hooks.runFor(planned.plan.parent.kind, 'delete', session)) {
      return this.#removeWithHooks(session, planned, path);
    }
    return this.#delete(session, planned, path);
  }

  /** Hooks run only if the link does not exist. Rights are checked before they run, and again when the link is written. */
  async #createWithHooks(session: Session, planned: PlannedLink, path: LinkPath, read: ReadValues): Promise<string> {
    const { type, plan } = planned;
    const stored = await this.repository.find(session, plan);
    checkLinkedUnits(stored, plan, path, session.caller);
    this.hooks.ready(plan.parent.kind, session);
    const body = await read();
    if (stored.body !== null) {
      const values = await this.#newValues(session, planned, path, body);
      return typeof values === 'string' ? values : this.#insert(session, planned, path, values);
    }
    const key = linkKey(plan);
    const link = newLinkOf(key);
    const values = await this.values.createWith(session, type, body, (draft, write) =>
      this.hooks.beforeLink(plan.parent.kind, link, draft, write),
    );
    const record = await this.#insert(session, planned, path, values);
    await this.hooks.afterLinks(session, [key]);
    return record;
  }

  async #removeWithHooks(session: Session, planned: PlannedLink, path: LinkPath): Promise<undefined> {
    const { plan } = planned;
    const stored = await this.repository.find(session, plan);
    checkLinkedUnits(stored, plan, path, session.caller);
    if (stored.body === null) throw refusal('link.unknown', 'No such link');
    this.hooks.ready(plan.parent.kind, session);
    const links = await this.hooks.beforeUnlinks(session, [linkKey(plan)]);
    await this.#delete(session, planned, path);
    await this.hooks.afterUnlinks(session, links);
  }

  /** Missing units are reported before faults of query and body. */
  async #input<T>(session: Session, { plan }: PlannedLink, path: LinkPath, read: () => MaybePromise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      if (isCallerError(error)) checkLinkedUnits(await this.repository.find(session, plan), plan, path, session.caller);
      throw error;
    }
  }

  /**
   * The values of a new link; undefined if its type has no parameters. Without a value, faults such as a missing required
   * one do not matter if the link exists: its record is returned.
   */
  async #newValues(
    session: Session,
    { type, plan }: PlannedLink,
    path: LinkPath,
    body: Body,
  ): Promise<LinkValues | string | undefined> {
    if (type.parameters.length === 0) return undefined;
    try {
      return await this.values.create(session, type, body);
    } catch (error) {
      if ([...body.keys()].length > 0 || !isCallerError(error)) throw error;
      const row = await this.repository.find(session, plan);
      checkLinkedUnits(row, plan, path, session.caller);
      if (row.body === null) throw error;
      return row.body;
    }
  }

  async #insert(
    session: Session,
    { plan }: PlannedLink,
    path: LinkPath,
    values: LinkValues | undefined,
  ): Promise<string> {
    this.quota.checkStorage(session);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const row = await this.repository.insert(session, plan, values);
      checkLinkedUnits(row, plan, path, session.caller);
      if (row.body !== null && row.differs) {
        throw refusal('link.differs', 'This link exists with other values; PUT on the same path changes them');
      }
      if (row.body !== null) return row.body;
    }
    throw retryLater('database.busy', 'The same link is made and deleted all the time');
  }

  async #update(session: Session, { plan }: PlannedLink, path: LinkPath, values: LinkValues): Promise<string> {
    this.quota.checkStorage(session);
    const changes = values.written.length > 0;
    const row = await (changes ? this.repository.update(session, plan, values) : this.repository.find(session, plan));
    checkLinkedUnits(row, plan, path, session.caller);
    if (row.body === null) throw refusal('link.unknown', 'No such link');
    return row.body;
  }

  async #delete(session: Session, { plan }: PlannedLink, path: LinkPath): Promise<undefined> {
    const row = await this.repository.delete(session, plan);
    checkLinkedUnits(row, plan, path, session.caller);
    if (row.body === null) throw refusal('link.unknown', 'No such link');
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
