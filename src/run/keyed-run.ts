/**
 * Runs a command that is a dry run, or has an idempotency key, in one transaction: that of a dry run is undone, and with a
 * key it also stores the answer.
 */
import { Injectable } from '@nestjs/common';
import { rightsKeyOf } from '../access/masks.js';
import { Catalog } from '../catalog/catalog.service.js';
import { AnswerMask, type KeptCircumstances, type RepeatedAnswer } from '../catalog/session/kept-answer.js';
import type { Shown } from '../catalog/session/session.js';
import { endOfBatch, inTransaction, executorFor } from '../catalog/session/executors.js';
import { Database, type Transaction } from '../database/database.js';
import { Answer, NULL_ANSWER } from '../http/answer/answer.js';
import { hashOfBody, type ReceivedBody } from '../http/body/read-body.js';
import { DRY_RUN_HEADER, REPLAYED_HEADER } from '../http/header-names.js';
import type { HttpRequest } from '../http/request/request.js';
import type { DryRun } from '../http/route/dry-run.js';
import { errorAnswer, refusalOf, StoredRefusal } from '../http/server/error.responder.js';
import type { Model } from '../model/model.js';
import { collectFaults } from '../shared/collect-faults.js';
import { Faults, isCallerError, isMissingRight, refusal } from '../shared/errors.js';
import type { EarlierAnswer, KeyedRequest } from '../sql/write/idempotency.sql.js';
import { bodyBytes } from '../tenancy/request-bodies.js';
import type { Plan, StreamKey } from './command.js';
import { keyId, keyNotHere, IdempotencyKeys, repeatedAnswer, secretRefusal } from './idempotency-keys.js';
import { Runner, type CommandRun } from './runner.js';

/** What a request asks for beside its command. */
export interface RunOptions {
  /** Method, path and query, as they were sent. */
  readonly line: string;
  readonly dryRun: DryRun | undefined;
  readonly key: string | undefined;
}

@Injectable()
export class KeyedRuns {
  constructor(
    readonly runner: Runner,
    readonly catalog: Catalog,
    readonly database: Database,
    readonly kept: IdempotencyKeys,
    readonly mask: AnswerMask,
  ) {}

  run(request: HttpRequest, work: CommandRun, options: RunOptions): Promise<Answer> {
    return new KeyedRun(this, request, work, options).run();
  }
}

class KeyedRun implements StreamKey {
  #body: ReceivedBody;
  /** The member and the key. */
  #id: string | undefined;
  hash = (): string | undefined => undefined;
  /** The answer to an earlier request with the key. */
  #earlier: EarlierAnswer | undefined;
  /** Whether the key was free, so that a refusal is kept. */
  #claimed = false;
  #shows: KeptCircumstances['shows'];
  /** What a change of definitions, or a deletion, does, if that was asked for. */
  #effects: object | undefined;

  constructor(
    private readonly parts: KeyedRuns,
    private readonly request: HttpRequest,
    private readonly work: CommandRun,
    private readonly options: RunOptions,
  ) {}

