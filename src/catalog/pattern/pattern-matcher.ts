/**
 * Matches texts against the patterns of parameters. Small patterns and short texts are matched at once, for some
 * milliseconds of a request; all else on a thread of its own, in slices, project by project in turn, so that no pattern
 * keeps anybody else waiting.
 */
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import {
  tellOutcome,
  type NewPattern,
  type PatternCheck,
  type PatternChecks,
  type PatternMatch,
  type PatternOutcome,
} from '../../model/check/pattern-checks.js';
import { schemaName } from '../../model/names.js';
import { EventLoopYield } from '../../shared/event-loop-yield.js';
import { retryLater } from '../../shared/errors.js';
import type { MaybePromise } from '../../shared/maybe-promise.js';
import { FairQueue } from '../../shared/fair-queue.js';
import { LIMITS } from '../../shared/limits.js';
import { groupIntoJobs, PatternThread, type PatternAnswer, type PatternJob } from './pattern-thread.js';

/** What may be matched on the event loop: patterns of so many characters and instructions, in so many steps each. */
const SMALL = { characters: 100, size: 100, steps: 20_000 } as const;
/** Milliseconds that one request has of the event loop for it. */
const AT_ONCE = 50;
/** What the worker has at a time, so that the next project has its turn; and how long it may take. */
const SLICE = { steps: 1_000_000, texts: 5000, milliseconds: 2000 } as const;
/** Milliseconds that work waits for its turn. */
const PATIENCE = 5000;

/** Why a text is no pattern, or how many instructions it has. */
interface Known {
  readonly fault?: string;
  readonly size: number;
}

/** Steps that the texts of a unit take, so far. */
interface Spent {
  steps: number;
}

/** The time of the worker that a request, or a change of definitions, has had and may have. */
export interface PatternTime {
  /** Milliseconds. */
  workerTime: number;
  readonly seconds: number;
}

