/** Creates, changes and removes links. Kinds of the model have link types of the system, which other modules register. */
import { Injectable } from '@nestjs/common';
import { checkHasTable, suggestableLinkTypes, authorizeKind } from '../access/access.js';
import { Catalog } from '../catalog/catalog.service.js';
import { Answer } from '../http/answer/answer.js';
import { refuseQuery } from '../http/route/parse-list-query.js';
import { CASCADE_QUERY, NO_QUERY } from '../http/route/query-names.js';
import { KIND_KIND } from '../model/built-in-traits.js';
import { getBuiltInKind, type LinkTypeDef, type Model } from '../model/model.js';
import { didYouMean } from '../shared/did-you-mean.js';
import { isCallerError, retryLater, refusal } from '../shared/errors.js';
import type { LinkPlan, LinkValues } from '../sql/link.sql.js';
import type { RequestScope } from '../tenancy/request-scope.js';
import type { Session } from '../unit/session/session.js';
import { SystemLinks, type SystemLink } from '../unit/system-links.js';
import { unitAnswer } from '../unit/table/presentation-version.js';
import { UnitRights } from '../unit/table/rights.js';
import { UnitService, type FlagQuery } from '../unit/unit.service.js';
import { checkEnds, planLink, unknownType, type LinkPath } from './link.plan.js';
import { LinkRepository, type LinkScope } from './link.repository.js';
import { linkBody, LinkValueReader } from './link-values.js';

/** Attempts to create a link that other requests create and delete meanwhile. */
const ATTEMPTS = 5;

interface PlannedLink {
  readonly type: LinkTypeDef;
  readonly plan: LinkPlan;
}

@Injectable()
export class LinkService {
  constructor(
    private readonly catalog: Catalog,
    private readonly repository: LinkRepository,
    private readonly values: LinkValueReader,
    private readonly systemLinks: SystemLinks,
    private readonly units: UnitService,
    private readonly rights: UnitRights,
  ) {}

