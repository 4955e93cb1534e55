/** The commands that write units: they check rights, then the state of the kind, then the input; then they call the store. */
import { Injectable } from '@nestjs/common';
import { authorizeKind } from '../access/access.js';
import { refuseTogether } from '../access/written-alone.js';
import { Database } from '../database/database.js';
import { type Answer, NULL_ANSWER } from '../http/answer/answer.js';
import { expectedVersions } from '../http/answer/etag.js';
import { parseBody, ParsedBody, type ReceivedBody } from '../http/body/read-body.js';
import { isPlainQuery, parseFlags, readQuery, urlQueryParameters } from '../http/route/parse-list-query.js';
import { parseMatchingQuery, isUpsert, parseUpsertQuery } from '../http/route/parse-write-query.js';
import {
  CASCADE_QUERY,
  NO_QUERY,
  PLAIN_WRITE_QUERY,
  type QueryName,
  WRITTEN_QUERY,
} from '../http/route/query-names.js';
import type { Operation } from '../model/built-in-traits.js';
import { RENAME_TO } from '../model/rename/renames.js';
import { getBuiltInKind, isDefinitionKind, type KindDef, referencesOf } from '../model/model.js';
import type { Command, Opened, Plan } from '../run/command.js';
import { inTransaction } from '../catalog/session/executors.js';
import type { Session } from '../catalog/session/session.js';
import { EventLoopYield } from '../shared/event-loop-yield.js';
import { refusal } from '../shared/errors.js';
import { andThen, type MaybePromise, runYielding, type WorkInPieces } from '../shared/work-in-pieces.js';
import type { Isolation } from '../sql/server/transaction.sql.js';
import { Behaviors, type WriteAhead } from './draft/behavior.js';
import type { UnitOperation, WriteOptions } from './store/unit-store.js';
import { checkUnit, mustBeWritable } from './table/rights.js';
import { showsMore } from './query/answer.plan.js';
import { ReadCommands } from './read.commands.js';
import { UnitStores } from './unit-stores.js';
import {
  affectedAnswer,
  bulkAnswer,
  createdAnswer,
  manyUpserted,
  onlyOne,
  unitAnswer,
  upserted,
} from './unit-answers.js';
import type { ReadPlan } from '../sql/list/select.sql.js';
import { WritesAhead } from './writes-ahead.js';
import { planWrittenUnits, shownUnits } from './written-units.js';
import { deletionEffects } from './table/write/deletion-report.js';
import { isPlainObject, parsedObject, typeName } from '../shared/json.js';
import { LIMITS } from '../shared/limits.js';
import { type Body, bodyOf } from './draft/draft.js';
import type { NotObject } from './draft/drafter.js';

/** The parts of an HTTP request that a write needs. */
export interface WriteRequest {
  readonly url: string;
  readonly contentType: string | undefined;
  readonly ifMatch: string | undefined;
  /** Of a unit that is put back as it was: objects are values, and a new unit keeps its id and the time of its creation. */
  readonly back?: { readonly insertedAt?: string | undefined };
}

/** The URL of a write, and the query parameters that it may have, which are all flags. */
export interface FlagQuery {
  readonly url: string;
  readonly takes: readonly QueryName[];
}

type WorkWithin = Plan['run'];
/** @param plan what is answered of the units; undefined for all */
type WriteWork = (
  session: Session,
  kind: KindDef,
  options: WriteOptions,
  bytes: ReceivedBody,
  plan: ReadPlan | undefined,
) => Promise<Answer>;

interface WriteTarget {
  readonly kindId: string;
  readonly unitId?: string;
  readonly operation: Extract<Operation, UnitOperation>;
  readonly request: WriteRequest;
  /** Any of which the caller needs; left out if it is that of the operation. */
  readonly rights?: readonly Operation[];
  /** The isolation level, where the store needs none. */
  readonly isolation?: Isolation;
  /** Of writes whose units a query selects: refuses kinds whose units cannot be written so. */
  readonly check?: (kind: KindDef) => void;
  /** Whether behaviors get its body before its transaction. */
  readonly ahead?: boolean;
}

@Injectable()
export class WriteCommands {
  constructor(
    private readonly database: Database,
    private readonly behaviors: Behaviors,
    private readonly stores: UnitStores,
    private readonly reader: ReadCommands,
    private readonly writesAhead: WritesAhead,
  ) {}

