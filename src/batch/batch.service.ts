/** The command that runs the operations of a batch in one transaction, each by the command of its route. */
import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { checkMemberKind } from '../access/access.js';
import { refuseTogether } from '../access/written-alone.js';
import { Database } from '../database/database.js';
import { ENVELOPE_END, inPieces, type Answer } from '../http/answer/answer.js';
import { readJson } from '../http/body/json-pieces.js';
import { parseBody, ParsedBody, type ReceivedBody } from '../http/body/read-body.js';
import { currentOperation } from '../http/server/error.responder.js';
import type { HttpRequest } from '../http/request/request.js';
import type { RouteTag } from '../http/route/api-route.js';
import { refuseQuery } from '../http/route/parse-list-query.js';
import type { QueryName } from '../http/route/query-names.js';
import { InnerRoutes, type InnerRoute } from '../http/server/inner-routes.js';
import { Faults, isMissingRight, KindError, refusal } from '../shared/errors.js';
import { EventLoopYield } from '../shared/event-loop-yield.js';
import type { Ending } from '../shared/ending.js';
import type { Json } from '../shared/json.js';
import { LIMITS } from '../shared/limits.js';
import { answerTooLarge } from '../shared/response-size.js';
import { runYielding } from '../shared/work-in-pieces.js';
import { isCommand, type Command, type Opened, type Plan } from '../run/command.js';
import { endOfBatch, inTransaction } from '../catalog/session/executors.js';
import { secretRefusal } from '../run/idempotency-keys.js';
import { Runner } from '../run/runner.js';
import type { Session } from '../catalog/session/session.js';
import { deletionEffects } from '../unit/table/write/deletion-report.js';
import { readBatch, type BatchOperation, type GivenBatch } from './batch.request.js';
import { fillBody, fillPath, pathReferences, ReferenceBudget, withoutReferences } from './references.js';

/** The routes that a batch may call. Of definitions, those that only read. */
const TAGS: ReadonlySet<RouteTag> = new Set([
  'Units',
  'Files',
  'Groups',
  'Links',
  'Functions',
  'Kinds',
  'Parameters',
  'Changes',
]);

const PREFIX = '/api/lib';

/** A batch after what comes before its transaction. */
class PreparedBatch extends ParsedBody {
  constructor(readonly batch: GivenBatch) {
    super(batch.operations);
  }
}

@Injectable()
export class BatchService {
  constructor(
    private readonly routes: InnerRoutes,
    private readonly runner: Runner,
    private readonly database: Database,
  ) {}

  /** @param request the request of the batch, whose errors name the operation that failed */
  run(request: HttpRequest): Command {
    const given = async ({ project }: Opened, bytes: ReceivedBody): Promise<GivenBatch> => {
      refuseQuery(request.url);
      const body = await parseBody(bytes, request.headers['content-type'], project.schema);
      const batch = await runYielding(readBatch(body), new EventLoopYield(project.schema));
      this.#checkRoutes(batch, request);
      return batch;
    };
    return {
      authorize: ({ model, caller }) => {
        // Each operation checks this too, but a batch can be empty or malformed.
        checkMemberKind(model, caller);
        return {
          effect: 'write',
          body: 'bodyLimitUnits',
          effects: deletionEffects,
          recheck: async (opened, bytes) => this.#checkRights(opened, request, await given(opened, bytes)),
          ahead: async (session, bytes, write) =>
            new PreparedBatch(await this.#ahead(session, request, await given(session, bytes), write)),
          run: async (session, bytes) => {
            const batch = bytes instanceof PreparedBatch ? bytes.batch : await given(session, bytes);
            // Hooks that look at contents before have a time of their own.
            const needs = { long: true, about: () => keyOf(batch), until: endOfBatch() };
            return inTransaction(this.database, session, needs, (within) => this.#runAll(within, request, batch));
          },
        };
      },
    };
  }

  /** Refuses routes that no batch may call, before anything is done. Routes of paths with references are checked later. */
  #checkRoutes({ operations }: GivenBatch, request: HttpRequest): void {
    const refused = operations.flatMap(({ method, path }, operation) => {
      currentOperation.set(request, operation);
      const error = pathReferences(path).length > 0 ? undefined : this.#refusalOf(method, path);
      return error ? [{ error, operation }] : [];
    });
    const [first, ...others] = refused;
    currentOperation.set(request, others.length === 0 ? first?.operation : undefined);
    if (!first) return;
    if (others.length === 0) throw first.error;
    const faults = new Faults();
    for (const { error, operation } of refused) faults.addAll(error, { operation });
    faults.throwIfAny();
  }

  /** Why a route is no operation of a batch. */
  #refusalOf(method: string, path: string): KindError | undefined {
    try {
      this.#find({ method, url: PREFIX + path, headers: {} });
      return undefined;
    } catch (error) {
      if (error instanceof KindError) return error;
      throw error;
    }
  }

