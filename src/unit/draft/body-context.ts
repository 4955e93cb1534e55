/** One body of a write: its position, what it has in common with the others, and how its refusals name it. */
import { hasFieldRules } from '../../access/field-rules.js';
import { readableFields, writableFields } from '../../access/masks.js';
import { targetKindTextFor } from '../../access/reference-access.js';
import { isConditional, type ConditionalField } from '../../model/predicate/conditional-field.js';
import { KindError, prefixError } from '../../shared/errors.js';
import type { EventLoopYield } from '../../shared/event-loop-yield.js';
import type { Caller } from '../../tenancy/caller.js';
import { originalCallerOf } from '../../catalog/session/session.js';
import type { PendingWrite } from './behavior.js';
import type { DraftOptions } from './draft-builder.js';
import type { Body } from './draft.js';
import type { NestedUnits } from './nested-units.js';

/** The position of a body in the write. */
export interface BodyContext {
  readonly write: PendingWrite;
  /** Of all bodies of the kind in the write. */
  readonly options: DraftOptions;
  readonly writer: Caller;
  readonly nested: NestedUnits;
  readonly yielder: EventLoopYield;
  readonly depth: number;
  /** Objects of an edit are values, and no expressions. */
  readonly literal?: boolean;
  /** The references from the outermost body to this one. */
  readonly path: readonly string[];
}

/** What the drafts of a write of one kind have in common. */
export function optionsOf({ kind, session, faults, patterns, defaults }: PendingWrite, writer: Caller): DraftOptions {
  return {
    kind,
    writable: writableFields(kind, writer, session.model),
    readable: readableFields(kind, writer, session.model),
    faults,
    patterns,
    defaults,
    ofTarget: targetKindTextFor(originalCallerOf(session), session.model),
  };
}

const NO_RULES: readonly ConditionalField[] = [];

/** The parameters with rules that a body names. */
export function conditionalFieldsOf(body: Body, { kind, writable }: DraftOptions): readonly ConditionalField[] {
  if (!hasFieldRules(kind)) return NO_RULES;
  const rules: ConditionalField[] = [];
  for (const name of body.keys()) {
    const field = writable.get(name);
    if (field && isConditional(field)) rules.push(field);
  }
  return rules.length > 0 ? rules : NO_RULES;
}

/** Adds the path of a nested unit to refusals of behaviors. */
export async function locateRefusal<T>({ write, path }: BodyContext, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const plain = path.length === 0 || !(error instanceof KindError) || error.status === 401 || error.status === 403;
    throw plain ? error : prefixError(error, path.join('.'), bulkPosition(write));
  }
}

export function bulkPosition({ index }: PendingWrite): { index?: number } {
  return index === undefined ? {} : { index };
}
