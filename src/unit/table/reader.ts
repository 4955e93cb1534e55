import type { Grant } from '../../access/access.js';
import type { KindDef } from '../../model/model.js';
import type { Predicate } from '../../model/predicate/predicate.js';
import type { Session } from '../session/session.js';
import type { UnitRow } from './unit.repository.js';

/** A kind, and the units of it that the caller may read. */
export interface Readable {
  readonly kind: KindDef;
  readonly grant: Grant;
}

export interface UnitPage {
  readonly count: number;
  /** JSON. */
  readonly items: string;
  /** Where a cursor was asked for: that of the next page, null on the last one. */
  readonly next?: string | null;
}

export interface ShownUnit extends UnitRow {
  /** Other units are shown in it. */
  readonly more: boolean;
}

/** What reads the units of a kind, wherever they are kept: rights and state were checked before. `url` has the query. */
export interface Reader {
  /** @throws KindError 400 */
  list(session: Session, readable: Readable, url: string): Promise<UnitPage>;
  /** Whether the unit is there is answered before what is wrong with the query. @throws KindError 400, 404 */
  get(session: Session, readable: Readable, id: string, url: string): Promise<ShownUnit>;
  /** The whole unit; undefined where there is none, or none that the caller may read. */
  find(session: Session, readable: Readable, id: string): Promise<UnitRow | undefined>;
  /** Which of some predicates hold for a unit, whoever may read it; undefined where there is none. */
  judge(
    session: Session,
    kind: KindDef,
    id: string,
    predicates: readonly Predicate[],
  ): Promise<readonly boolean[] | undefined>;
}
