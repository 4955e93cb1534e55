/**
 * Runs writes that are dry, or that have an idempotency key, inside a transaction: of a dry run it is rolled back, and
 * for a key it also stores the answer. All other requests pass without a cost.
 */
import { Injectable, type ExecutionContext } from '@nestjs/common';
import { Catalog } from '../../catalog/catalog.service.js';
import type { Transaction } from '../../database/database.js';
import { Answer, NULL_ANSWER } from '../../http/answer/answer.js';
import type { ReceivedBody } from '../../http/body/read-body.js';
import { DRY_RUN_HEADER, KEY_HEADER, REPLAYED_HEADER } from '../../http/request/header-names.js';
import { requestOf, type HttpRequest } from '../../http/request/request.js';
import { routeOf, type RouteTag } from '../../http/route/api-route.js';
import { errorAnswer, refusalOf, StoredRefusal } from '../../http/server/error-answer.js';
import { AroundInterceptor, type RunAround } from '../../http/server/preparing.interceptor.js';
import { Faults, isCallerError, isMissingRight, KindError, refusal } from '../../shared/errors.js';
import type { KeyedRequest } from '../../sql/write/idempotency.sql.js';
import { observeBody } from '../../tenancy/request-bodies.js';
import { scopeOf, setScope, type EnclosingTransaction, type RequestScope } from '../../tenancy/request-scope.js';
import { Behaviors } from '../draft/behavior.js';
import { EnclosedRunner } from './enclosed.runner.js';
import { NotBegunError, UnbegunTransaction } from './begin-later.js';
import { DeletionEffects } from './deletion-effects.js';
import { DryRunDone, takeDryRun, type DryRun } from './dry-run.js';
import { keyedRequest, keyId } from './idempotency-key.js';
import { AnsweredError, KeptAnswers, repeatedAnswer } from './kept-answers.js';
import { RepeatedAnswers } from './repeated-answers.js';

/** What a request asks for beside the write. */
interface Wish {
  readonly dryRun: DryRun | undefined;
  readonly key: string | undefined;
  readonly tag: RouteTag | undefined;
}

/** The write needs a transaction of its own, because it changes definitions. */
class SeparateTransactionError extends Error {
  override readonly name = 'SeparateTransactionError';
}

const READ_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

@Injectable()
export class WriteInterceptor extends AroundInterceptor {
  constructor(
    private readonly catalog: Catalog,
    private readonly behaviors: Behaviors,
    private readonly runner: EnclosedRunner,
    private readonly kept: KeptAnswers,
    private readonly repeated: RepeatedAnswers,
  ) {
    super();
  }

  around(context: ExecutionContext): RunAround | undefined {
    const request = requestOf(context);
    const key = request.headers[KEY_HEADER] as string | undefined;
    if (READ_METHODS.has(request.method) || (key === undefined && !request.url.includes('dry_run'))) return undefined;
    const route = routeOf(context.getHandler());
    if (route?.alone) {
      if (key !== undefined && !route.keepsAnswers)
        throw refusal('idempotency.not_here', 'This address takes no Idempotency-Key');
      return undefined;
    }
    const line = `${request.method} ${request.url}`;
    const dryRun = route?.query.includes('dry_run') ? takeDryRun(request) : undefined;
    if (!dryRun?.dry && key === undefined) return undefined;
    return (invoke) => new Write(request, line, { dryRun, key, tag: route?.tag }, invoke, this.#parts).run();
  }

  get #parts(): Parts {
    const { catalog, behaviors, runner, kept, repeated } = this;
    return { catalog, behaviors, runner, kept, repeated };
  }
}

interface Parts {
  readonly catalog: Catalog;
  readonly behaviors: Behaviors;
  readonly runner: EnclosedRunner;
  readonly kept: KeptAnswers;
  readonly repeated: RepeatedAnswers;
}

/** One request. */
class Write {
  readonly #scope: RequestScope;
  /** While rights are checked, before the transaction, and the body is not read yet. */
  #waitsForBody = false;
  #body: ReceivedBody;
  #keyed: KeyedRequest | undefined;
  /** What a change of definitions does, if that was asked for. */
  #effects: object | undefined;
  /** Whether the key was free, so that a refusal is kept. */
  #claimed = false;

