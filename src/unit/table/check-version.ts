import { StaleModelError } from '../../catalog/model/stale-model-error.js';
import type { Model } from '../../model/model.js';

/** A row of a statement that returns the version of the model. */
export interface Versioned {
  readonly v: string;
}

/** @throws StaleModelError if the statement was planned with an outdated model */
export function checkVersion(row: Versioned | undefined, model: Model): void {
  if (Number(row?.v) !== model.version) throw new StaleModelError();
}
