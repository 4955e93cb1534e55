import { StartOver } from '../database/transaction/start-over.js';

/** Thrown by whoever meets a model that is older than the stored one; the request starts over with the newer. */
export class StaleModel extends StartOver {
  override readonly name = 'StaleModel';
}
