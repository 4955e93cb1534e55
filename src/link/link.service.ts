/** Links units. Kinds of the model have link types of the system, which other modules bring. */
import { Injectable } from '@nestjs/common';
import { checkActiveAndLocal, accessDenied, grantOf, suggestableLinkTypes, authorizeKind } from '../access/access.js';
import { Catalog } from '../catalog/catalog.service.js';
import { StaleModelError } from '../catalog/model/stale-model-error.js';
import { noteContention } from '../database/transaction/contention.js';
import { Database, type Executor } from '../database/database.js';
import { isDatabaseFault, isLockTimeout } from '../database/statement/sqlstate.js';
import { Answer } from '../http/answer/answer.js';
import { refuseQuery } from '../http/route/list-query.js';
import { CASCADE_QUERY, NO_QUERY } from '../http/route/query-names.js';
import { LINK_TABLE } from '../model/table/internal-tables.js';
import type { KindDef, Model } from '../model/model.js';
import { retryLater, KindError, refusal } from '../shared/errors.js';
import { didYouMean } from '../shared/did-you-mean.js';
import type { Statement } from '../sql/fragment.js';
import {
  deleteLinkStatement,
  findLinkStatement,
  insertLinkStatement,
  type LinkPlan,
  type LinkRow,
} from '../sql/link.sql.js';
import { keepVersionStatement } from '../sql/model.sql.js';
import type { Caller } from '../tenancy/caller.js';
import type { RequestScope } from '../tenancy/request-scope.js';
import { executorFor, timesOf } from '../unit/session/caller-executor.js';
import type { Session } from '../unit/session/session.js';
import { SystemLinks, type SystemLink } from '../unit/system-links.js';
import { parseKey, unknownUnit } from '../unit/session/unit-ids.js';
import { UnitRights } from '../unit/table/rights.js';
import { UnitService, type FlagQuery } from '../unit/unit.service.js';

export interface LinkPath {
  readonly parentKind: string;
  readonly parent: string;
  readonly link: string;
  readonly childKind: string;
  readonly child: string;
}

/** Times a link is asked for while others make and delete the same one. */
const ATTEMPTS = 5;

@Injectable()
export class LinkService {
  constructor(
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly systemLinks: SystemLinks,
    private readonly units: UnitService,
    private readonly rights: UnitRights,
  ) {}

