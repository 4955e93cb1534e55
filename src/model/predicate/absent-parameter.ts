/**
 * One question to several kinds: a parameter that some of them lack is null in their units. So its name resolves for all
 * of them, and what is asked of it where it is absent is answered here, before any SQL is made. Pure.
 */
import type { Field } from '../model.js';
import type { Predicate, Target, Visible } from './predicate.js';

/** Fields that stand for those of other kinds. */
export type Absent = ReadonlySet<Field>;

/** Answers for one of some kinds all names of all of them, and which of these it lacks. */
export function sharedNames(kinds: readonly Visible[]): (own: Visible) => { visible: Visible; absent: Absent } {
  const known = new Map<string, Field>();
  for (const visible of kinds) for (const [id, field] of visible) if (!known.has(id)) known.set(id, field);
  const ids = new Set(kinds.map((visible) => visible.get('id')?.columnType));
  return (own) => {
    const visible = ids.size > 1 ? withAnyId(own) : own;
    const lacking = [...known].filter(([id]) => !visible.has(id));
    if (lacking.length === 0) return { visible, absent: new Set() };
    const absent = lacking.map(([id, field]): [string, Field] => [id, { ...field, column: undefined, constant: null }]);
    return { visible: new Map([...visible, ...absent]), absent: new Set(absent.map(([, field]) => field)) };
  };
}

/** Stands for an id that no unit of a kind can have. */
const NO_SUCH_ID = { nowhere: true };

/** Ids of several types in one list: one that is none of this kind's is looked for all the same, and not found. */
function withAnyId(visible: Visible): Visible {
  const id = visible.get('id');
  if (!id) return visible;
  const { type } = id;
  const lenient: Field = { ...id, type: { ...type, read: (text) => type.read(text) ?? NO_SUCH_ID } };
  return new Map([...visible, ['id', lenient]]);
}

/** Whether a target is, or leads over, a parameter that the kind lacks. */
export function isAbsent({ field, through }: Target, absent: Absent): boolean {
  return absent.has(through?.[0]?.reference ?? field);
}

/** The predicate with every test of an absent parameter decided: of a null. */
export function resolveAbsent(predicate: Predicate, absent: Absent): Predicate {
  if (predicate.op === 'and' || predicate.op === 'or') {
    return { op: predicate.op, parts: predicate.parts.map((part) => resolveAbsent(part, absent)) };
  }
  if (predicate.op === 'not') return { op: 'not', part: resolveAbsent(predicate.part, absent) };
  if (!('target' in predicate)) return predicate;
  if (isAbsent(predicate.target, absent)) return { op: 'constant', value: passesNull(predicate) };
  if (predicate.op === 'in') return { ...predicate, values: predicate.values.filter((value) => value !== NO_SUCH_ID) };
  if ('value' in predicate && predicate.value === NO_SUCH_ID) return { op: 'constant', value: passesNull(predicate) };
  return predicate;
}

/** As PostgreSQL would decide, and `not` of it is the complement. */
function passesNull(test: Extract<Predicate, { target: Target }>): boolean {
  if (test.op === 'isnull') return test.value;
  if (test.op === 'is') return test.negated;
  return test.op === 'member' && test.test === 'ne';
}
