/** Plans two parts of a query, one of which needs the database. */
import { Faults } from '../../shared/errors.js';
import { collectFaults } from '../../shared/collect-faults.js';

/**
 * The plans of two parts of a query.
 * @throws KindError 400 with the faults of both; errors of other statuses come first
 */
export async function planBoth<A extends object, B extends object>(
  first: () => A,
  second: () => Promise<B>,
): Promise<readonly [A, B]> {
  const faults = new Faults();
  const one = collectFaults(faults, first, undefined);
  const other = await collectFaultsOf(faults, second());
  faults.throwIfAny();
  if (!one || !other) throw new Error('a query with faults was not refused');
  return [one, other];
}

async function collectFaultsOf<T>(faults: Faults, planned: Promise<T>): Promise<T | undefined> {
  try {
    return await planned;
  } catch (error) {
    return collectFaults(
      faults,
      () => {
        throw error;
      },
      undefined,
    );
  }
}
