/** Writes units for the endpoints: checks rights, then the state of the kind, then the input; then calls the store. */
import { Injectable } from '@nestjs/common';
import { authorizeKind } from '../access/access.js';
import type { Operation } from '../model/built-in-traits.js';
import { Catalog } from '../catalog/catalog.service.js';
import { DefinitionChangeService } from '../catalog/definition/definition-change.service.js';
import { Database } from '../database/database.js';
import { NULL_ANSWER, type Answer } from '../http/answer/answer.js';
import { parseBody, type ReceivedBody } from '../http/body/read-body.js';
import { expectedVersions } from '../http/answer/etag.js';
import { parseFlags, readQuery, urlQueryParameters } from '../http/route/parse-list-query.js';
import { parseMatchingQuery } from '../http/route/parse-matching-query.js';
import { isUpsert, parseUpsertQuery } from '../http/route/parse-upsert-query.js';
import { CASCADE_QUERY, NO_QUERY, type QueryName } from '../http/route/query-names.js';
import type { KindDef, Model } from '../model/model.js';
import { EventLoopYield } from '../shared/event-loop-yield.js';
import { refusal } from '../shared/errors.js';
import type { Isolation } from '../sql/server/transaction.sql.js';
import type { MaybePromise } from '../shared/maybe-promise.js';
import { runYielding } from '../shared/work-in-pieces.js';
import { knowsWholeProject } from '../tenancy/caller.js';
import type { RequestScope } from '../tenancy/request-scope.js';
import type { BodyLimit } from '../tenancy/request-bodies.js';
import { Behaviors } from './draft/behavior.js';
import { unitAnswer } from './table/read/presentation-version.js';
import { deploymentOf, executorFor, requestIdOf, requestSession, usedBy } from './session/caller-executor.js';
import type { Session } from './session/session.js';
import { affectedAnswer, bulkAnswer, createdAnswer, manyUpserted, onlyOne, upserted } from './write-answers.js';
import { bodiesOf, objectReader } from './write-bodies.js';
import { UnitReader } from './unit.reader.js';
import { UnitRights } from './table/rights.js';
import type { UnitOperation, WriteOptions } from './store/unit-store.js';
import { UnitStores } from './unit-stores.js';
import { withCompleteRefusal } from './draft/complete-refusal.js';

/** The parts of an HTTP request that a write needs. */
export interface WriteRequest {
  readonly url: string;
  /** Reads the body. Called after the rights were checked, and before a transaction begins. */
  readonly bytes: (limit: BodyLimit) => Promise<ReceivedBody>;
  readonly contentType: string | undefined;
  readonly ifMatch: string | undefined;
}

/** The URL of a write, and the query parameters that it may have, which are all flags. */
export interface FlagQuery {
  readonly url: string;
  readonly takes: readonly QueryName[];
}

type WriteWork = (session: Session, kind: KindDef, options: WriteOptions, bytes: ReceivedBody) => Promise<Answer>;

/** A write whose units a query selects. */
interface SpecialWrite {
  /** Any of which the caller needs; left out if it is that of the operation. */
  readonly rights?: readonly Operation[];
  /** The isolation level, where the store needs none. */
  readonly isolation?: Isolation;
  /** Refuses kinds whose units cannot be written so. */
  readonly check: (kind: KindDef) => void;
}

const MATCHING: SpecialWrite = {
  check: ({ id, storage, builtIn }) => {
    const code = builtIn ? 'route.method' : 'kind.not_allowed_here';
    if (!storage.bulk) throw refusal(code, `Units of '${id}' are written one by one`);
  },
};

@Injectable()
export class UnitService {
  constructor(
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly changes: DefinitionChangeService,
    private readonly behaviors: Behaviors,
    private readonly rights: UnitRights,
    private readonly stores: UnitStores,
    private readonly reader: UnitReader,
  ) {}

