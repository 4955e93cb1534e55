/** Creates, changes and removes links. Kinds of the model have link types of the system, which other modules register. */
import { Injectable } from '@nestjs/common';
import { authorizeKind } from '../access/access.js';
import { Catalog } from '../catalog/catalog.service.js';
import { Database } from '../database/database.js';
import { Answer } from '../http/answer/answer.js';
import { refuseQuery } from '../http/route/parse-list-query.js';
import { CASCADE_QUERY, NO_QUERY } from '../http/route/query-names.js';
import { KIND_KIND, type LinkOperation } from '../model/built-in-traits.js';
import { getBuiltInKind, type Model } from '../model/model.js';
import { refusal } from '../shared/errors.js';
import type { RequestScope } from '../tenancy/request-scope.js';
import { optionalBody, type Body } from '../unit/draft/draft.js';
import { LinkHooks } from '../unit/table/delete/link-hooks.js';
import { deploymentOf } from '../unit/session/caller-executor.js';
import type { Session } from '../unit/session/session.js';
import type { SystemLink } from '../unit/system-links.js';
import { unitAnswer } from '../unit/table/read/presentation-version.js';
import { UnitRights } from '../unit/table/rights.js';
import { UnitService, type FlagQuery } from '../unit/unit.service.js';
import { isSystemLink, LinkAuthorizer, type PlannedLink } from './link.authorizer.js';
import { unknownType, type LinkPath } from './link.plan.js';
import type { LinkScope } from './link.repository.js';
import { LinkWriter } from './link.writer.js';

@Injectable()
export class LinkService {
  constructor(
    private readonly catalog: Catalog,
    private readonly authorizer: LinkAuthorizer,
    private readonly writer: LinkWriter,
    private readonly units: UnitService,
    private readonly hooks: LinkHooks,
    private readonly database: Database,
    private readonly rights: UnitRights,
  ) {}

  /**
   * Answers the link record, or for link types of the system the record of the kind. `read` parses the body, if the
   * request has one. Only link types with parameters use it.
   */
  async create(scope: RequestScope, path: LinkPath, url: string, read?: () => Promise<unknown>): Promise<Answer> {
    const body = read ? await this.#readBody(scope, path, read) : () => undefined;
    const result = await this.#onUnits(scope, path, 'create', (inside, planned) =>
      this.writer.create(inside, planned, path, () => {
        refuseQuery(url);
        return newLinkBody(planned, body());
      }),
    );
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
    const plan = async (model: Model): Promise<void> => void this.authorizer.plan({ ...scope, model }, path, 'create');
    await this.catalog.withModel(scope, plan);
    return deferError(read);
  }

  /** Changes values of a link, and answers its record. */
  async update(scope: RequestScope, path: LinkPath, url: string, read: () => Promise<unknown>): Promise<Answer> {
    const body = await this.#readBody(scope, path, read);
    const result = await this.#onUnits(
      scope,
      path,
      'create',
      (inside, planned) =>
        this.writer.update(inside, planned, path, () => {
          refuseQuery(url);
          return optionalBody(body() ?? null);
        }),
      false,
    );
    if (typeof result === 'string') return new Answer(result);
    throw refusal('route.method', `Links of '${path.link}' have no values`);
  }

  async remove(scope: RequestScope, path: LinkPath, url: string): Promise<void> {
    const systemLink = await this.#onUnits(scope, path, 'delete', (inside, planned) =>
      this.writer.remove(inside, planned, path, () => refuseQuery(url)),
    );
    if (systemLink === undefined) return;
    await this.#onModel(scope, path, { url, takes: CASCADE_QUERY }, systemLink, (session) =>
      systemLink.remove(session, path.parent, path.child),
    );
  }

  /** Links units of users' kinds within a session. @param values of the parameters of the link type */
  async createIn(session: Session, path: LinkPath, values?: unknown): Promise<void> {
    const planned = this.authorizer.plan(session, path, 'create');
    if (isSystemLink(planned)) throw unknownType(path);
    await this.writer.create(session, planned, path, () => newLinkBody(planned, values));
  }

  /** Changes values of a link within a session. */
  async updateIn(session: Session, path: LinkPath, values: unknown): Promise<void> {
    const planned = this.authorizer.plan(session, path, 'create');
    if (isSystemLink(planned)) throw unknownType(path);
    await this.writer.update(session, planned, path, () => optionalBody(values ?? null));
  }

  async removeIn(session: Session, path: LinkPath): Promise<void> {
    const planned = this.authorizer.plan(session, path, 'delete');
    if (isSystemLink(planned)) throw unknownType(path);
    await this.writer.remove(session, planned, path);
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

  /** Runs `work` for users' kinds, in a transaction if hooks may run; returns the link type of the system if the path names kinds of the model. */
  #onUnits<T>(
    scope: RequestScope,
    path: LinkPath,
    operation: LinkOperation,
    work: (scope: LinkScope, planned: PlannedLink) => Promise<T>,
    mayHook = true,
  ): Promise<T | SystemLink> {
    return this.catalog.withModel(scope, async (model): Promise<T | SystemLink> => {
      const { enclosing } = scope;
      const deployment = enclosing ? deploymentOf(scope) : this.hooks.deployment;
      const inside = { ...scope, ...deployment, model, ...(enclosing && { executor: enclosing.executor }) };
      const planned = this.authorizer.plan(inside, path, operation);
      if (isSystemLink(planned)) return planned;
      const parent = planned.plan.parent.kind;
      if (enclosing || !mayHook || !this.hooks.runFor(parent, operation, inside)) return work(inside, planned);
      const options = this.hooks.transaction(parent, inside, `link ${parent.id} ${path.parent}`);
      return this.database.transaction((executor) => work({ ...inside, executor }, planned), options);
    });
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

/** The values of a new link. For types without parameters, any body is ignored. */
function newLinkBody({ type }: PlannedLink, value: unknown): Body {
  return optionalBody(type.parameters.length === 0 ? undefined : value);
}
