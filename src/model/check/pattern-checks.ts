/**
 * Collects texts to match against patterns. Values are validated synchronously by pure code, but matching may take
 * long, so the caller of the validation does it afterwards (`catalog/pattern/pattern-matcher.ts`). Pure.
 */
import type { ErrorCode } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';

/**
 * The outcome of a match: `too_long` or `together` if the text, or all texts of the unit, would take too many steps;
 * `costly` if the time limit of the request is exceeded.
 */
export type PatternOutcome = 'match' | 'mismatch' | 'too_long' | 'together' | 'costly';

export interface PatternMatch {
  readonly pattern: string;
  readonly text: string;
}

export interface PatternCheck extends PatternMatch {
  readonly report: (code: ErrorCode, text: string) => void;
}

/** A pattern that is being defined, whose syntax and size are checked. */
export interface NewPattern {
  readonly pattern: string;
  readonly report: (code: ErrorCode, text: string) => void;
}

/** The checks of one request. Those of a unit or definition are settled before those of the next are collected. */
export class PatternChecks {
  readonly texts: PatternCheck[] = [];
  readonly defined: NewPattern[] = [];
  readonly seconds = LIMITS.patternSeconds;
  /** Milliseconds that matching has taken so far: on the worker thread, and on the event loop. */
  workerTime = 0;
  eventLoopTime = 0;

  get any(): boolean {
    return this.texts.length > 0 || this.defined.length > 0;
  }

  /** Returns and removes the collected checks. */
  take(): Pick<PatternChecks, 'texts' | 'defined'> {
    return { texts: this.texts.splice(0), defined: this.defined.splice(0) };
  }
}

/** Reports the fault of an outcome, if it is one. */
export function reportOutcome({ pattern, text, report }: PatternCheck, outcome: PatternOutcome): void {
  switch (outcome) {
    case 'match':
      return;
    case 'mismatch':
      return report('parameter.pattern_mismatch', `does not match the pattern ${pattern}`);
    case 'too_long':
      return report('parameter.too_long', `too long to be matched against its pattern, got ${text.length} characters`);
    case 'together':
      return report('parameter.too_long', 'with the others of the unit too long to be matched against patterns');
    case 'costly':
      return report(
        'parameter.too_long',
        `all that one request has matched against patterns may take ${LIMITS.patternSeconds} seconds, and this takes longer: send fewer units at once, or shorter texts`,
      );
  }
}
