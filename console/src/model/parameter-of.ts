/** Which parameter a definition means by a name. */
import { parameterRecordId } from '../../../src/shared/identifiers.js';
import type { Model } from './use-model.js';

/** The parameter that a kind names, which may be its own; without a kind a shared one. */
export function parameterOf({ parameters }: Model, kind: string | undefined, id: string) {
  return parameters.get(parameterRecordId({ id, ownKind: kind })) ?? parameters.get(id);
}