  /**
   * Checks the rights of all operations. What their references stand for is not known: returns the operations whose rights
   * could not be checked. @throws KindError 401, 403
   */
  async #checkRights(opened: Opened, request: HttpRequest, { operations }: GivenBatch): Promise<readonly number[]> {
    const unchecked: number[] = [];
    for (const [at, operation] of operations.entries()) {
      currentOperation.set(request, at);
      try {
        const command = await this.#command({ ...operation, path: withoutReferences(operation.path) }, new Map());
        const { recheck } = command.authorize(opened);
        await recheck?.(opened, new ParsedBody(operation.body));
      } catch (error) {
        if (isMissingRight(error)) throw error;
        unchecked.push(at);
      }
    }
    currentOperation.set(request, undefined);
    return unchecked;
  }

  /**
   * Does what operations do before their transaction. Those with references in their path are left out, and what is refused
   * is refused when it is its turn.
   */
  async #ahead(
    session: Session,
    request: HttpRequest,
    { operations, used }: GivenBatch,
    write: Ending,
  ): Promise<GivenBatch> {
    const prepared: BatchOperation[] = [];
    for (const [at, operation] of operations.entries()) {
      currentOperation.set(request, at);
      const plan = await this.#planAhead(session, operation);
      const body = await plan?.ahead?.(session, new ParsedBody(operation.body), write);
      prepared.push(body instanceof ParsedBody ? { ...operation, body: body.value } : operation);
    }
    currentOperation.set(request, undefined);
    return { operations: prepared, used };
  }

  async #planAhead(session: Session, operation: BatchOperation): Promise<Plan | undefined> {
    if (!operation.hasBody || pathReferences(operation.path).length > 0) return undefined;
    try {
      return (await this.#command(operation, new Map())).authorize(session);
    } catch (error) {
      if (error instanceof KindError) return undefined;
      throw error;
    }
  }

  async #runAll(session: Session, request: HttpRequest, { operations, used }: GivenBatch): Promise<Answer> {
    const answers = new Map<string, Json>();
    const budget = new ReferenceBudget();
    const items: string[] = [];
    let bytes = 0;
    for (const [at, operation] of operations.entries()) {
      currentOperation.set(request, at);
      const { content } = await this.#run(session, operation, answers, budget);
      bytes += Buffer.byteLength(content);
      if (bytes > LIMITS.answerBytes) throw answerTooLarge();
      const { as } = operation;
      if (as !== undefined && used.has(as)) answers.set(as, (await readJson(content, session.project.schema)) as Json);
      items.push(
        `${at === 0 ? '' : ','}{"as":${JSON.stringify(as ?? null)},"status":200,"content":`,
        content,
        ENVELOPE_END,
      );
    }
    currentOperation.set(request, undefined);
    return inPieces([`{"count":${operations.length},"items":[`, ...items, ']}']);
  }

  async #run(
    session: Session,
    operation: BatchOperation,
    answers: ReadonlyMap<string, Json>,
    budget: ReferenceBudget,
  ): Promise<Answer> {
    const command = await this.#command(operation, answers);
    const plan = command.authorize(session);
    const { effect, kindId = '', secret, shows, body: source } = plan;
    const kind = session.model.kinds.get(kindId);
    if (kind && effect !== 'read') refuseTogether(kind);
    if (effect === 'definition') throw notHere('Definitions are only read');
    if (effect === 'outside') throw notHere(`The source of '${kindId}' cannot be undone`);
    if (typeof source === 'function')
      throw notHere('A content is uploaded by a request of its own, or stands in the JSON body');
    if (secret && session.kept) throw secretRefusal(kindId);
    session.kept?.push(shows ?? null);
    const yielder = new EventLoopYield(session.project.schema);
    const body = operation.hasBody
      ? new ParsedBody(await runYielding(fillBody(operation.body, answers, budget), yielder))
      : undefined;
    return this.runner.within(session, plan, body);
  }

  /** The command of an operation, with the references of its path filled in. */
  async #command(
    { method, path, hasBody, ifMatch }: BatchOperation,
    answers: ReadonlyMap<string, Json>,
  ): Promise<Command> {
    const headers = {
      ...(hasBody && { 'content-type': 'application/json', 'content-length': '1' }),
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    };
    const find = (url: string) => this.#find({ method, url: PREFIX + url, headers });
    const { request, invoke } = find(fillPath(path, answers, (pathname) => find(pathname).query));
    const command = await invoke(request);
    if (!isCommand(command)) throw new Error(`${method} ${path} is no command`);
    return command;
  }

  /** @throws KindError 400, 404, 405 */
  #find(
    asked: Parameters<InnerRoutes['find']>[0],
  ): Pick<InnerRoute, 'request'> & { invoke: NonNullable<InnerRoute['invoke']>; query: readonly QueryName[] } {
    const { description, invoke, request } = this.routes.find(asked);
    if (!invoke || !description || description.alone || !TAGS.has(description.tag)) {
      throw notHere(`${asked.method} ${request.path.slice(0, 200)} is no operation of a batch`);
    }
    return { request, invoke, query: description.query };
  }
}

function notHere(text: string): KindError {
  return refusal('batch.not_here', text);
}

/** Equal batches probably write the same units. */
function keyOf({ operations }: GivenBatch): string {
  const named = JSON.stringify(operations.map(({ method, path }) => [method, path]));
  return `batch ${createHash('sha256').update(named).digest('base64')}`;
}