  get #dry(): boolean {
    return this.options.dryRun?.dry === true;
  }

  get #keyed(): KeyedRequest | undefined {
    const request = hashOfBody(Buffer.from(this.options.line));
    return this.#id === undefined ? undefined : { id: this.#id, request, hash: this.hash() ?? '' };
  }

  async run(): Promise<Answer> {
    if (this.#dry) this.request.res?.setHeader(DRY_RUN_HEADER, 'true');
    const { plan } = await this.parts.runner.plan(this.work);
    this.#admit(plan);
    this.#readOptions();
    const isRepeat = () => this.parts.kept.isAnswered(this.work.scope.project, this.#id);
    this.#body = plan.body && (await bodyBytes(this.request, plan.body, isRepeat));
    if (this.#id !== undefined && plan.effect !== 'stream') {
      const hash = hashOfBody(this.#body);
      this.hash = () => hash;
    }
    try {
      const answer = await (plan.effect === 'definition' ? this.#define() : this.#write());
      return this.#earlier ? await this.#repeat(this.#earlier, this.#keyed as KeyedRequest) : answer;
    } catch (error) {
      // The hash of a part of a body would be that of no request.
      if (this.#claimed && this.#keyed && this.hash() !== undefined) {
        const refused = errorAnswer(refusalOf(error, this.request), this.request);
        await this.parts.kept.keepRefusal(this.work.scope.project, this.#keyed, refused);
      }
      throw error;
    }
  }

  /** @throws KindError 400 for writes that can't be undone, or whose answers can't be kept */
  #admit({ effect, secret, shows, kindId = '' }: Plan): void {
    this.#shows = shows;
    if (effect === 'outside') {
      const text = `the source of '${kindId}' is no part of a transaction`;
      throw this.#dry ? refusal('query.unknown', `dry_run: ${text}`, { parameter: 'dry_run' }) : keyNotHere(text);
    }
    if (secret && !this.#dry) throw secretRefusal(kindId);
  }

  /** A dry run keeps nothing for its key. @throws KindError 400 */
  #readOptions(): void {
    const { dryRun, key } = this.options;
    const faults = new Faults();
    if (dryRun?.fault) faults.addAll(dryRun.fault);
    const keyOf = () => (key === undefined ? undefined : keyId(key, this.work.scope.caller));
    const id = collectFaults(faults, keyOf, undefined);
    faults.throwIfAny();
    if (!this.#dry) this.#id = id;
  }

  #write(): Promise<Answer> {
    const { catalog, database, runner } = this.parts;
    const { scope } = this.work;
    const needs = { long: true, about: () => this.options.line, until: endOfBatch(), undo: this.#dry };
    return catalog.withModel(scope, (model) => {
      const { opened, plan } = this.work.planned(model);
      this.#admit(plan);
      const session = { ...opened, executor: executorFor(database, scope) };
      if (plan.effect === 'stream') return runner.within(session, plan, undefined, this);
      return inTransaction(database, session, needs, (within) => {
        const effects = this.options.dryRun?.asksChanges ? plan.effects?.(opened) : undefined;
        return this.inside(within.executor, model.version, async () => {
          const kept: (Shown | null)[] = [];
          const marks = { ...(this.#dry && { dry: true as const }), ...(this.#keyed && { kept }) };
          const inside = { ...within, ...marks, deletions: effects?.report };
          const answer = await runner.within(inside, plan, this.#body);
          this.#effects = effects?.told();
          if (kept.length > 0) this.#shows = kept;
          return answer;
        });
      });
    });
  }

  #define(): Promise<Answer> {
    return this.parts.runner.define(this.work, () => Promise.resolve(this.#body), {
      around: (tx, change) => this.inside(tx, undefined, change),
      undo: this.#dry,
      ...(this.options.dryRun?.asksChanges && { report: (effects) => void (this.#effects = effects) }),
    });
  }

  /** Runs the work in its transaction, unless the key has an answer. */
  async inside(tx: Transaction, version: number | undefined, work: () => Promise<Answer>): Promise<Answer> {
    const { kept } = this.parts;
    const { project, caller } = this.work.scope;
    const keyed = this.#keyed;
    this.#claimed = false;
    this.#earlier = keyed && (await kept.claim(tx, project.schema, keyed));
    if (this.#earlier) return NULL_ANSWER;
    this.#claimed = keyed !== undefined;
    const answer = await work();
    // The hash of a stream is known now.
    const given = { model: version, rights: rightsKeyOf(caller), shows: this.#shows };
    if (this.#keyed) await kept.keep(tx, project, this.#keyed, { answer, given });
    return this.options.dryRun?.asksChanges ? this.#withChanges(answer) : answer;
  }

  #withChanges({ content, etag, headers }: Answer): Answer {
    if (this.#effects) return new Answer(content, etag, headers, JSON.stringify(this.#effects));
    const text = 'dry_run: changes is for definitions, and deletions of units; others want true or false';
    throw refusal('query.bad_value', text, { parameter: 'dry_run' });
  }

  /** Answers as before, if the caller still has the rights, and with what it may still read. */
  async #repeat(earlier: EarlierAnswer, keyed: KeyedRequest): Promise<Answer> {
    const { catalog, mask } = this.parts;
    return catalog.withCheckedModel(this.work.scope, async (model) => {
      const isChecked = await this.#recheck(model);
      const replayed = (): void => void this.request.res?.setHeader(REPLAYED_HEADER, 'true');
      try {
        const kept = repeatedAnswer(earlier, keyed);
        const readable = await mask.readable(this.work.opened(model), { ...kept, isChecked });
        replayed();
        return readable;
      } catch (error) {
        if (error instanceof StoredRefusal) replayed();
        throw error;
      }
    });
  }

  /** Returns what was checked. Other refusals than of rights do not matter: the request was answered before. */
  async #recheck(model: Model): Promise<RepeatedAnswer['isChecked']> {
    try {
      const { opened, plan } = this.work.planned(model);
      const unchecked = await plan.recheck?.(opened, this.#body);
      return (operation) => !unchecked?.includes(operation);
    } catch (error) {
      if (isMissingRight(error) || !isCallerError(error)) throw error;
      return () => false;
    }
  }
}
