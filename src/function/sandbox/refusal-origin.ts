/** What authored code asked for, and where: kept until it is done, because what fails later does not know it. */
import { OutdatedError } from '../../database/transaction/contention.js';
import { RestartError } from '../../database/transaction/restart-error.js';
import { FunctionError } from '../../kit/function-error.js';
import { KindError } from '../../shared/errors.js';

/** Of what a refusal is. */
export interface RequestedOperation {
  /** The kinds, or the group, that the operation names: the first is the one that it is of. */
  readonly names: readonly string[];
  /** Whether it was done as the system, so that its words may tell what the caller must not know. */
  readonly system: boolean;
}

export interface Origin extends RequestedOperation {
  /** The trace of the author's code that asked. */
  readonly from: { readonly stack?: string };
  /** Whether it has the words in which it is answered, however many other operations it leaves on its way out. */
  readonly isFinal: boolean;
}

const NAME_LENGTH = 80;

/** By the refusal. */
const origins = new WeakMap<KindError, Origin>();

export function originOf(refused: KindError): Origin | undefined {
  return origins.get(refused);
}

/** Notes that a refusal has the words in which it is answered. */
export function markFinal(refused: KindError, origin: Origin): KindError {
  origins.set(refused, { ...origin, isFinal: true });
  return refused;
}

/**
 * Runs an operation for authored code. @throws whatever it does: a refusal with what it is of, any other error with the
 * trace of who asked
 */
export function withOrigin<T>(asked: RequestedOperation, work: () => Promise<T>): Promise<T> {
  // The text of the trace is made when it is read, which is seldom.
  const from: { stack?: string } = {};
  Error.captureStackTrace(from, withOrigin);
  return work().catch((error: unknown) => {
    if (error instanceof KindError) {
      // A name may be a client's, however long: no kind or group has one that is cut here.
      const names = asked.names.map((name) => name.slice(0, NAME_LENGTH));
      if (!origins.has(error)) origins.set(error, { ...asked, names, from, isFinal: false });
    } else if (
      error instanceof Error &&
      ![FunctionError, RestartError, OutdatedError].some((type) => error instanceof type)
    ) {
      error.stack = [error.stack, ...(from.stack?.split('\n').slice(1) ?? [])].join('\n');
    }
    throw error;
  });
}
