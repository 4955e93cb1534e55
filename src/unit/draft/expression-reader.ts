/** Validates the expressions of an edit. The results are checked when the edit is written. Pure. */
import { expressionWordsOf, type EditExpression, type ExpressionWord } from '../../model/expression.js';
import type { Field, KindDef } from '../../model/model.js';
import { parameterDef } from '../../model/parameter-type/parameter-def.js';
import type { Stored } from '../../model/parameter-type/parameter-type.js';
import type { ErrorCode } from '../../shared/errors.js';
import { isPlainObject, typeName } from '../../shared/json.js';
import { LIMITS } from '../../shared/limits.js';
import type { WorkInPieces } from '../../shared/work-in-pieces.js';
import type { ValueReader } from './value-reader.js';

/** Reports a fault of an expression. */
type ReportExpressionFault = (code: ErrorCode, text: string) => void;

type GivenWords = Readonly<Partial<Record<ExpressionWord, unknown>>>;

/** The expression, or for `$set` the value that is set; undefined after a fault. */
type ReadExpression = { readonly expression: EditExpression } | { readonly value: unknown };

/** @param given an object whose keys are words of expressions */
export function* readExpression(
  field: Field,
  given: GivenWords,
  { kind, values, report }: { kind: KindDef; values: ValueReader; report: ReportExpressionFault },
): WorkInPieces<ReadExpression | undefined> {
  const allowed = expressionWordsOf(field, kind);
  const words = Object.keys(given) as ExpressionWord[];
  const unfit = words.find((word) => !allowed.includes(word));
  if (unfit !== undefined) {
    return void report('parameter.bad_expression', `has no ${unfit}; ${allowedText(allowed)}`);
  }
  if ('$set' in given || '$merge' in given) {
    if (words.length > 1) return void report('parameter.bad_expression', `${words.join(' and ')} exclude each other`);
    return '$set' in given ? { value: given.$set } : yield* readMerge(field, given.$merge, { values, report });
  }
  if ('$inc' in given) return readIncrement(field, given.$inc, report);
  const remove = yield* readElements(field, '$remove', given, { values, report }, withoutRules(field));
  const add = yield* readElements(field, '$add', given, { values, report }, withRepeated(field));
  return remove && add && { expression: { op: 'list', remove, add } };
}

function allowedText(allowed: readonly ExpressionWord[]): string {
  return allowed.length === 0 ? 'it takes no expression' : `it has ${allowed.join(', ')}`;
}

function readIncrement(field: Field, given: unknown, report: ReportExpressionFault): ReadExpression | undefined {
  const { scale } = field.def;
  const by = field.type.accept(given, { scale }, (code, text) => report(code, `$inc: ${text}`));
  return by === undefined ? undefined : { expression: { op: 'inc', by } };
}

interface Reading {
  readonly values: ValueReader;
  readonly report: ReportExpressionFault;
}

function* readMerge(
  field: Field,
  given: unknown,
  { values, report }: Reading,
): WorkInPieces<ReadExpression | undefined> {
  if (!isPlainObject(given)) {
    return void report('parameter.bad_type', `$merge: must be an object, got ${typeName(given)}`);
  }
  const patch = yield* values.readInPieces(field, given);
  if (!isPlainObject(patch)) return undefined;
  if (innerObjects(patch) > LIMITS.mergedObjects) {
    const text = `$merge: at most ${LIMITS.mergedObjects} objects inside one another or beside each other`;
    return void report('parameter.too_long', text);
  }
  return { expression: { op: 'merge', patch: patch } };
}

/** The objects in a patch that are merged themselves, and not those in lists. */
function innerObjects(patch: Readonly<Record<string, unknown>>): number {
  let count = 0;
  for (const value of Object.values(patch)) if (isPlainObject(value)) count += 1 + innerObjects(value);
  return count;
}

function* readElements(
  field: Field,
  word: '$remove' | '$add',
  given: GivenWords,
  { values, report }: Reading,
  as: Field,
): WorkInPieces<readonly Stored[] | undefined> {
  if (!(word in given)) return [];
  const list = given[word];
  if (!Array.isArray(list)) {
    return void report('parameter.bad_type', `${word}: must be an array, got ${typeName(list)}`);
  }
  return (yield* values.readInPieces({ ...as, id: field.id }, list)) as readonly Stored[] | undefined;
}

/** Elements to remove need only be of the type. */
function withoutRules(field: Field): Field {
  const { id, type, strip } = field.def;
  return { ...field, def: parameterDef({ id, type, multiple: true, strip }) };
}

/** Elements that are added more than once are one element of a `unique` list. */
function withRepeated(field: Field): Field {
  return { ...field, def: { ...field.def, unique: false } };
}
