import { RestartError } from '../../database/transaction/contention.js';

/** The cached model is older than the stored one: the request starts again with the newer model. */
export class StaleModelError extends RestartError {
  override readonly name = 'StaleModelError';
}