  create(kindId: string, request: WriteRequest): Command {
    if (isUpsert(request.url)) return this.upsert(kindId, request);
    const target: WriteTarget = { kindId, operation: 'create', request, ahead: !request.back };
    return this.#write(target, async (session, kind, { access }, bytes, plan) => {
      const { bodies, bulk } = await readBodies(session, kind, request, bytes);
      const written = await this.stores
        .of(kind)
        .creates.create(session, kind, bodies, { bulk, access, ...keptOf(request) });
      const rows = await shownUnits(session, plan, written);
      if (bulk) return bulkAnswer(rows);
      const row = onlyOne(rows);
      return createdAnswer(kind, row, plan && showsMore(plan));
    });
  }

  update(kindId: string, unitId: string, request: WriteRequest): Command {
    const target: WriteTarget = { kindId, unitId, operation: 'update', request, ahead: !request.back };
    return this.#write(target, async (session, kind, options, bytes, plan) => {
      const read = objectReader(session, request, bytes);
      const literal = request.back !== undefined;
      const renamed = isDefinitionKind(kind) && (await this.#rename(session, kind, unitId, read, options));
      const { updates } = this.stores.of(kind);
      const written = renamed
        ? await updates.update(renamed.session, renamed.kind, renamed.id, renamed.read, renamed.options)
        : await updates.update(session, kind, unitId, read, { ...options, literal });
      const row = onlyOne(await shownUnits(session, plan, [written]));
      return unitAnswer(kind, row, plan && showsMore(plan));
    });
  }

  /** Gives a definition another id where the body asks for it. Returns how the edit goes on; undefined if it doesn't. */
  async #rename(session: Session, kind: KindDef, id: string, read: () => MaybePromise<Body>, options: WriteOptions) {
    const renaming = this.behaviors.of(kind, session).find((each) => each.rename !== undefined);
    if (!renaming?.rename) return undefined;
    // Whether the unit may be changed is told before faults of the body.
    await mustBeWritable(session, kind, id, options, 'update');
    const body = await read();
    if (!body.has(RENAME_TO)) return undefined;
    const renamed = await renaming.rename(kind, id, body.get(RENAME_TO), session);
    const others = new Map([...body].filter(([key]) => key !== RENAME_TO));
    const now = getBuiltInKind(renamed.session.model, kind.id);
    return { ...renamed, kind: now, read: () => others, options: { access: options.access } };
  }

  remove(kindId: string, unitId: string, request: WriteRequest): Command {
    return this.#write({ kindId, unitId, operation: 'delete', request }, async (session, kind, options) => {
      await this.stores.of(kind).deletions.delete(session, kind, unitId, options);
      return NULL_ANSWER;
    });
  }

  /** A create that edits or leaves units that exist. */
  upsert(kindId: string, request: WriteRequest): Command {
    const target: WriteTarget = {
      kindId,
      operation: 'create',
      request,
      rights: ['create', 'update'],
      isolation: 'repeatable read',
      check: (kind) => void (kind.storage.bulk || readQuery(request.url, NO_QUERY)),
    };
    return this.#write(target, async (session, kind, _, bytes) => {
      refuseIfMatch(request, 'on_conflict');
      const { bodies, bulk } = await readBodies(session, kind, request, bytes);
      const parameters = urlQueryParameters(request.url);
      const plan = planWrittenUnits(session, kind, parameters);
      const query = parseUpsertQuery(parameters);
      const written = await this.stores.of(kind).upserts.upsert(session, kind, bodies, query, { bulk });
      const rows = await shownUnits(session, plan, written);
      if (bulk) return manyUpserted(rows);
      const row = onlyOne(rows);
      return upserted(kind, row, plan && showsMore(plan));
    });
  }

  updateMatching(kindId: string, request: WriteRequest): Command {
    const target: WriteTarget = { kindId, operation: 'update', request, check: refuseWithoutBulk };
    return this.#write(target, async (session, kind, options, bytes) => {
      refuseIfMatch(request, 'a filter');
      const read = objectReader(session, request, bytes);
      const query = parseMatchingQuery(urlQueryParameters(request.url));
      return affectedAnswer(await this.stores.of(kind).matching.updateAll(session, kind, query, read, options));
    });
  }

  removeMatching(kindId: string, request: WriteRequest): Command {
    const target: WriteTarget = { kindId, operation: 'delete', request, check: refuseWithoutBulk };
    return this.#write(target, async (session, kind, options) => {
      refuseIfMatch(request, 'a filter');
      const query = parseMatchingQuery(urlQueryParameters(request.url));
      return affectedAnswer(await this.stores.of(kind).matching.removeAll(session, kind, query, options));
    });
  }

  #write(target: WriteTarget, work: WriteWork): Command {
    return { authorize: (opened) => this.#plan(target, work, opened) };
  }

  #plan(target: WriteTarget, work: WriteWork, opened: Opened): Plan {
    const { kindId, operation, request, rights = operation, check } = target;
    const { kind, grant } = authorizeKind(opened.model, kindId, rights, opened.caller);
    if (check) refuseTogether(kind);
    check?.(kind);
    this.stores.of(kind).checkState(kind, opened, operation);
    const behaviors = this.behaviors.of(kind, opened);
    // For an edit this is called later: a missing unit is reported first.
    if (operation === 'create') for (const behavior of behaviors) behavior.ready?.();
    const options = { access: grant.predicate, tags: expectedVersions(request.ifMatch) };
    const run = (session: Session, bytes: ReceivedBody, plan?: ReadPlan) => work(session, kind, options, bytes, plan);
    const common = {
      kindId,
      shows: isPlainQuery(urlQueryParameters(request.url), PLAIN_WRITE_QUERY) ? 'units' : undefined,
      body: kind.builtIn ? 'bodyLimit' : 'bodyLimitUnits',
      ...(operation === 'delete' && { effects: deletionEffects }),
    } as const;
    if (behaviors.some((behavior) => behavior.definition)) {
      const prepare = (session: Session) => this.#cascade(session, kind, target);
      return { ...common, effect: 'definition', prepare, run: (session, bytes) => run(session, bytes) };
    }
    const { transactional } = kind.storage;
    return {
      ...common,
      effect: transactional ? 'write' : 'outside',
      once: !transactional,
      secret: operation === 'create' && kind.traits.secret !== undefined,
      ...this.#ahead(opened, kind, target, options),
      run: (session, bytes) => this.#run(session, kind, target, bytes, (within, plan) => run(within, bytes, plan)),
    };
  }

  #ahead(
    opened: Opened,
    kind: KindDef,
    { request, unitId, ahead = false }: WriteTarget,
    conditions: WriteAhead['conditions'],
  ): Pick<Plan, 'ahead'> {
    if (!ahead || !this.writesAhead.concern(kind, opened.model)) return {};
    const target = { kind, conditions, ...(unitId !== undefined && { id: unitId }) };
    return {
      ahead: (session, bytes, write) => this.writesAhead.of(bytes, request.contentType, { ...target, session, write }),
    };
  }

  async #run(
    session: Session,
    kind: KindDef,
    target: WriteTarget,
    bytes: ReceivedBody,
    write: (session: Session, plan: ReadPlan | undefined) => Promise<Answer>,
  ): Promise<Answer> {
    const { operation, unitId, check } = target;
    // Those that a query selects parse it themselves.
    const plan = check ? undefined : await this.#query(session, kind, target);
    // What is answered is read in the transaction of the write.
    const own = this.stores.of(kind).isolation(session, kind, operation) ?? target.isolation;
    const isolation = own ?? (plan && 'read committed');
    if (!isolation) return write(session, plan);
    const about = () => {
      const same = unitId ?? (operation === 'create' ? referredBy(kind, bytes) : undefined);
      return same === undefined ? undefined : `${operation} ${kind.id} ${same}`;
    };
    const long = this.behaviors.haveHooks(kind, session);
    return inTransaction(this.database, session, { isolation, long, about }, (within) => write(within, plan));
  }

  /** Parses a query without flags: what is answered. */
  #query(session: Session, kind: KindDef, target: WriteTarget): MaybePromise<ReadPlan | undefined> {
    const { request, unitId, operation } = target;
    const others = kind.storage.bulk && operation !== 'delete' ? WRITTEN_QUERY : NO_QUERY;
    try {
      parseFlags(request.url, flagNames(operation, false), others);
      return others.length > 0 ? planWrittenUnits(session, kind, urlQueryParameters(request.url)) : undefined;
    } catch (error) {
      return this.#refuseQuery(session, kind, unitId, error);
    }
  }

  /**
   * Parses the flag `cascade`. A missing unit, or one that cannot be written now, is reported before faults of the
   * query.
   */
  #cascade(session: Session, kind: KindDef, target: WriteTarget): MaybePromise<boolean> {
    try {
      return parseFlags(target.request.url, flagNames(target.operation, true)).has('cascade');
    } catch (error) {
      return this.#refuseQuery(session, kind, target.unitId, error);
    }
  }

  async #refuseQuery(session: Session, kind: KindDef, unitId: string | undefined, fault: unknown): Promise<never> {
    if (unitId !== undefined) await this.reader.checkExists(session, kind, unitId);
    this.behaviors.checkReady(kind, session);
    throw fault;
  }

  /**
   * Changes definitions in more than one unit, such as adding a kind to a group. `check` reports missing units, before
   * faults of the query.
   */
  define(
    rights: { readonly kindId: string; readonly unitId: string; readonly operation: Operation },
    query: FlagQuery,
    steps: Pick<Plan, 'body' | 'run'> & { check(session: Session): Promise<void> },
  ): Command {
    const { kindId, unitId, operation } = rights;
    return {
      authorize: ({ model, caller }) => {
        const { kind, grant } = authorizeKind(model, kindId, operation, caller);
        const checkAll = async (session: Session): Promise<void> => {
          await checkUnit(session, kind, unitId, grant.predicate, operation);
          await steps.check(session);
        };
        const prepare = async (session: Session): Promise<boolean> => {
          try {
            return parseFlags(query.url, query.takes).has('cascade');
          } catch (error) {
            await checkAll(session);
            throw error;
          }
        };
        const run: WorkWithin = async (session, body) => {
          await checkAll(session);
          return steps.run(session, body);
        };
        return { effect: 'definition', kindId, shows: 'units', body: steps.body, prepare, run };
      },
    };
  }
}

