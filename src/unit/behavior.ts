/**
 * What is special about the units of some kinds, bound to a kind or to a group: `kind` creates tables, parameter types
 * alter columns, member kinds guard credentials. The engine knows no kind by name; a new behaviour is one file.
 */
import { Injectable } from '@nestjs/common';
import type { Faults } from '../shared/errors.js';
import type { Field, KindDef } from '../model/model.js';
import type { Body, Draft } from './draft.js';
import type { Session } from './session.js';

/** A write under way. `id` is that of the unit being edited. */
export interface PendingWrite {
  readonly kind: KindDef;
  readonly session: Session;
  readonly faults: Faults;
  readonly id?: string;
  /** The position of the object in a bulk body. */
  readonly index?: number;
}

export interface Behavior {
  applies(kind: KindDef): boolean;
  /** The units are definitions: they are written in a definition change, and the tables follow. */
  readonly definition?: boolean;
  /** An edit answers the edited fields, the id and the times, instead of the whole unit. */
  readonly answersEdited?: boolean;
  /** The body before it is read. */
  prepare?(body: Body, write: PendingWrite): Promise<Body> | Body;
  /** After the body was read: adds faults, or what the system writes. */
  complete?(draft: Draft, write: PendingWrite): Promise<Draft> | Draft;
  /** Before the unit goes; what it throws keeps it. */
  beforeDelete?(kind: KindDef, id: string, session: Session): Promise<void>;
  /** After it went. */
  afterDelete?(kind: KindDef, id: string, session: Session): Promise<void>;
  /** After it was made or edited. */
  afterWrite?(kind: KindDef, id: string, draft: Draft, session: Session): Promise<void>;
}

/** The behaviours of a deployment; modules register theirs when they start. */
@Injectable()
export class Behaviors {
  readonly #all: Behavior[] = [];
  readonly #byKind = new WeakMap<KindDef, readonly Behavior[]>();

  register(behavior: Behavior): void {
    this.#all.push(behavior);
  }

  of(kind: KindDef): readonly Behavior[] {
    const known = this.#byKind.get(kind);
    if (known) return known;
    const found = this.#all.filter((behavior) => behavior.applies(kind));
    this.#byKind.set(kind, found);
    return found;
  }
}

/** A draft with one more value that the system writes. */
export function withSystemValue(draft: Draft, field: Field, value: Draft['row'][string]): Draft {
  const column = field.column ?? field.id;
  const written = draft.written.includes(field) ? draft.written : [...draft.written, field];
  return {
    row: { ...draft.row, [column]: value },
    written,
    values: new Map([...draft.values, [field.id, value]]),
  };
}