  /**
   * Answers the link record, or for link types of the system the record of the kind. `read` parses the body, if the
   * request has one. Only link types with parameters use it.
   */
  async create(scope: RequestScope, path: LinkPath, url: string, read?: () => Promise<unknown>): Promise<Answer> {
    const body = read ? await this.#readBody(scope, path, read) : () => undefined;
    const result = await this.#onUnits(scope, path, async (inside, planned) => {
      const values = await this.#input(inside, planned, path, () => {
        refuseQuery(url);
        return this.#newValues(inside, planned, path, body());
      });
      return typeof values === 'string' ? values : this.#insert(inside, planned, path, values);
    });
    if (typeof result === 'string') return new Answer(result);
    return this.#onModel(scope, path, { url, takes: NO_QUERY }, result, async (session) => {
      body();
      const kindId = await result.add(session, path.parent, path.child);
      const kind = getBuiltInKind(session.model, KIND_KIND);
      return unitAnswer(kind, await this.rights.present(session, kind, kindId));
    });
  }

  /**
   * Reads the body after the rights are checked. The request does not count toward the limit of the project meanwhile.
   */
  async #readBody(scope: RequestScope, path: LinkPath, read: () => Promise<unknown>): Promise<() => unknown> {
    const plan = async (model: Model): Promise<void> => void this.#planUnits({ ...scope, model }, path);
    await this.catalog.withModelOf(scope.project, path.parentKind, plan);
    return deferError(read);
  }

  /** Changes values of a link, and answers its record. */
  async update(scope: RequestScope, path: LinkPath, url: string, read: () => Promise<unknown>): Promise<Answer> {
    const body = await this.#readBody(scope, path, read);
    const result = await this.#onUnits(scope, path, async (inside, planned) => {
      const values = await this.#input(inside, planned, path, () => {
        refuseQuery(url);
        return this.values.update(inside, planned.type, linkBody(body() ?? null));
      });
      return this.#update(inside, planned, path, values);
    });
    if (typeof result === 'string') return new Answer(result);
    throw unknownType(path);
  }

  async remove(scope: RequestScope, path: LinkPath, url: string): Promise<void> {
    const systemLink = await this.#onUnits(scope, path, async (inside, planned) => {
      await this.#input(inside, planned, path, () => refuseQuery(url));
      return this.#delete(inside, planned, path);
    });
    if (systemLink === undefined) return;
    await this.#onModel(scope, path, { url, takes: CASCADE_QUERY }, systemLink, (session) =>
      systemLink.remove(session, path.parent, path.child),
    );
  }

  /** Links units of users' kinds within a session. @param values of the parameters of the link type */
  async createIn(session: Session, path: LinkPath, values?: unknown): Promise<void> {
    const planned = this.#planUnits(session, path);
    if (isSystemLink(planned)) throw unknownType(path);
    const read = await this.#input(session, planned, path, () => this.#newValues(session, planned, path, values));
    if (typeof read !== 'string') await this.#insert(session, planned, path, read);
  }

  /** Changes values of a link within a session. */
  async updateIn(session: Session, path: LinkPath, values: unknown): Promise<void> {
    const planned = this.#planUnits(session, path);
    if (isSystemLink(planned)) throw unknownType(path);
    const read = await this.#input(session, planned, path, () => {
      return this.values.update(session, planned.type, linkBody(values ?? null));
    });
    await this.#update(session, planned, path, read);
  }

  async removeIn(session: Session, path: LinkPath): Promise<void> {
    const planned = this.#planUnits(session, path);
    if (isSystemLink(planned)) throw unknownType(path);
    await this.#delete(session, planned, path);
  }

  #onModel<T>(
    scope: RequestScope,
    { parentKind, parent, childKind, child }: LinkPath,
    query: FlagQuery,
    link: SystemLink,
    work: (session: Session) => Promise<T>,
  ): Promise<T> {
    const check = async (session: Session): Promise<void> => {
      link.check(session, parent, childKind, child);
      const { kind } = authorizeKind(session.model, childKind, 'read', scope.caller);
      await this.rights.checkUnit(session, kind, child, undefined, 'read');
    };
    const rights = { kindId: parentKind, unitId: parent, operation: 'link' } as const;
    return this.units.define(scope, rights, query, { check, work });
  }

  /** Runs `work` for users' kinds; returns the link type of the system if the path names kinds of the model. */
  #onUnits<T>(
    scope: RequestScope,
    path: LinkPath,
    work: (scope: LinkScope, planned: PlannedLink) => Promise<T>,
  ): Promise<T | SystemLink> {
    return this.catalog.withModelOf(scope.project, path.parentKind, async (model): Promise<T | SystemLink> => {
      const inside = { ...scope, model };
      const planned = this.#planUnits(inside, path);
      return isSystemLink(planned) ? planned : work(inside, planned);
    });
  }

  /** Plans a link between units; returns the link type of the system if the path names kinds of the model. */
  #planUnits(scope: LinkScope, path: LinkPath): PlannedLink | SystemLink {
    const { model } = scope;
    const { kind: parent, grant } = authorizeKind(model, path.parentKind, 'link', scope.caller);
    const systemLink = this.systemLinks.find(path.parentKind, path.link, path.childKind);
    if (systemLink) {
      authorizeKind(model, path.childKind, 'read', scope.caller);
      return systemLink;
    }
    if (parent.builtIn) throw unknownType(path);
    const { kind: child } = authorizeKind(model, path.childKind, 'read', scope.caller);
    if (child.builtIn) throw unknownType(path);
    const type = model.linkTypes.get(path.link);
    if (!type) throw unknownType(path, didYouMean(path.link, suggestableLinkTypes(model, scope.caller)));
    checkHasTable(parent);
    checkHasTable(child);
    return { type, plan: planLink(scope, model, path, { type, parent, child, allowed: grant.predicate }) };
  }

  /** Missing units are reported before faults of query and body. */
  async #input<T>(scope: LinkScope, { plan }: PlannedLink, path: LinkPath, read: () => T | Promise<T>): Promise<T> {
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
    value: unknown,
  ): Promise<LinkValues | string | undefined> {
    if (type.parameters.length === 0) return undefined;
    const body = linkBody(value);
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

/** Does the work now, and returns a function that returns its result or throws its error. */
async function deferError(work: () => Promise<unknown>): Promise<() => unknown> {
  try {
    const result = await work();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

function isSystemLink(planned: PlannedLink | SystemLink): planned is SystemLink {
  return 'add' in planned;
}