/** Bytes. Longer bodies are not parsed a second time to find their references. */
const SHORT_BODY = 16 * 1024;

/**
 * The units that a new one refers to: hooks of creates that refer to the same ones probably change the same units.
 * Undefined for none, and for several units in one body.
 */
function referredBy(kind: KindDef, bytes: ReceivedBody): string | undefined {
  if (Buffer.isBuffer(bytes) && bytes.length > SHORT_BODY) return undefined;
  const body = bytes instanceof ParsedBody ? bytes.value : parsedObject(String(bytes));
  if (!isPlainObject(body)) return undefined;
  const ids = referencesOf(kind).map(({ id }) => {
    const given = body[id];
    return typeof given === 'string' || typeof given === 'number' ? String(given) : null;
  });
  return ids.some((id) => id !== null) ? JSON.stringify(ids) : undefined;
}

function keptOf({ back }: WriteRequest): Pick<WriteOptions, 'keepIds' | 'insertedAt'> {
  return back ? { keepIds: true, insertedAt: back.insertedAt } : {};
}

async function readBodies(session: Session, kind: KindDef, { contentType }: WriteRequest, bytes: ReceivedBody) {
  const { schema } = session.project;
  return runYielding(bodiesOf(await parseBody(bytes, contentType, schema), kind), new EventLoopYield(schema));
}

