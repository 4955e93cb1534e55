/** The units that one deletion deletes, by kind. Their number and the time of the deletion are limited. */
import { getOrInsert } from '../../shared/maps.js';
import { refusal } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { WriteDeadline } from '../../shared/write-deadline.js';

const NONE: ReadonlySet<string> = new Set();

export class DeletionProgress {
  readonly #units = new Map<string, Set<string>>();
  readonly #limit: WriteDeadline;
  #reached = 0;

  /** @param now the time in milliseconds */
  constructor(now?: () => number) {
    const advice = ', with all that it takes along; delete some of what refers to it first';
    this.#limit = new WriteDeadline(LIMITS.deletionSeconds, 'The deletion', advice, now);
  }

  of(kindId: string): ReadonlySet<string> {
    return this.#units.get(kindId) ?? NONE;
  }

  /** @throws KindError 409 if the deletion has too many units */
  add(kindId: string, ids: readonly string[]): void {
    this.#reached += ids.length;
    if (this.#reached > LIMITS.deletedUnits) {
      const most = LIMITS.deletedUnits.toLocaleString('en');
      throw refusal(
        'unit.reaches_too_many',
        `The deletion would take along more than ${most} units; delete some of those that refer to it first`,
      );
    }
    const units = getOrInsert(this.#units, kindId, () => new Set<string>());
    for (const id of ids) units.add(id);
  }

  remove(kindId: string, ids: readonly string[]): void {
    for (const id of ids) this.#units.get(kindId)?.delete(id);
  }

  /** @throws KindError 503 if the deletion takes too long */
  checkTime(): void {
    this.#limit.check();
  }
}
