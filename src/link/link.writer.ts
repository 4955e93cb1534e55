/** Creates, changes and deletes links between units of users' kinds. */
import { Injectable } from '@nestjs/common';
import { isCallerError, refusal, retryLater } from '../shared/errors.js';
import type { MaybePromise } from '../shared/maybe-promise.js';
import type { LinkValues } from '../sql/link.sql.js';
import type { Body } from '../unit/draft/draft.js';
import type { PlannedLink } from './link.authorizer.js';
import { checkEnds, type LinkPath } from './link.plan.js';
import { LinkRepository, type LinkScope } from './link.repository.js';
import { LinkValueReader } from './link-values.js';

/** Attempts to create a link that other requests create and delete meanwhile. */
const ATTEMPTS = 5;

@Injectable()
export class LinkWriter {
  constructor(
    private readonly repository: LinkRepository,
    private readonly values: LinkValueReader,
  ) {}

  /**
   * Creates a link and returns its record. If it exists with these values, or if there are none, that is the stored one.
   * @param read returns the values. Its faults are reported after those of the units
   */
  async create(scope: LinkScope, planned: PlannedLink, path: LinkPath, read: () => Body): Promise<string> {
    const values = await this.#input(scope, planned, path, () => this.#newValues(scope, planned, path, read()));
    return typeof values === 'string' ? values : this.#insert(scope, planned, path, values);
  }

  /** Changes the values of a link that `read` names, and returns its record. */
  async update(scope: LinkScope, planned: PlannedLink, path: LinkPath, read: () => Body): Promise<string> {
    const values = await this.#input(scope, planned, path, () => this.values.update(scope, planned.type, read()));
    return this.#update(scope, planned, path, values);
  }

  /** @param check throws faults of the request, which are reported after those of the units */
  async remove(
    scope: LinkScope,
    planned: PlannedLink,
    path: LinkPath,
    check: () => void = () => undefined,
  ): Promise<undefined> {
    await this.#input(scope, planned, path, check);
    return this.#delete(scope, planned, path);
  }

  /** Missing units are reported before faults of query and body. */
  async #input<T>(scope: LinkScope, { plan }: PlannedLink, path: LinkPath, read: () => MaybePromise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      if (isCallerError(error)) checkEnds(await this.repository.find(scope, plan), plan, path, scope.caller);
      throw error;
    }
  }

  /**
   * The values of a new link; undefined if its type has no parameters. Without a value, faults such as a missing required
   * one do not matter if the link exists: its record is returned.
   */
  async #newValues(
    scope: LinkScope,
    { type, plan }: PlannedLink,
    path: LinkPath,
    body: Body,
  ): Promise<LinkValues | string | undefined> {
    if (type.parameters.length === 0) return undefined;
    try {
      return await this.values.create(scope, type, body);
    } catch (error) {
      if ([...body.keys()].length > 0 || !isCallerError(error)) throw error;
      const row = await this.repository.find(scope, plan);
      checkEnds(row, plan, path, scope.caller);
      if (row.body === null) throw error;
      return row.body;
    }
  }

  async #insert(
    scope: LinkScope,
    { plan }: PlannedLink,
    path: LinkPath,
    values: LinkValues | undefined,
  ): Promise<string> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const row = await this.repository.insert(scope, plan, values);
      checkEnds(row, plan, path, scope.caller);
      if (row.body !== null && row.differs) {
        throw refusal('link.differs', 'This link exists with other values; PUT on the same path changes them');
      }
      if (row.body !== null) return row.body;
    }
    throw retryLater('database.busy', 'The same link is made and deleted all the time');
  }

  async #update(scope: LinkScope, { plan }: PlannedLink, path: LinkPath, values: LinkValues): Promise<string> {
    const changes = values.written.length > 0;
    const row = await (changes ? this.repository.update(scope, plan, values) : this.repository.find(scope, plan));
    checkEnds(row, plan, path, scope.caller);
    if (row.body === null) throw refusal('link.unknown', 'No such link');
    return row.body;
  }

  async #delete(scope: LinkScope, { plan }: PlannedLink, path: LinkPath): Promise<undefined> {
    const row = await this.repository.delete(scope, plan);
    checkEnds(row, plan, path, scope.caller);
    if (row.body === null) throw refusal('link.unknown', 'No such link');
  }
}
