/** Matches texts against the patterns of parameters by the same library as the service, because dialects differ. */
import type { RE2JS } from 're2js';

/** Instructions of a pattern times characters; what takes more is left to the service. */
const MOST_STEPS = 1_000_000;

let library: typeof RE2JS | undefined;
const compiled = new Map<string, RE2JS | undefined>();

/** To be called before `isMismatch`; without the library nothing is refused here. */
export async function loadPatterns(): Promise<void> {
  try {
    library ??= (await import('re2js')).RE2JS;
  } catch {
    // Not loaded: the service decides.
  }
}

/** Whether the text certainly has no match of the pattern. */
export function isMismatch(pattern: string, text: string): boolean {
  const expression = expressionOf(pattern);
  if (!expression || text.length * expression.programSize() > MOST_STEPS) return false;
  return !expression.matcher(text).find();
}

function expressionOf(pattern: string): RE2JS | undefined {
  if (!library) return undefined;
  if (!compiled.has(pattern)) {
    try {
      compiled.set(pattern, library.compile(pattern));
    } catch {
      compiled.set(pattern, undefined);
    }
  }
  return compiled.get(pattern);
}
