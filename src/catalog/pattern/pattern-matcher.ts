/**
 * Matches texts against the patterns of parameters. Small patterns with short texts are matched on the event loop, for
 * some milliseconds per request; all others on a worker thread, in batches, serving projects round robin, so that no
 * pattern blocks other requests.
 */
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import {
  reportOutcome,
  type NewPattern,
  type PatternCheck,
  type PatternChecks,
  type PatternMatch,
  type PatternOutcome,
} from '../../model/check/pattern-checks.js';
import { schemaName } from '../../model/names.js';
import { EventLoopYield } from '../../shared/event-loop-yield.js';
import { retryLater } from '../../shared/errors.js';
import type { MaybePromise } from '../../shared/work-in-pieces.js';
import { FairQueue } from '../../shared/fair-queue.js';
import { LIMITS } from '../../shared/limits.js';
import { lruCache } from '../../shared/maps.js';
import { groupIntoJobs, PatternThread, type PatternAnswer, type PatternJob } from './pattern-thread.js';

/** Limits for matching on the event loop: characters and instructions of a pattern, and steps per text. */
const EVENT_LOOP_LIMITS = { characters: 100, size: 100, steps: 20_000 } as const;
/** Milliseconds of matching on the event loop per request. */
const EVENT_LOOP_TIME = 50;
/** The size of a batch, which the next project has to wait for, and its timeout. */
const BATCH = { steps: 1_000_000, texts: 5000, milliseconds: 2000 } as const;
/** Milliseconds that a batch waits for the worker. */
const PATTERN_QUEUE_TIMEOUT = 5000;

/** Steps that the texts of a unit have used so far. */
interface UsedSteps {
  steps: number;
}

/** Worker time of a request, or of a change of definitions. */
export interface PatternTime {
  /** Milliseconds used. */
  workerTime: number;
  /** Maximum. */
  readonly seconds: number;
}

