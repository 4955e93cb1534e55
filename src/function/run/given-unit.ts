/**
 * The unit that a function of a unit receives. It is read before the transaction of the call begins, which may be much
 * later. The transaction compares it with the stored unit, so that no write is based on outdated values.
 */
import { OutdatedError } from '../../database/transaction/contention.js';
import type { KindDef } from '../../model/model.js';
import type { Session } from '../../catalog/session/session.js';
import type { UnitObject } from '../../unit/hidden-values.js';
import { deepCopy } from '../sandbox/deep-copy.js';

/** Reads the unit in a session. */
export interface UnitReading {
  /** @throws KindError if the caller may not read the unit, or not call the function on it */
  get(session: Session): Promise<UnitObject>;
  /** Undefined if the unit does not exist or the caller may not read it. */
  find(session: Session): Promise<UnitObject | undefined>;
}

export class GivenUnit {
  readonly #text: string;

  constructor(
    private readonly kind: KindDef,
    readonly first: UnitObject,
    private readonly reading: UnitReading,
  ) {
    this.#text = unitText(first);
  }

  /** A new copy for each run, because the run before may have changed what it got. */
  copy(): UnitObject {
    return deepCopy(this.first) as UnitObject;
  }

  /** Reads the unit again, in the transaction of a session. @throws KindError as `UnitReading.get` does */
  readAgain(session: Session): Promise<UnitObject> {
    return this.reading.get(session);
  }

  /** @throws OutdatedError if the stored unit has changed; units of remote sources are not read again */
  async check(session: Session): Promise<void> {
    const { kind, first } = this;
    if (!kind.storage.transactional) return;
    const now = await this.reading.find(session);
    if (now && unitText(now) === this.#text) return;
    const { schema } = session.project;
    const units = { schema, kind, keys: [String(first['id'])], forDelete: false };
    throw new OutdatedError({ schema, table: kind.table, units });
  }
}

/** All values, including hidden parameters, for comparison. */
function unitText(unit: UnitObject): string {
  return JSON.stringify(Object.getOwnPropertyNames(unit).map((name) => [name, unit[name]]));
}
