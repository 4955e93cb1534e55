/** What an edit writes: of one unit, of several, and of all that match a filter; and what it may write once. */
import { readableFields } from '../../access/masks.js';
import { transitionsFor } from '../../access/transitions.js';
import { uniqueColumns } from '../../model/field.js';
import type { Field, KindDef } from '../../model/model.js';
import { unconditional, type ConditionalField } from '../../model/predicate/conditional-field.js';
import { conjunction, type Predicate } from '../../model/predicate/predicate.js';
import { KindError, type Message } from '../../shared/errors.js';
import { jsonEqual, type Json } from '../../shared/json.js';
import type { GuardedField, WriteOnceField } from '../../sql/write/written-rows.sql.js';
import type { Session } from '../../catalog/session/session.js';
import { expressionsOf, type Body, type Draft } from './draft.js';

/** The written fields of an edit, its expressions, and those whose new value depends on the stored one. */
export function planWritten(session: Session, kind: KindDef, draft: Draft, body: Body) {
  const written = uniqueColumns(draft.written);
  const expressions = expressionsOf(draft);
  const changed = [...written, ...expressions.map(({ field }) => field)];
  return { written, expressions, guarded: guardedFields(changed, body, kind, session) };
}

/** What must hold of a unit before and after the edit: `access`, and the rules of the fields that the body names. */
export function withFieldRules(
  access: Predicate | undefined,
  rules: readonly ConditionalField[],
): Predicate | undefined {
  return rules.reduce((all, { condition }) => conjunction(all, condition), access);
}

function guardedFields(
  written: readonly Field[],
  body: Body,
  kind: KindDef,
  session: Pick<Session, 'caller' | 'model'>,
): readonly GuardedField[] {
  const once = writeOnceFields(written, body, kind, session);
  const transitions = written.flatMap((field) => transitionsFor(field, kind, session.caller, session.model) ?? []);
  return transitions.length > 0 ? [...once, ...transitions] : once;
}

/**
 * The written fields that may be written once. The stored value may be written again, but not by a body of a caller that
 * may not read it: the answer would reveal whether the value is the stored one.
 */
export function writeOnceFields(
  written: readonly Field[],
  body: Body,
  kind: KindDef,
  { caller, model }: Pick<Session, 'caller' | 'model'>,
): readonly WriteOnceField[] {
  const once = written.filter(({ def }) => def.writeOnce);
  if (once.length === 0) return NONE;
  const readable = unconditional(readableFields(kind, caller, model));
  return once.map((field) => ({ field, repeatable: readable.has(field.id) || !body.has(field.id) }));
}

const NONE: readonly WriteOnceField[] = [];

/** The fields that may be written once and would change. @param given the new values in the form of records */
export function changedFields(
  once: readonly WriteOnceField[],
  stored: ReadonlyMap<string, Json>,
  given: Readonly<Record<string, Json>>,
): readonly Field[] {
  const changed = once.filter(({ field: { id }, repeatable }) => {
    const value = stored.get(id) ?? null;
    return value !== null && !(repeatable && jsonEqual(value, given[id] ?? null));
  });
  return changed.map(({ field }) => field);
}

/** @param fields those that have another value; undefined is returned if there are none */
export function writeOnceRefusal(fields: readonly Field[]): KindError | undefined {
  const [first, ...more] = fields.map(({ id }): Message => ({
    code: 'parameter.write_once',
    text: `${id}: has a value already, which stays as it is`,
    parameter: id,
  }));
  return first && new KindError([first, ...more]);
}