@Injectable()
export class PatternMatcher implements OnApplicationShutdown {
  readonly #known = lruCache<KnownPattern>(10_000);
  readonly #small = new LRUCache<string, RE2JS>({ max: 500 });
  readonly #thread = new PatternThread();
  readonly #turns = new FairQueue({
    concurrency: 1,
    maxWaitingPerKey: LIMITS.requestsWaiting,
    timeout: PATTERN_QUEUE_TIMEOUT,
    refusal: () => retryLater('server.busy', 'Too much of this project waits to be matched against patterns'),
  });

  /**
   * Reports the faults of the collected checks; synchronous if that takes no time. @throws KindError 503 if too much
   * waits
   */
  settle(project: string, checks: PatternChecks): MaybePromise<void> {
    if (!checks.any) return undefined;
    const { texts, defined } = checks.take();
    const used = { steps: 0 };
    if (defined.length > 0) return this.#examineAndSettle(project, texts, defined, checks, used);
    if (texts.length <= BATCH.texts) return this.#settleSome(project, texts, checks, used);
    return this.#settleMany(project, texts, checks, used);
  }

  /** For very many texts, which only lists can have: some at a time. */
  async #settleMany(
    project: string,
    texts: readonly PatternCheck[],
    checks: PatternChecks,
    used: UsedSteps,
  ): Promise<void> {
    const yielder = new EventLoopYield(schemaName(project));
    for (let at = 0; at < texts.length; at += BATCH.texts) {
      await this.#settleSome(project, texts.slice(at, at + BATCH.texts), checks, used);
      if (yielder.due) await yielder.pause();
    }
  }

  #settleSome(
    project: string,
    texts: readonly PatternCheck[],
    checks: PatternChecks,
    used: UsedSteps,
  ): MaybePromise<void> {
    const unknown = texts.some(({ pattern }) => !this.#known.has(pattern));
    return unknown
      ? this.#examineAndSettle(project, texts, [], checks, used)
      : this.#settle(project, texts, checks, used);
  }

  async #examineAndSettle(
    project: string,
    texts: readonly PatternCheck[],
    defined: readonly NewPattern[],
    checks: PatternChecks,
    used: UsedSteps,
  ): Promise<void> {
    await this.#examine(project, [...defined, ...texts], checks);
    for (const { pattern, report } of defined) reportDefinition(this.#known.get(pattern), report);
    // Texts are not matched against patterns that are refused.
    const refused = new Set(defined.map(({ pattern }) => pattern).filter((pattern) => !this.#isUsable(pattern)));
    const left = texts.filter(({ pattern }) => !refused.has(pattern));
    await this.#settle(project, left, checks, used);
  }

  #settle(project: string, texts: readonly PatternCheck[], checks: PatternChecks, used: UsedSteps): MaybePromise<void> {
    const left = this.#settleOnEventLoop(this.#withinLimits(texts, used), checks);
    return left.length > 0 ? this.#settleOnWorker(project, left, checks) : undefined;
  }

  /**
   * The texts within the limit of steps, alone and together with the earlier texts of the unit; the others are refused.
   */
  #withinLimits(texts: readonly PatternCheck[], used: UsedSteps): PatternCheck[] {
    return texts.filter((check) => {
      const own = this.#steps(check);
      const tooLong = own > LIMITS.patternSteps;
      if (!tooLong) used.steps += own;
      if (!tooLong && used.steps <= LIMITS.patternSteps) return true;
      reportOutcome(check, tooLong ? 'too_long' : 'together');
      return false;
    });
  }

  /** Returns the texts that are left for the worker. */
  #settleOnEventLoop(texts: readonly PatternCheck[], checks: PatternChecks): PatternCheck[] {
    const begun = performance.now();
    const before = checks.eventLoopTime;
    return texts.filter((check) => {
      if (checks.eventLoopTime > EVENT_LOOP_TIME || this.#steps(check) > EVENT_LOOP_LIMITS.steps) return true;
      const small = this.#findSmallPattern(check.pattern);
      if (!small) return true;
      reportOutcome(check, small.matcher(check.text).find() ? 'match' : 'mismatch');
      checks.eventLoopTime = before + performance.now() - begun;
      return false;
    });
  }

  async #settleOnWorker(project: string, texts: readonly PatternCheck[], checks: PatternChecks): Promise<void> {
    const outcomes = await this.match(project, texts, checks);
    texts.forEach((check, at) => reportOutcome(check, outcomes[at] ?? 'costly'));
  }

  /** The outcomes of matches on the worker, in their order. @throws KindError 503 if too much waits */
  async match(project: string, matches: readonly PatternMatch[], time: PatternTime): Promise<PatternOutcome[]> {
    await this.#examine(project, matches, time);
    const outcomes = matches.map((match): PatternOutcome => {
      if (!this.#known.has(match.pattern)) return 'costly';
      return this.#steps(match) > LIMITS.patternSteps ? 'too_long' : 'mismatch';
    });
    const sent = matches.flatMap((match, at) =>
      outcomes[at] === 'mismatch' && this.#isUsable(match.pattern) ? [{ ...match, at }] : [],
    );
    for (const batch of this.#batches(sent)) {
      const answers = await this.#run(project, groupIntoJobs(batch), time);
      const found = answers?.flatMap((answer) => answer.matches);
      batch.forEach(({ at }, n) => (outcomes[at] = found ? (found[n] ? 'match' : 'mismatch') : 'costly'));
    }
    return outcomes;
  }

  #batches<M extends PatternMatch>(matches: readonly M[]): M[][] {
    const batches: M[][] = [];
    let steps = Infinity;
    for (const match of matches) {
      steps += this.#steps(match);
      const last = batches.at(-1);
      if (last && steps <= BATCH.steps && last.length < BATCH.texts) last.push(match);
      else {
        batches.push([match]);
        steps = this.#steps(match);
      }
    }
    return batches;
  }

  /**
   * Compiles unknown patterns on the worker to learn their size and faults, one per batch, because compiling can take
   * long.
   */
  async #examine(project: string, patterns: readonly { readonly pattern: string }[], time: PatternTime): Promise<void> {
    for (const pattern of new Set(patterns.map((each) => each.pattern))) {
      if (this.#known.has(pattern)) continue;
      const [answer] = (await this.#run(project, [{ pattern, texts: [] }], time)) ?? [];
      if (answer) this.#known.set(pattern, { size: 0, ...answer });
    }
  }

  /** Undefined if time or memory is exhausted. */
  async #run(
    project: string,
    jobs: readonly PatternJob[],
    time: PatternTime,
  ): Promise<readonly PatternAnswer[] | undefined> {
    if (time.workerTime >= time.seconds * 1000) return undefined;
    return this.#turns.run(project, async () => {
      const begun = performance.now();
      const left = time.seconds * 1000 - time.workerTime;
      const answers = await this.#thread.run(jobs, Math.min(left, BATCH.milliseconds));
      time.workerTime += performance.now() - begun;
      return answers;
    });
  }

  #isUsable(pattern: string): boolean {
    const known = this.#known.get(pattern);
    return known !== undefined && isUsablePattern(known);
  }

  #steps({ pattern, text }: PatternMatch): number {
    return (this.#known.get(pattern)?.size ?? 0) * text.length;
  }

  /** The compiled pattern if it is small enough for the event loop. */
  #findSmallPattern(pattern: string): RE2JS | undefined {
    const known = this.#small.get(pattern);
    if (known || pattern.length > EVENT_LOOP_LIMITS.characters) return known;
    if (!this.#isUsable(pattern) || (this.#known.get(pattern)?.size ?? Infinity) > EVENT_LOOP_LIMITS.size)
      return undefined;
    const compiled = RE2JS.compile(pattern);
    this.#small.set(pattern, compiled);
    return compiled;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#thread.stop();
  }
}

/** What is known of a pattern: why it is invalid, or its number of instructions. */
interface KnownPattern {
  readonly fault?: string;
  readonly size: number;
}

function isUsablePattern({ fault, size }: KnownPattern): boolean {
  return fault === undefined && size <= LIMITS.patternSize;
}

/** Reports the fault of a pattern that is being defined; an unknown pattern has timed out. */
function reportDefinition(known: KnownPattern | undefined, report: NewPattern['report']): void {
  const code = 'parameter.bad_pattern';
  if (!known) report(code, 'takes too long to be read; make it simpler');
  else if (known.fault !== undefined) report(code, `is no regular expression of the RE2 dialect: ${known.fault}`);
  else if (!isUsablePattern(known))
    report(code, `is too large: ${known.size} instructions, at most ${LIMITS.patternSize}`);
}

/** Settles checks of patterns from the deployer, which are trusted, synchronously on the event loop. */
export function settleTrusted(checks: PatternChecks): void {
  const { texts, defined } = checks.take();
  const compiled = new Map<string, RE2JS>();
  for (const { pattern, report } of defined) {
    try {
      const expression = RE2JS.compile(pattern);
      const size = expression.programSize();
      reportDefinition({ size }, report);
      if (isUsablePattern({ size })) compiled.set(pattern, expression);
    } catch (error) {
      reportDefinition({ fault: (error as Error).message, size: 0 }, report);
    }
  }
  for (const check of texts) {
    const expression = compiled.get(check.pattern);
    if (expression) reportOutcome(check, expression.test(check.text) ? 'match' : 'mismatch');
  }
}