  /** @param line method, path and query, as they were sent */
  constructor(
    private readonly request: HttpRequest,
    private readonly line: string,
    private readonly wish: Wish,
    private readonly invoke: () => Promise<unknown>,
    private readonly parts: Parts,
  ) {
    this.#scope = scopeOf(request);
    observeBody(request, (body) => {
      this.#body = body;
      if (this.#waitsForBody) throw new NotBegunError();
    });
  }

  /** Whether units are deleted, and the answer says what goes along. */
  get #tellsDeletions(): boolean {
    const { dryRun, tag } = this.wish;
    const deletes = tag === 'Batch' || (tag === 'Units' && this.request.method === 'DELETE');
    return dryRun?.asksChanges === true && deletes;
  }

  get #dry(): boolean {
    return this.wish.dryRun?.dry === true;
  }

  async run(): Promise<unknown> {
    if (this.#dry) this.request.res?.setHeader(DRY_RUN_HEADER, 'true');
    this.#waitsForBody = true;
    let separate = await this.#checkRights();
    const id = this.#readWish();
    for (;;) {
      if (id !== undefined && !separate) this.#keyed = keyedRequest(id, this.line, bytesOf(this.#body));
      try {
        return await (separate ? this.#runSeparately(id) : this.#runEnclosed());
      } catch (error) {
        if (error instanceof SeparateTransactionError && !separate) {
          separate = true;
          continue;
        }
        return await this.#settle(error);
      }
    }
  }

  /**
   * Runs the handler up to its first statement or its body, whichever comes first; the body is read then. Both come
   * after the rights on the kind are checked. Returns whether the write needs a transaction of its own.
   * @throws the refusal of the handler
   */
  async #checkRights(): Promise<boolean> {
    const { catalog, behaviors } = this.parts;
    const { deployment } = behaviors;
    const executor = new UnbegunTransaction();
    try {
      await catalog.withModel(this.#scope, (model) => {
        const enclosing = { model, executor, ...deployment, rightsOnly: true as const, admit: this.#admit };
        setScope(this.request, { ...this.#scope, enclosing });
        return this.invoke();
      });
      return false;
    } catch (error) {
      if (error instanceof SeparateTransactionError) return true;
      const stopped = error instanceof NotBegunError || executor.stopped;
      if (stopped && !isMissingRight(error)) return false;
      throw error;
    } finally {
      this.#waitsForBody = false;
      setScope(this.request, this.#scope);
    }
  }

  /** The id of the key; undefined without one, and for dry runs, which keep nothing. @throws KindError 400 */
  #readWish(): string | undefined {
    const { dryRun, key } = this.wish;
    const faults = new Faults();
    let id: string | undefined;
    if (dryRun?.fault) faults.addAll(dryRun.fault);
    try {
      id = key === undefined ? undefined : keyId(key, this.#scope.caller);
    } catch (error) {
      if (!(error instanceof KindError)) throw error;
      faults.addAll(error);
    }
    faults.throwIfAny();
    return this.#dry ? undefined : id;
  }

  readonly #admit: EnclosingTransaction['admit'] = (write, kind) => {
    if (write === 'definition') throw new SeparateTransactionError();
    if (write === 'secret') {
      if (this.#dry) return;
      const secret = `Idempotency-Key: a new unit of '${kind}' has a secret, and its answer is not kept`;
      throw refusal('idempotency.not_here', secret, { parameter: KEY_HEADER });
    }
    const text = `the source of '${kind}' is no part of a transaction`;
    if (this.#dry) throw refusal('query.unknown', `dry_run: ${text}`, { parameter: 'dry_run' });
    throw refusal('idempotency.not_here', `Idempotency-Key: ${text}`, { parameter: KEY_HEADER });
  };

  #runEnclosed(): Promise<unknown> {
    const options = { admit: this.#admit, workKey: () => this.line };
    return this.parts.runner.run(this.#scope, options, (scope, tx) => {
      const { caller, enclosing } = scope;
      const deletions = this.#tellsDeletions ? new DeletionEffects(enclosing.model, caller) : undefined;
      const dry = { ...enclosing, dry: true as const, ...(deletions && { deletions }) };
      setScope(this.request, this.#dry ? { ...scope, enclosing: dry } : scope);
      return this.#inside(tx, async () => {
        const answer = await this.invoke();
        this.#effects = deletions?.told();
        return answer;
      });
    });
  }

  #runSeparately(id: string | undefined): Promise<unknown> {
    setScope(this.request, {
      ...this.#scope,
      ...(this.wish.dryRun?.asksChanges && { reportChange: (effects) => (this.#effects = effects) }),
      aroundChange: (tx, change) => {
        if (id !== undefined) this.#keyed = keyedRequest(id, this.line, bytesOf(this.#body));
        return this.#inside(tx, change);
      },
    });
    return this.invoke();
  }

  /** Runs the write in its transaction. */
  async #inside<T>(tx: Transaction, write: () => Promise<T>): Promise<T> {
    const { project } = this.#scope;
    const keyed = this.#keyed;
    this.#claimed = false;
    if (keyed) await this.parts.kept.claim(tx, project.schema, keyed);
    this.#claimed = keyed !== undefined;
    const result = await write();
    // A change of definitions that shows nothing returns undefined.
    const answer = result instanceof Answer ? result : NULL_ANSWER;
    if (this.#dry) throw new DryRunDone(this.wish.dryRun?.asksChanges ? this.#withChanges(answer) : answer);
    if (keyed) await this.parts.kept.keep(tx, project, keyed, answer, scopeOf(this.request).enclosing?.model.version);
    return result;
  }

  #withChanges({ content, etag, headers }: Answer): Answer {
    if (this.#effects) return new Answer(content, etag, headers, JSON.stringify(this.#effects));
    const text = 'dry_run: changes is for definitions, and deletions of units; others want true or false';
    throw refusal('query.bad_value', text, { parameter: 'dry_run' });
  }

  /** The answer after the transaction was rolled back. */
  async #settle(error: unknown): Promise<unknown> {
    if (error instanceof DryRunDone) return error.answer;
    const keyed = this.#keyed;
    if (!keyed) throw error;
    if (error instanceof AnsweredError) return this.#repeat(error, keyed);
    if (this.#claimed) {
      const answer = errorAnswer(refusalOf(error, this.request), this.request);
      await this.parts.kept.keepRefusal(this.#scope.project, keyed, answer);
    }
    throw error;
  }

  /** Answers as before, if the caller still has the rights, and with what it may still read. */
  async #repeat(answered: AnsweredError, keyed: KeyedRequest): Promise<Answer> {
    const { catalog } = this.parts;
    await catalog.withModel(this.#scope, (model) => catalog.check(this.#scope, model));
    await this.#checkRights().catch(onlyMissingRights);
    try {
      const answer = await this.#readable(repeatedAnswer(answered, keyed), answered.modelVersion);
      this.request.res?.setHeader(REPLAYED_HEADER, 'true');
      return answer;
    } catch (error) {
      if (error instanceof StoredRefusal) this.request.res?.setHeader(REPLAYED_HEADER, 'true');
      throw error;
    }
  }

  async #readable(answer: Answer, modelVersion: number | undefined): Promise<Answer> {
    const { catalog, repeated } = this.parts;
    const { tag } = this.wish;
    if (tag === 'Functions') return answer;
    const asked = { url: this.request.url, isBatch: tag === 'Batch', body: this.#body, modelVersion };
    return catalog.withModel(this.#scope, async (model) => {
      await catalog.check(this.#scope, model);
      return repeated.readable(this.#scope, model, answer, asked);
    });
  }
}

/** Other refusals of a request that was answered before do not matter: its answer is repeated. */
function onlyMissingRights(error: unknown): void {
  if (isMissingRight(error) || !isCallerError(error)) throw error;
}

function bytesOf(body: ReceivedBody): Uint8Array | undefined {
  return body instanceof Uint8Array ? body : undefined;
}
