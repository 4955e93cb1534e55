/**
 * The unit that a function of units is given. It is read before the transaction of the call begins, which may be late, and
 * compared with what that finds: what the author makes of it is made of what is stored.
 */
import { OutdatedError } from '../../database/transaction/contention.js';
import type { KindDef } from '../../model/model.js';
import type { Session } from '../../unit/session/session.js';
import type { UnitObject } from '../../unit/session-units.js';

/** How the unit is read in a session. */
export interface UnitReading {
  /** @throws KindError where the caller may not read it, or not call the function for it */
  get(session: Session): Promise<UnitObject>;
  /** Undefined where the caller may not read it. */
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

  /** As it is in a session that is under way. @throws KindError as a call does */
  again(session: Session): Promise<UnitObject> {
    return this.reading.get(session);
  }

  /** @throws Outdated where the unit is not as it was given; one of a source is not asked for again */
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

/** All of it, hidden parameters too. */
function unitText(unit: UnitObject): string {
  return JSON.stringify(Object.getOwnPropertyNames(unit).map((name) => [name, unit[name]]));
}
