/** Runs the operations of a batch in one transaction, each by the handler of its route. */
import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { checkMemberKind } from '../access/access.js';
import { Catalog } from '../catalog/catalog.service.js';
import { Answer, ENVELOPE_END, inPieces, NULL_ANSWER } from '../http/answer/answer.js';
import { readJson } from '../http/body/json-pieces.js';
import { ParsedBody } from '../http/body/read-body.js';
import { currentOperation } from '../http/request/current-operation.js';
import type { HttpRequest } from '../http/request/request.js';
import type { RouteTag } from '../http/route/api-route.js';
import type { QueryName } from '../http/route/query-names.js';
import { InnerRoutes, type InnerRoute } from '../http/server/inner-routes.js';
import { Faults, isMissingRight, KindError, refusal } from '../shared/errors.js';
import { EventLoopYield } from '../shared/event-loop-yield.js';
import type { Json } from '../shared/json.js';
import { LIMITS } from '../shared/limits.js';
import { answerTooLarge } from '../shared/response-size.js';
import { runYielding } from '../shared/work-in-pieces.js';
import { setBody } from '../tenancy/request-bodies.js';
import { setScope, type EnclosingTransaction, type RequestScope } from '../tenancy/request-scope.js';
import { EnclosedRunner, type EnclosedScope } from '../unit/write/enclosed.runner.js';
import { readBatch, type GivenBatch } from './batch.request.js';
import type { BatchOperation } from './operation.js';
import { fillBody, fillPath, pathReferences, ReferenceBudget, withoutReferences } from './references.js';

/** The routes that a batch may call. Of definitions, those that only read. */
const TAGS: ReadonlySet<RouteTag> = new Set(['Units', 'Groups', 'Links', 'Functions', 'Kinds', 'Parameters']);

const PREFIX = '/api/lib';

@Injectable()
export class BatchService {
  constructor(
    private readonly routes: InnerRoutes,
    private readonly runner: EnclosedRunner,
    private readonly catalog: Catalog,
  ) {}

  /** Each operation checks this too, but a batch can be empty or malformed. @throws KindError 401 */
  async checkMember(scope: RequestScope): Promise<void> {
    await this.catalog.withCachedModel(scope, (model) => checkMemberKind(model, scope.caller));
  }

  /** @param request the request of the batch, whose errors name the operation that failed */
  async run(scope: RequestScope, request: HttpRequest, body: unknown): Promise<Answer> {
    const given = await runYielding(readBatch(body), new EventLoopYield(scope.project.schema));
    this.#checkRoutes(given, request);
    const { enclosing } = scope;
    const admit: EnclosingTransaction['admit'] = (write, kind) => {
      if (write === 'secret') return enclosing?.admit(write, kind);
      throw notHere(write === 'definition' ? 'Definitions are only read' : `The source of '${kind}' cannot be undone`);
    };
    const runAll = (within: EnclosedScope) => this.#runAll(within, request, given);
    if (enclosing) {
      const within = { ...scope, enclosing: { ...enclosing, admit } };
      return enclosing.rightsOnly ? this.#checkRights(within, request, given) : runAll(within);
    }
    return this.runner.run(scope, { admit, workKey: () => keyOf(given) }, runAll);
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

  /** Checks the rights of all operations. What their references stand for is not known. */
  async #checkRights(scope: EnclosedScope, request: HttpRequest, { operations }: GivenBatch): Promise<Answer> {
    for (const [at, operation] of operations.entries()) {
      currentOperation.set(request, at);
      const path = withoutReferences(operation.path);
      try {
        await this.#run(scope, { ...operation, path, body: {} }, new Map(), new ReferenceBudget());
      } catch (error) {
        if (isMissingRight(error)) throw error;
      }
    }
    currentOperation.set(request, undefined);
    return NULL_ANSWER;
  }

  async #runAll(scope: EnclosedScope, request: HttpRequest, { operations, used }: GivenBatch): Promise<Answer> {
    const answers = new Map<string, Json>();
    const budget = new ReferenceBudget();
    const items: string[] = [];
    let bytes = 0;
    for (const [at, operation] of operations.entries()) {
      currentOperation.set(request, at);
      const { content } = await this.#run(scope, operation, answers, budget);
      bytes += Buffer.byteLength(content);
      if (bytes > LIMITS.answerBytes) throw answerTooLarge();
      const { as } = operation;
      if (as !== undefined && used.has(as)) answers.set(as, (await readJson(content, scope.project.schema)) as Json);
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
    scope: EnclosedScope,
    { method, path, hasBody, body, ifMatch }: BatchOperation,
    answers: ReadonlyMap<string, Json>,
    budget: ReferenceBudget,
  ): Promise<Answer> {
    const headers = {
      ...(hasBody && { 'content-type': 'application/json', 'content-length': '1' }),
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    };
    const find = (url: string) => this.#find({ method, url: PREFIX + url, headers });
    const { request, invoke } = find(fillPath(path, answers, (pathname) => find(pathname).query));
    const yielder = new EventLoopYield(scope.project.schema);
    const filled = hasBody ? new ParsedBody(await runYielding(fillBody(body, answers, budget), yielder)) : undefined;
    setScope(request, scope);
    setBody(request, filled);
    const answer = await invoke(request);
    if (!(answer instanceof Answer)) throw new Error(`${method} ${path} answered what is no answer`);
    return answer;
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
