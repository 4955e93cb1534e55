/**
 * Texts that are to be matched against patterns. Values are read by pure code, at once; to match them may take long, so it
 * is left to whoever asked for the reading (`catalog/pattern/pattern-matcher.ts`). Pure.
 */
import type { ErrorCode } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';

/**
 * What becomes of a match: `too_long` and `together` where the text, or all texts of a unit, would take too many steps,
 * `costly` where the time for it is over.
 */
export type PatternOutcome = 'match' | 'mismatch' | 'too_long' | 'together' | 'costly';

export interface PatternMatch {
  readonly pattern: string;
  readonly text: string;
}

export interface PatternCheck extends PatternMatch {
  readonly tell: (code: ErrorCode, text: string) => void;
}

/** A pattern that is being defined: whether it is one, and small enough. */
export interface NewPattern {
  readonly pattern: string;
  readonly tell: (code: ErrorCode, text: string) => void;
}

/** The checks of one request: those of a unit, or of a definition, are collected and settled before the next one's. */
export class PatternChecks {
  readonly texts: PatternCheck[] = [];
  readonly defined: NewPattern[] = [];
  readonly seconds = LIMITS.patternSeconds;
  /** Milliseconds that matching has taken: on a thread of its own, and on the event loop. */
  workerTime = 0;
  eventLoopTime = 0;

  get any(): boolean {
    return this.texts.length > 0 || this.defined.length > 0;
  }

  /** What was collected, which is no longer here. */
  take(): Pick<PatternChecks, 'texts' | 'defined'> {
    return { texts: this.texts.splice(0), defined: this.defined.splice(0) };
  }
}

/** Tells what a match came to, where that is a fault. */
export function reportOutcome({ pattern, text, tell }: PatternCheck, outcome: PatternOutcome): void {
  switch (outcome) {
    case 'match':
      return;
    case 'mismatch':
      return tell('parameter.pattern_mismatch', `does not match the pattern ${pattern}`);
    case 'too_long':
      return tell('parameter.too_long', `too long to be matched against its pattern, got ${text.length} characters`);
    case 'together':
      return tell('parameter.too_long', 'with the others of the unit too long to be matched against patterns');
    case 'costly':
      return tell(
        'parameter.too_long',
        `all that one request has matched against patterns may take ${LIMITS.patternSeconds} seconds, and this takes longer: send fewer units at once, or shorter texts`,
      );
  }
}