@Injectable()
export class PatternMatcher implements OnApplicationShutdown {
  readonly #known = new LRUCache<string, Known>({ max: 10_000 });
  readonly #small = new LRUCache<string, RE2JS>({ max: 500 });
  readonly #worker = new PatternThread();
  readonly #turns = new FairQueue({
    concurrency: 1,
    maxWaitingPerKey: LIMITS.requestsWaiting,
    timeout: PATIENCE,
    refusal: () => retryLater('server.busy', 'Too much of this project waits to be matched against patterns'),
  });

  /** Tells the faults of what was collected, at once where that takes no time. @throws KindError 503 where too much waits */
  settle(project: string, checks: PatternChecks): MaybePromise<void> {
    if (!checks.any) return undefined;
    const { texts, defined } = checks.take();
    const spent = { steps: 0 };
    if (defined.length > 0) return this.#learnFirst(project, texts, defined, checks, spent);
    if (texts.length <= SLICE.texts) return this.#settleSome(project, texts, checks, spent);
    return this.#settleMany(project, texts, checks, spent);
  }

  /** As many as only lists of texts are: some at a time. */
  async #settleMany(
    project: string,
    texts: readonly PatternCheck[],
    checks: PatternChecks,
    spent: Spent,
  ): Promise<void> {
    const yielder = new EventLoopYield(schemaName(project));
    for (let at = 0; at < texts.length; at += SLICE.texts) {
      await this.#settleSome(project, texts.slice(at, at + SLICE.texts), checks, spent);
      if (yielder.due) await yielder.pause();
    }
  }

  #settleSome(
    project: string,
    texts: readonly PatternCheck[],
    checks: PatternChecks,
    spent: Spent,
  ): MaybePromise<void> {
    const unknown = texts.some(({ pattern }) => !this.#known.has(pattern));
    return unknown ? this.#learnFirst(project, texts, [], checks, spent) : this.#settle(project, texts, checks, spent);
  }

  async #learnFirst(
    project: string,
    texts: readonly PatternCheck[],
    defined: readonly NewPattern[],
    checks: PatternChecks,
    spent: Spent,
  ): Promise<void> {
    await this.#learn(project, [...defined, ...texts], checks);
    for (const { pattern, tell } of defined) tellDefined(this.#known.get(pattern), tell);
    // Whether a text fits what is refused itself is of no interest.
    const refused = new Set(defined.map(({ pattern }) => pattern).filter((pattern) => !this.#isGood(pattern)));
    const left = texts.filter(({ pattern }) => !refused.has(pattern));
    await this.#settle(project, left, checks, spent);
  }

  #settle(project: string, texts: readonly PatternCheck[], checks: PatternChecks, spent: Spent): MaybePromise<void> {
    const left = this.#settleAtOnce(this.#bounded(texts, spent), checks);
    return left.length > 0 ? this.#settleApart(project, left, checks) : undefined;
  }

  /** Those that take no more steps than one unit may, with what its other texts took; the others are refused. */
  #bounded(texts: readonly PatternCheck[], spent: Spent): PatternCheck[] {
    return texts.filter((check) => {
      const own = this.#steps(check);
      const tooLong = own > LIMITS.patternSteps;
      if (!tooLong) spent.steps += own;
      if (!tooLong && spent.steps <= LIMITS.patternSteps) return true;
      tellOutcome(check, tooLong ? 'too_long' : 'together');
      return false;
    });
  }

  /** Answers those that are left for the worker. */
  #settleAtOnce(texts: readonly PatternCheck[], checks: PatternChecks): PatternCheck[] {
    const begun = performance.now();
    const before = checks.eventLoopTime;
    return texts.filter((check) => {
      if (checks.eventLoopTime > AT_ONCE || this.#steps(check) > SMALL.steps) return true;
      const small = this.#findSmall(check.pattern);
      if (!small) return true;
      tellOutcome(check, small.matcher(check.text).find() ? 'match' : 'mismatch');
      checks.eventLoopTime = before + performance.now() - begun;
      return false;
    });
  }

  async #settleApart(project: string, texts: readonly PatternCheck[], checks: PatternChecks): Promise<void> {
    const outcomes = await this.match(project, texts, checks);
    texts.forEach((check, at) => tellOutcome(check, outcomes[at] ?? 'costly'));
  }

  /** What becomes of each match, on the worker, in their order. @throws KindError 503 where too much waits */
  async match(project: string, matches: readonly PatternMatch[], time: PatternTime): Promise<PatternOutcome[]> {
    await this.#learn(project, matches, time);
    const outcomes = matches.map((match): PatternOutcome => {
      if (!this.#known.has(match.pattern)) return 'costly';
      return this.#steps(match) > LIMITS.patternSteps ? 'too_long' : 'mismatch';
    });
    const sent = matches.flatMap((match, at) =>
      outcomes[at] === 'mismatch' && this.#isGood(match.pattern) ? [{ ...match, at }] : [],
    );
    for (const slice of this.#slices(sent)) {
      const answers = await this.#run(project, groupIntoJobs(slice), time);
      const found = answers?.flatMap((answer) => answer.matches);
      slice.forEach(({ at }, n) => (outcomes[at] = found ? (found[n] ? 'match' : 'mismatch') : 'costly'));
    }
    return outcomes;
  }

  #slices<M extends PatternMatch>(matches: readonly M[]): M[][] {
    const slices: M[][] = [];
    let steps = Infinity;
    for (const match of matches) {
      steps += this.#steps(match);
      const last = slices.at(-1);
      if (last && steps <= SLICE.steps && last.length < SLICE.texts) last.push(match);
      else {
        slices.push([match]);
        steps = this.#steps(match);
      }
    }
    return slices;
  }

  /** Finds out what patterns are that were not seen before, one at a time: each may take as long as it is large. */
  async #learn(project: string, patterns: readonly { readonly pattern: string }[], time: PatternTime): Promise<void> {
    for (const pattern of new Set(patterns.map((each) => each.pattern))) {
      if (this.#known.has(pattern)) continue;
      const [answer] = (await this.#run(project, [{ pattern, texts: [] }], time)) ?? [];
      if (answer) this.#known.set(pattern, { size: 0, ...answer });
    }
  }

  /** Undefined where the time is over, or the work took more memory than the worker has. */
  async #run(
    project: string,
    jobs: readonly PatternJob[],
    time: PatternTime,
  ): Promise<readonly PatternAnswer[] | undefined> {
    if (time.workerTime >= time.seconds * 1000) return undefined;
    return this.#turns.run(project, async () => {
      const begun = performance.now();
      const left = time.seconds * 1000 - time.workerTime;
      const answers = await this.#worker.run(jobs, Math.min(left, SLICE.milliseconds));
      time.workerTime += performance.now() - begun;
      return answers;
    });
  }

  #isGood(pattern: string): boolean {
    const known = this.#known.get(pattern);
    return known !== undefined && isGood(known);
  }

  #steps({ pattern, text }: PatternMatch): number {
    return (this.#known.get(pattern)?.size ?? 0) * text.length;
  }

  /** A pattern that is compiled and matched in no time; undefined for any other. */
  #findSmall(pattern: string): RE2JS | undefined {
    const known = this.#small.get(pattern);
    if (known || pattern.length > SMALL.characters) return known;
    if (!this.#isGood(pattern) || (this.#known.get(pattern)?.size ?? Infinity) > SMALL.size) return undefined;
    const compiled = RE2JS.compile(pattern);
    this.#small.set(pattern, compiled);
    return compiled;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#worker.stop();
  }
}

function isGood({ fault, size }: Known): boolean {
  return fault === undefined && size <= LIMITS.patternSize;
}

/** Tells what is wrong with a pattern that is defined; of one that is not known, that it took too long. */
function tellDefined(known: Known | undefined, tell: NewPattern['tell']): void {
  const code = 'parameter.bad_pattern';
  if (!known) tell(code, 'takes too long to be read; make it simpler');
  else if (known.fault !== undefined) tell(code, `is no regular expression of the RE2 dialect: ${known.fault}`);
  else if (!isGood(known)) tell(code, `is too large: ${known.size} instructions, at most ${LIMITS.patternSize}`);
}

/** Settles checks of what the deployer wrote, which is trusted to be no burden: at once, on the event loop. */
export function settleTrusted(checks: PatternChecks): void {
  const { texts, defined } = checks.take();
  const compiled = new Map<string, RE2JS>();
  for (const { pattern, tell } of defined) {
    try {
      const expression = RE2JS.compile(pattern);
      const size = expression.programSize();
      tellDefined({ size }, tell);
      if (isGood({ size })) compiled.set(pattern, expression);
    } catch (error) {
      tellDefined({ fault: (error as Error).message, size: 0 }, tell);
    }
  }
  for (const check of texts) {
    const expression = compiled.get(check.pattern);
    if (expression) tellOutcome(check, expression.test(check.text) ? 'match' : 'mismatch');
  }
}
