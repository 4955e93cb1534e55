/**
 * A command is what a route does, taken apart: what the caller may do is asked without the body and without a statement,
 * and the work runs wherever the runner wants it, alone, in a transaction, or as a part of a batch.
 */
import type { ReceivedBody } from '../http/body/read-body.js';
import type { Answer } from '../http/answer/answer.js';
import type { MaybePromise } from '../shared/work-in-pieces.js';
import type { BodySource } from '../tenancy/request-bodies.js';
import type { Ahead, DeletionReport, Session, Shown } from '../catalog/session/session.js';
import type { Transaction } from '../database/database.js';

/** What is known of a request before it has a connection. */
export type Opened = Omit<Session, 'executor'>;

/**
 * `definition`: changes definitions, in a transaction of its own at READ COMMITTED. `outside`: writes to a source that no
 * transaction can undo. `stream`: writes what it reads itself from a stream, in a transaction of its own.
 */
type Effect = 'read' | 'write' | 'definition' | 'outside' | 'stream';

export interface Command {
  /**
   * Checks the rights of the caller with the model alone. Called again for a newer model.
   * @throws KindError 401, 403, 404, 405, or what keeps the kind from being used now
   */
  authorize(opened: Opened): Plan;
}

export interface Plan {
  readonly effect: Effect;
  /** The kind, for refusals. */
  readonly kindId?: string;
  /** How large the body may be, which is read next, or who receives it; left out if it takes none. */
  readonly body?: BodySource | undefined;
  /** What a repeat of its answer may leave out; undefined: nothing, so that it is refused once something may be hidden. */
  readonly shows?: Shown | undefined;
  /** Its answer has a secret, which is stored nowhere. */
  readonly secret?: boolean;
  /** Its statements do not check the version of the model, which the runner does before. */
  readonly checked?: boolean;
  /** The same, and it is not repeated with a newer model, since what it asks another source cannot be taken back. */
  readonly once?: boolean;
  /** A replica may answer it, if the client allows that. */
  readonly mayBeOlder?: boolean;
  /** Says what deletions do, for a dry run that asks for it. */
  readonly effects?: (opened: Opened) => ToldEffects;
  /** Of a change of definitions: checks the query, before the body is read. Returns whether it may delete stored data. */
  readonly prepare?: (session: Session) => MaybePromise<boolean>;
  /** Comes before `run` outside a transaction. */
  readonly ahead?: Ahead;
  /** Checks rights that depend on the body before a repeat. Returns the operations of a batch that cannot be checked. */
  readonly recheck?: (opened: Opened, body: ReceivedBody) => Promise<readonly number[]>;
  /** Does the work, in the transaction of the session if it has one. */
  readonly run: (session: Session, body: ReceivedBody, key?: StreamKey) => Promise<Answer>;
}

/** The idempotency key of a request whose body is a stream. */
export interface StreamKey {
  /** The hash of the body; undefined while not all of it has arrived. */
  hash: () => string | undefined;
  /** Runs the work in its transaction, unless the key has an answer. */
  inside(tx: Transaction, version: number, work: () => Promise<Answer>): Promise<Answer>;
}

export interface ToldEffects {
  readonly report: DeletionReport;
  told(): object;
}

export function isCommand(value: unknown): value is Command {
  return typeof value === 'object' && value !== null && 'authorize' in value;
}

/** A command that only reads. */
export function reading(authorize: (opened: Opened) => Omit<Plan, 'effect'>): Command {
  return { authorize: (opened) => ({ effect: 'read', ...authorize(opened) }) };
}
