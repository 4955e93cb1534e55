import { RestartError } from '../../database/transaction/restart-error.js';

/** Thrown by whoever meets a model that is older than the stored one; the request starts over with the newer. */
export class StaleModelError extends RestartError {
  override readonly name = 'StaleModelError';
}