function refuseWithoutBulk({ id, storage, builtIn }: KindDef): void {
  const code = builtIn ? 'route.method' : 'kind.not_allowed_here';
  if (!storage.bulk) throw refusal(code, `Units of '${id}' are written one by one`);
}

/** Only deletions, and edits of definitions, can lose data: only they have `cascade`. */
function flagNames(operation: Operation, definition: boolean): readonly QueryName[] {
  return operation === 'delete' || (operation === 'update' && definition) ? CASCADE_QUERY : NO_QUERY;
}

function refuseIfMatch({ ifMatch }: WriteRequest, where: string): void {
  if (ifMatch === undefined) return;
  throw refusal('header.not_here', `If-Match names the version of one unit: not with ${where}`);
}

/** Parses the body of an edit when it is first read. */
function objectReader(
  { project }: Pick<Session, 'project'>,
  { contentType }: { readonly contentType: string | undefined },
  bytes: ReceivedBody,
): () => MaybePromise<Body> {
  let body: MaybePromise<Body> | undefined;
  return () => (body ??= andThen(parseBody(bytes, contentType, project.schema), objectBody));
}

function objectBody(value: unknown): Body {
  if (isPlainObject(value)) return bodyOf(value);
  throw refusal(
    'body.not_object',
    `The body must be a JSON object, got ${value === undefined ? 'none' : typeName(value)}`,
  );
}

/** Reads one object, or for users' kinds a list of objects. @throws KindError 400 */
function* bodiesOf(value: unknown, kind: KindDef): WorkInPieces<{ bodies: (Body | NotObject)[]; bulk: boolean }> {
  if (Array.isArray(value)) refuseTogether(kind);
  if (!Array.isArray(value) || !kind.storage.bulk) return { bodies: [objectBody(value)], bulk: false };
  if (value.length > LIMITS.bulk) {
    throw refusal('body.too_many', `At most ${LIMITS.bulk} objects in one body, got ${value.length}`);
  }
  const bodies: (Body | NotObject)[] = [];
  for (const item of value as unknown[]) {
    bodies.push(isPlainObject(item) ? bodyOf(item) : { actualType: typeName(item) });
    if (bodies.length % 64 === 0) yield;
  }
  return { bodies, bulk: true };
}
