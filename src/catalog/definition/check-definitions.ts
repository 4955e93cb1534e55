/** Checks definitions after they were written, and before the tables change. */
import { checkAccessRules, checkFieldRules, checkLinkAccessRules } from '../../access/check-access.js';
import { suggestableIds } from '../../access/suggestable-ids.js';
import { checkCounts, checkModel } from '../../model/check/check-model.js';
import { type Model } from '../../model/model.js';
import { Faults } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { type WorkInPieces } from '../../shared/work-in-pieces.js';
import { storedBytesOf } from '../model/model-cache.js';
import { DefinitionChange } from './definition-change.js';

/** Checks that the written definitions are consistent, and rules of access valid. @throws KindError with every fault */
export function* checkWritten(model: Model, change: DefinitionChange): WorkInPieces<void> {
  const faults = new Faults();
  for (const id of change.access) {
    const kind = model.kinds.get(id);
    if (kind) checkAccessRules(kind, model, faults);
    yield;
  }
  for (const id of change.linkAccess) {
    const type = model.linkTypes.get(id);
    if (type) checkLinkAccessRules(type, model, faults);
    yield;
  }
  for (const kind of model.kinds.values()) {
    if (!kind.builtIn) checkFieldRules(kind, { before: change.before, after: model }, change, faults);
    yield;
  }
  yield* checkModel(model, change, suggestableIds(model, change.caller), faults);
  checkCounts(change.before, model, faults);
  checkDefinitionBytes(change.before, model, faults);
  faults.throwIfAny();
}

/** Bytes by which a project over the limit may still grow: switching something off stores `false`, which is longer. */
const TOLERATED_GROWTH = 100;

/** Adds a fault if the definitions exceed the limit and have grown. */
function checkDefinitionBytes(before: Model, after: Model, faults: Faults): void {
  const [took, takes, allowed] = [storedBytesOf(before), storedBytesOf(after), LIMITS.definitionBytes];
  if (takes <= (took > allowed ? took + TOLERATED_GROWTH : allowed)) return;
  const [most, now, then] = [allowed, took, takes].map((bytes) => bytes.toLocaleString('en'));
  const text = `The definitions of a project take at most ${most} bytes, as JSON; these take ${now}, and would take ${then}`;
  faults.add('project.full', text);
}
