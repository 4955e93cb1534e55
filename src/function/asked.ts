/** What authored code asked for, and where: kept until it is done, because what fails later does not know it. */
import { Outdated } from '../database/contended.js';
import { StartOver } from '../database/start-over.js';
import { FunctionError } from '../kit/function-error.js';
import { KindError } from '../shared/errors.js';

/** Of what a refusal is. */
export interface Asked {
  /** The kinds, or the group, that the operation names: the first is the one that it is of. */
  readonly names: readonly string[];
  /** Whether it was done as the system, so that its words may tell what the caller must not know. */
  readonly system: boolean;
}

/** By the refusal. What is settled is told as it is, however many other operations it leaves on its way out. */
const origins = new WeakMap<KindError, Asked | 'settled'>();

export function originOf(refused: KindError): Asked | 'settled' | undefined {
  return origins.get(refused);
}

/** Notes that a refusal has the words in which it is answered. */
export function settled(refused: KindError): KindError {
  origins.set(refused, 'settled');
  return refused;
}

/**
 * Runs an operation for authored code. @throws whatever it does: a refusal with what it is of, any other error with the
 * trace of who asked
 */
export function asking<T>(asked: Asked, work: () => Promise<T>): Promise<T> {
  // The text of the trace is made when it is read, which is seldom.
  const from: { stack?: string } = {};
  Error.captureStackTrace(from, asking);
  return work().catch((error: unknown) => {
    if (error instanceof KindError) {
      if (!origins.has(error)) origins.set(error, asked);
    } else if (error instanceof Error && ![FunctionError, StartOver, Outdated].some((type) => error instanceof type)) {
      error.stack = [error.stack, ...(from.stack?.split('\n').slice(1) ?? [])].join('\n');
    }
    throw error;
  });
}
