/** Creates and removes links. Kinds of the model have link types of the system, which other modules register. */
import { Injectable } from '@nestjs/common';
import { checkHasTable, suggestableLinkTypes, authorizeKind } from '../access/access.js';
import { Catalog } from '../catalog/catalog.service.js';
import { Answer } from '../http/answer/answer.js';
import { refuseQuery } from '../http/route/parse-list-query.js';
import { CASCADE_QUERY, NO_QUERY } from '../http/route/query-names.js';
import { KIND_KIND } from '../model/built-in-traits.js';
import { getBuiltInKind, type Model } from '../model/model.js';
import { didYouMean } from '../shared/did-you-mean.js';
import { retryLater, refusal } from '../shared/errors.js';
import type { LinkPlan } from '../sql/link.sql.js';
import type { RequestScope } from '../tenancy/request-scope.js';
import type { Session } from '../unit/session/session.js';
import { SystemLinks, type SystemLink } from '../unit/system-links.js';
import { unitAnswer } from '../unit/table/presentation-version.js';
import { UnitRights } from '../unit/table/rights.js';
import { UnitService, type FlagQuery } from '../unit/unit.service.js';
import { checkEnds, planLink, unknownType, type LinkPath } from './link.plan.js';
import { LinkRepository, type LinkScope } from './link.repository.js';

/** Attempts to create a link that other requests create and delete meanwhile. */
const ATTEMPTS = 5;

@Injectable()
export class LinkService {
  constructor(
    private readonly catalog: Catalog,
    private readonly repository: LinkRepository,
    private readonly systemLinks: SystemLinks,
    private readonly units: UnitService,
    private readonly rights: UnitRights,
  ) {}

  /**
   * Answers the link record, or for link types of the system the record of the kind. `read` parses the body, if the
   * request has one.
   */
  async create(scope: RequestScope, path: LinkPath, url: string, read?: () => Promise<unknown>): Promise<Answer> {
    const checkBody = read ? await this.#bodyCheck(scope, path, read) : () => undefined;
    const checkInput = () => {
      refuseQuery(url);
      checkBody();
    };
    const result = await this.#onUnits(scope, path, checkInput, (inside, plan) => this.#insert(inside, plan, path));
    if (typeof result === 'string') return new Answer(result);
    return this.#onModel(scope, path, { url, takes: NO_QUERY }, result, async (session) => {
      checkBody();
      const kindId = await result.add(session, path.parent, path.child);
      const kind = getBuiltInKind(session.model, KIND_KIND);
      return unitAnswer(kind, await this.rights.present(session, kind, kindId));
    });
  }

  /**
   * Reads the body after the rights are checked. The request does not count toward the limit of the project meanwhile.
   */
  async #bodyCheck(scope: RequestScope, path: LinkPath, read: () => Promise<unknown>): Promise<() => void> {
    const plan = async (model: Model): Promise<void> => void this.#planUnits({ ...scope, model }, path);
    await this.catalog.withModelOf(scope.project, path.parentKind, plan);
    return deferError(read);
  }

  async remove(scope: RequestScope, path: LinkPath, url: string): Promise<void> {
    const checkInput = () => refuseQuery(url);
    const systemLink = await this.#onUnits(scope, path, checkInput, (inside, plan) => this.#delete(inside, plan, path));
    if (systemLink === undefined) return;
    await this.#onModel(scope, path, { url, takes: CASCADE_QUERY }, systemLink, (session) =>
      systemLink.remove(session, path.parent, path.child),
    );
  }

  /** Links units of users' kinds within a session. */
  async createIn(session: Session, path: LinkPath): Promise<void> {
    const plan = this.#planUnits(session, path);
    if (isSystemLink(plan)) throw unknownType(path);
    await this.#insert(session, plan, path);
  }

  async removeIn(session: Session, path: LinkPath): Promise<void> {
    const plan = this.#planUnits(session, path);
    if (isSystemLink(plan)) throw unknownType(path);
    await this.#delete(session, plan, path);
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
    checkInput: () => void,
    work: (scope: LinkScope, plan: LinkPlan) => Promise<T>,
  ): Promise<T | SystemLink> {
    return this.catalog.withModelOf(scope.project, path.parentKind, async (model): Promise<T | SystemLink> => {
      const inside = { ...scope, model };
      const plan = this.#planUnits(inside, path);
      if (isSystemLink(plan)) return plan;
      await this.#check(inside, plan, path, checkInput);
      return work(inside, plan);
    });
  }

  /** Plans a link between units; returns the link type of the system if the path names kinds of the model. */
  #planUnits(scope: LinkScope, path: LinkPath): LinkPlan | SystemLink {
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
    if (!model.linkTypes.has(path.link))
      throw unknownType(path, didYouMean(path.link, suggestableLinkTypes(model, scope.caller)));
    checkHasTable(parent);
    checkHasTable(child);
    return planLink(scope, model, path, { parent, child, allowed: grant.predicate });
  }

  /** Missing units are reported before faults of query and body. */
  async #check(scope: LinkScope, plan: LinkPlan, path: LinkPath, checkInput: () => void): Promise<void> {
    try {
      checkInput();
    } catch (error) {
      checkEnds(await this.repository.find(scope, plan), plan, path, scope.caller);
      throw error;
    }
  }

  async #insert(scope: LinkScope, plan: LinkPlan, path: LinkPath): Promise<string> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const row = await this.repository.insert(scope, plan);
      checkEnds(row, plan, path, scope.caller);
      if (row.body !== null) return row.body;
    }
    throw retryLater('database.busy', 'The same link is made and deleted all the time');
  }

  async #delete(scope: LinkScope, plan: LinkPlan, path: LinkPath): Promise<undefined> {
    const row = await this.repository.delete(scope, plan);
    checkEnds(row, plan, path, scope.caller);
    if (row.body === null) throw refusal('link.unknown', 'No such link');
  }
}

/** Does the work now, and returns a function that throws its error. */
async function deferError(work: () => Promise<unknown>): Promise<() => void> {
  try {
    await work();
    return () => undefined;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

function isSystemLink(plan: LinkPlan | SystemLink): plan is SystemLink {
  return 'add' in plan;
}
