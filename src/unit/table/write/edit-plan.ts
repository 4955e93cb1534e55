/** What an edit writes, as its plan says it. The same for one unit and for all that match a filter. */
import { uniqueColumns } from '../../../model/field.js';
import type { KindDef } from '../../../model/model.js';
import type { ConditionalField } from '../../../model/predicate/conditional-field.js';
import { conjunction, type Predicate } from '../../../model/predicate/predicate.js';
import { expressionsOf, type Body, type Draft } from '../../draft/draft.js';
import { writeOnceFields } from '../../draft/write-once.js';
import type { Session } from '../../../catalog/session/session.js';

/** The written fields of an edit, its expressions, and which of the fields may be written once. */
export function planWritten(session: Session, kind: KindDef, draft: Draft, body: Body) {
  const written = uniqueColumns(draft.written);
  const expressions = expressionsOf(draft);
  const changed = [...written, ...expressions.map(({ field }) => field)];
  return { written, expressions, writeOnce: writeOnceFields(changed, body, kind, session) };
}

/** What must hold of a unit before and after the edit: `access`, and the rules of the fields that the body names. */
export function withFieldRules(
  access: Predicate | undefined,
  rules: readonly ConditionalField[],
): Predicate | undefined {
  return rules.reduce((all, { condition }) => conjunction(all, condition), access);
}
