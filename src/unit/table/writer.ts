import type { KindDef } from '../../model/model.js';
import type { MaybePromise } from '../../shared/maybe-promise.js';
import type { Isolation } from '../../sql/transaction.sql.js';
import type { Body } from '../draft/draft.js';
import type { NotObject } from '../draft/drafter.js';
import type { Session } from '../session/session.js';
import type { UnitRow } from './unit.repository.js';
import type { WriteOptions } from './rights.js';

/** Whether one request can create many units of the kind. */
export function takesMany(kind: KindDef): boolean {
  return !kind.builtIn && !kind.remote;
}

/** What writes the units of a kind, wherever they are kept. */
export interface Writer {
  /** Of the transaction that whoever asks for a write begins, where it may be several statements. */
  isolation(
    session: Omit<Session, 'executor'>,
    kind: KindDef,
    operation: 'create' | 'update' | 'delete',
  ): Isolation | undefined;
  /** Makes units of the bodies, and those inside them, all or none. @throws KindError with every fault of every body */
  insert(
    session: Session,
    kind: KindDef,
    bodies: readonly (Body | NotObject)[],
    options?: WriteOptions,
  ): Promise<UnitRow[]>;
  /** Writes what the body has; `read` is asked for it when its turn comes. @throws KindError 400, 403, 404, 409, 412 */
  update(
    session: Session,
    kind: KindDef,
    id: string,
    read: () => MaybePromise<Body>,
    options?: WriteOptions,
  ): Promise<UnitRow>;
  /** @throws KindError 403, 404, 409, 412 */
  remove(session: Session, kind: KindDef, id: string, options?: WriteOptions): Promise<void>;
}