  create(scope: RequestScope, kindId: string, request: WriteRequest): Promise<Answer> {
    if (isUpsert(request.url)) return this.upsert(scope, kindId, request);
    return this.#write(scope, kindId, 'create', undefined, request, async (session, kind, { access }, bytes) => {
      const body = await parseBody(bytes, request.contentType, scope.project.schema);
      const { bodies, bulk } = await runYielding(bodiesOf(body, kind), new EventLoopYield(scope.project.schema));
      const rows = await this.stores.of(kind).insert(session, kind, bodies, { bulk, access });
      return bulk ? bulkAnswer(rows) : createdAnswer(kind, onlyOne(rows));
    });
  }

  update(scope: RequestScope, kindId: string, unitId: string, request: WriteRequest): Promise<Answer> {
    return this.#write(scope, kindId, 'update', unitId, request, async (session, kind, options, bytes) => {
      const read = objectReader(scope, request, bytes);
      return unitAnswer(kind, await this.stores.of(kind).update(session, kind, unitId, read, options));
    });
  }

  remove(scope: RequestScope, kindId: string, unitId: string, request: WriteRequest): Promise<Answer> {
    return this.#write(scope, kindId, 'delete', unitId, request, async (session, kind, options) => {
      await this.stores.of(kind).remove(session, kind, unitId, options);
      return NULL_ANSWER;
    });
  }

  /** A create that edits or leaves units that exist. */
  upsert(scope: RequestScope, kindId: string, request: WriteRequest): Promise<Answer> {
    const write: WriteWork = async (session, kind, _, bytes) => {
      refuseIfMatch(request, 'on_conflict');
      const body = await parseBody(bytes, request.contentType, scope.project.schema);
      const { bodies, bulk } = await runYielding(bodiesOf(body, kind), new EventLoopYield(scope.project.schema));
      const query = parseUpsertQuery(urlQueryParameters(request.url));
      const rows = await this.stores.of(kind).upsert(session, kind, bodies, query, { bulk });
      return bulk ? manyUpserted(rows) : upserted(kind, onlyOne(rows));
    };
    return this.#write(scope, kindId, 'create', undefined, request, write, {
      rights: ['create', 'update'],
      isolation: 'repeatable read',
      check: (kind) => void (kind.storage.bulk || readQuery(request.url, NO_QUERY)),
    });
  }

  updateMatching(scope: RequestScope, kindId: string, request: WriteRequest): Promise<Answer> {
    const write: WriteWork = async (session, kind, options, bytes) => {
      refuseIfMatch(request, 'a filter');
      const read = objectReader(scope, request, bytes);
      const query = parseMatchingQuery(urlQueryParameters(request.url));
      return affectedAnswer(await this.stores.of(kind).updateAll(session, kind, query, read, options));
    };
    return this.#write(scope, kindId, 'update', undefined, request, write, MATCHING);
  }

  removeMatching(scope: RequestScope, kindId: string, request: WriteRequest): Promise<Answer> {
    const write: WriteWork = async (session, kind, options) => {
      refuseIfMatch(request, 'a filter');
      const query = parseMatchingQuery(urlQueryParameters(request.url));
      return affectedAnswer(await this.stores.of(kind).removeAll(session, kind, query, options));
    };
    return this.#write(scope, kindId, 'delete', undefined, request, write, MATCHING);
  }

  /**
   * Checks whether the caller may write, reads the body, then checks again and writes: in a definition change, or through
   * the store. While the body arrives, or a definition change waits for its turn, the request holds no
   * connection.
   * @param special of writes whose query `work` parses
   */
  async #write(
    scope: RequestScope,
    kindId: string,
    operation: Extract<Operation, UnitOperation>,
    unitId: string | undefined,
    request: WriteRequest,
    work: WriteWork,
    special?: SpecialWrite,
  ): Promise<Answer> {
    const { project, caller } = scope;
    const deployment = scope.enclosing ? deploymentOf(scope) : this.behaviors.deployment;
    const executor = executorFor(this.database, scope);
    const open = (model: Model) => {
      const { kind, grant } = authorizeKind(model, kindId, special?.rights ?? operation, caller);
      special?.check(kind);
      const { dry, deletions } = scope.enclosing ?? {};
      const trial = { ...(dry && { dry }), ...(deletions && { deletions }) };
      const session: Session = { project, caller, ...requestIdOf(scope), ...deployment, ...trial, model, executor };
      this.stores.of(kind).checkState(kind, session, operation);
      return { kind, session, access: grant.predicate };
    };
    const { definition, limit, transactional, secret } = await this.catalog.withCachedModel(scope, (model) => {
      const { kind, session } = open(model);
      const behaviors = this.behaviors.of(kind, session);
      // For an edit this is called later: a missing unit is reported first.
      if (operation === 'create') for (const behavior of behaviors) behavior.ready?.();
      const bodyLimit: BodyLimit = kind.builtIn ? 'bodyLimit' : 'bodyLimitUnits';
      const { transactional: joins } = kind.storage;
      return {
        definition: behaviors.some((behavior) => behavior.definition),
        limit: bodyLimit,
        transactional: joins,
        secret: operation === 'create' && kind.traits.secret !== undefined,
      };
    });
    if (definition) scope.enclosing?.admit('definition', kindId);
    else if (!transactional) scope.enclosing?.admit('remote', kindId);
    else if (secret) scope.enclosing?.admit('secret', kindId);
    const query = { url: request.url, takes: flagNames(operation, definition) };
    const tags = expectedVersions(request.ifMatch);
    if (definition) {
      const cascade = await this.catalog.withModel(scope, async (model) => {
        const { kind, session } = open(model);
        return this.#cascade(session, kind, unitId, query);
      });
      const bytes = await request.bytes(limit);
      return this.#change(scope, cascade, (session) => {
        const { kind, access } = open(session.model);
        return work(session, kind, { access, tags }, bytes);
      });
    }
    const bytes = await request.bytes(limit);
    return this.catalog.withModel(scope, (model) => {
      const { kind, session, access } = open(model);
      const write = (within: Session) => work(within, kind, { access, tags }, bytes);
      const store = this.stores.of(kind);
      return store.run(scope, model, async () => {
        if (!special) await this.#cascade(session, kind, unitId, query);
        const isolation = store.isolation(session, kind, operation) ?? special?.isolation;
        if (!isolation || executor.tx) return write(session);
        const about = () => (unitId === undefined ? undefined : `${project.id} ${operation} ${kind.id} ${unitId}`);
        const [long, runs] = [this.behaviors.haveHooks(kind, session), this.database.runs({ workKey: about })];
        const options = { ...usedBy(scope), isolation, long, runs };
        return withCompleteRefusal(this.database, () =>
          this.database.transaction((tx) => write({ ...session, executor: tx }), options),
        );
      });
    });
  }

  /**
   * Parses the flag `cascade`. A missing unit, or one that cannot be written now, is reported before faults of the
   * query.
   */
  #cascade(session: Session, kind: KindDef, unitId: string | undefined, query: FlagQuery): MaybePromise<boolean> {
    try {
      return parseFlags(query.url, query.takes).has('cascade');
    } catch (error) {
      return this.#refuseQuery(session, kind, unitId, error);
    }
  }

  async #refuseQuery(session: Session, kind: KindDef, unitId: string | undefined, fault: unknown): Promise<never> {
    if (unitId !== undefined) await this.reader.checkExists(session, kind, unitId);
    for (const behavior of this.behaviors.of(kind, session)) behavior.ready?.();
    throw fault;
  }

  /**
   * Runs work that changes definitions in more than one unit, such as adding a kind to a group. `check` reports missing
   * units, before faults of the query.
   */
  async define<T>(
    scope: RequestScope,
    rights: { readonly kindId: string; readonly unitId: string; readonly operation: Operation },
    query: FlagQuery,
    steps: { check(session: Session): Promise<void>; work(session: Session): Promise<T> },
  ): Promise<T> {
    const { kindId, unitId, operation } = rights;
    const checkAll = async (session: Session): Promise<void> => {
      const { kind, grant } = authorizeKind(session.model, kindId, operation, scope.caller);
      await this.rights.checkUnit(session, kind, unitId, grant.predicate, operation);
      await steps.check(session);
    };
    const cascade = await this.catalog.withModel(scope, async (model) => {
      authorizeKind(model, kindId, operation, scope.caller);
      scope.enclosing?.admit('definition', kindId);
      try {
        return parseFlags(query.url, query.takes).has('cascade');
      } catch (error) {
        await checkAll(requestSession(this.database, scope, model));
        throw error;
      }
    });
    return this.#change(scope, cascade, async (session) => {
      await checkAll(session);
      return steps.work(session);
    });
  }

  /** Runs a definition change. It reads the model again under its lock, and rights are checked with that model. */
  #change<T>(scope: RequestScope, cascade: boolean, work: (session: Session) => Promise<T>): Promise<T> {
    const { project, caller, aroundChange: around, reportChange: report } = scope;
    const options = { cascade, tellCounts: knowsWholeProject(caller), caller, ...requestIdOf(scope) };
    if (scope.enclosing) throw new Error('definitions are changed in a transaction of their own');
    return this.catalog.inProject(project, () =>
      this.changes.change(project, { ...options, ...(around && { around }), ...(report && { report }) }, (change) =>
        work({ project, caller, ...requestIdOf(scope), model: change.before, executor: change.tx, change }),
      ),
    );
  }
}

/** Only deletions, and edits of definitions, can lose data: only they have `cascade`. */
function flagNames(operation: Operation, definition: boolean): readonly QueryName[] {
  return operation === 'delete' || (operation === 'update' && definition) ? CASCADE_QUERY : NO_QUERY;
}

function refuseIfMatch({ ifMatch }: WriteRequest, where: string): void {
  if (ifMatch === undefined) return;
  throw refusal('header.not_here', `If-Match names the version of one unit: not with ${where}`);
}