  /**
   * Answers the link record, or for the system's link types the kind record. `read` reads a body where the request has
   * one.
   */
  async create(scope: RequestScope, path: LinkPath, url: string, read?: () => Promise<unknown>): Promise<Answer> {
    const body = read ? await this.#bodyOf(scope, path, read) : () => undefined;
    const checkInput = () => {
      refuseQuery(url);
      body();
    };
    const made = await this.#onUnits(scope, path, checkInput, (model, plan) => this.#insert(scope, model, plan, path));
    if (typeof made === 'string') return new Answer(made);
    return this.#onModel(scope, path, { url, takes: NO_QUERY }, made, (session) => {
      body();
      return made.add(session, path.parent, path.childKind, path.child);
    });
  }

  /** Who sends slowly holds no place among the project's requests meanwhile, and who may not link sends nothing. */
  async #bodyOf(scope: RequestScope, path: LinkPath, read: () => Promise<unknown>): Promise<() => void> {
    const plan = async (model: Model): Promise<void> => void this.#planUnits({ ...scope, model }, path);
    await this.catalog.withModelOf(scope.project, path.parentKind, plan);
    return outcomeOf(read);
  }

  async remove(scope: RequestScope, path: LinkPath, url: string): Promise<void> {
    const checkInput = () => refuseQuery(url);
    const gone = await this.#onUnits(scope, path, checkInput, (model, plan) => this.#delete(scope, model, plan, path));
    if (gone === undefined) return;
    await this.#onModel(scope, path, { url, takes: CASCADE_QUERY }, gone, (session) =>
      gone.remove(session, path.parent, path.childKind, path.child),
    );
  }

  /** Links units of users' kinds inside a session that is under way. */
  async createIn(session: Session, path: LinkPath): Promise<void> {
    const plan = this.#planUnits(session, path);
    if (isSystemLink(plan)) throw unknownType(path);
    await this.#insert(session, session.model, plan, path, session.executor);
  }

  async removeIn(session: Session, path: LinkPath): Promise<void> {
    const plan = this.#planUnits(session, path);
    if (isSystemLink(plan)) throw unknownType(path);
    await this.#delete(session, session.model, plan, path, session.executor);
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

  /** Runs `work` where the path names users' kinds; answers the system's link type where it names kinds of the model. */
  #onUnits<T>(
    scope: RequestScope,
    path: LinkPath,
    checkInput: () => void,
    work: (model: Model, plan: LinkPlan) => Promise<T>,
  ): Promise<T | SystemLink> {
    return this.catalog.withModelOf(scope.project, path.parentKind, async (model): Promise<T | SystemLink> => {
      const plan = this.#planUnits({ ...scope, model }, path);
      if (isSystemLink(plan)) return plan;
      await this.#check(scope, model, plan, path, checkInput);
      return work(model, plan);
    });
  }

  /** How the units of a path are linked; the system's link type where it names kinds of the model. */
  #planUnits(scope: Pick<Session, 'project' | 'caller' | 'model'>, path: LinkPath): LinkPlan | SystemLink {
    const { model } = scope;
    const { kind: parent, grant } = authorizeKind(model, path.parentKind, 'link', scope.caller);
    const system = this.systemLinks.find(path.parentKind, path.link, path.childKind);
    if (system) {
      authorizeKind(model, path.childKind, 'read', scope.caller);
      return system;
    }
    if (parent.builtIn) throw unknownType(path);
    const { kind: child } = authorizeKind(model, path.childKind, 'read', scope.caller);
    if (child.builtIn) throw unknownType(path);
    if (!model.linkTypes.has(path.link))
      throw unknownType(path, didYouMean(path.link, suggestableLinkTypes(model, scope.caller)));
    checkActiveAndLocal(parent);
    checkActiveAndLocal(child);
    return planLink(scope, model, path, { parent, child, allowed: grant.predicate });
  }

  /** Whether the units are there is answered before what is wrong with query and body. */
  async #check(
    scope: RequestScope,
    model: Model,
    plan: LinkPlan,
    path: LinkPath,
    checkInput: () => void,
  ): Promise<void> {
    try {
      checkInput();
    } catch (error) {
      judge(await this.#run(scope, findLinkStatement(plan), model), plan, path, scope.caller);
      throw error;
    }
  }

  async #insert(scope: RequestScope, model: Model, plan: LinkPlan, path: LinkPath, within?: Executor): Promise<string> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const row = await this.#run(scope, insertLinkStatement(plan), model, within);
      judge(row, plan, path, scope.caller);
      if (row.body !== null) return row.body;
    }
    throw retryLater('database.busy', 'The same link is made and deleted all the time');
  }

  async #delete(
    scope: RequestScope,
    model: Model,
    plan: LinkPlan,
    path: LinkPath,
    within?: Executor,
  ): Promise<undefined> {
    const row = await this.#run(scope, deleteLinkStatement(plan), model, within);
    judge(row, plan, path, scope.caller);
    if (row.body === null) throw refusal('link.unknown', 'No such link');
  }

  /** One statement is a transaction by itself; after a deadlock it is tried again as one. */
  async #run(
    { project: { schema }, caller }: RequestScope,
    statement: Statement,
    model: Model,
    within?: Executor,
  ): Promise<LinkRow> {
    within?.tx?.beforeCommit(keepVersionStatement(schema));
    try {
      return fresh(await (within ?? executorFor(this.database, caller)).run<LinkRow>(statement), model);
    } catch (error) {
      noteContention(error, () => ({ schema, table: LINK_TABLE }));
      if (isDatabaseFault(error) && error.code === '54000') throw tooLong();
      if (within || !(error instanceof KindError) || error.code !== 'database.busy') throw error;
      // It has waited for as long as a statement may.
      if (isLockTimeout(error.cause)) throw error;
    }
    const again = { isolation: 'read committed', ...timesOf(caller) } as const;
    return fresh(await this.database.transaction((tx) => tx.run<LinkRow>(statement), again), model);
  }
}

/** Does the work now; what it threw is thrown when the answered function is called. */
async function outcomeOf(work: () => Promise<unknown>): Promise<() => void> {
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

function unknownType({ parentKind, link, childKind }: LinkPath, hint = ''): KindError {
  const between = `from '${parentKind}' to '${childKind.slice(0, 80)}'`;
  return refusal('link.unknown', `No link type '${link.slice(0, 80)}' ${between}${hint}`);
}

interface Ends {
  readonly parent: KindDef;
  readonly child: KindDef;
  readonly allowed: LinkPlan['allowed'];
}

function planLink(scope: RequestScope, model: Model, path: LinkPath, { parent, child, allowed }: Ends): LinkPlan {
  const end = (kind: KindDef, id: string): LinkPlan['parent'] => {
    const key = parseKey(kind, id);
    if (key === undefined) throw unknownUnit(kind, id);
    const grant = grantOf(kind, 'read', scope.caller, model);
    return { kind, key, access: grant ? grant.predicate : { op: 'constant', value: false } };
  };
  return {
    schema: scope.project.schema,
    version: model.version,
    linkId: path.link,
    parent: end(parent, path.parent),
    child: end(child, path.child),
    allowed,
  };
}

/** @throws KindError 404 for a unit that the caller may not read, 401 or 403 for a parent that it may not link */
function judge(row: LinkRow, { parent, child }: LinkPlan, path: LinkPath, caller: Caller): void {
  if (!row.parent) throw unknownUnit(parent.kind, path.parent);
  if (!row.allowed) throw accessDenied(caller, `You may not link this unit of '${parent.kind.id}'`);
  if (!row.child) throw unknownUnit(child.kind, path.child);
}

function fresh(rows: readonly LinkRow[], model: Model): LinkRow {
  const [row] = rows;
  if (!row || Number(row.v) !== model.version) throw new StaleModelError();
  return row;
}

function tooLong(): KindError {
  return refusal('unit.conflict', 'The ids of both units are too long for a link: together at most some 2,500 bytes');
}
