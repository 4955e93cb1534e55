/** What is known of a pattern, and its faults when it is defined. */
import { RE2JS } from 're2js';
import { reportOutcome, type NewPattern, type PatternChecks } from '../../model/check/pattern-checks.js';
import { LIMITS } from '../../shared/limits.js';

/** What is known of a pattern: why it is invalid, or its number of instructions. */
export interface KnownPattern {
  readonly fault?: string;
  readonly size: number;
}

export function isUsablePattern({ fault, size }: KnownPattern): boolean {
  return fault === undefined && size <= LIMITS.patternSize;
}

/** Reports the fault of a pattern that is being defined; an unknown pattern has timed out. */
export function reportDefinition(known: KnownPattern | undefined, report: NewPattern['report']): void {
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
