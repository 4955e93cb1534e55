/**
 * Validates values with the definitions of their fields, in pieces: returns stored values, and reports all faults. So it
 * does the expressions of an edit, whose results are checked when the edit is written. Pure.
 */
import type { TargetKindText } from '../../access/reference-access.js';
import type { Field, KindDef } from '../../model/model.js';
import type { ParameterType, ReportValueFault, Stored } from '../../model/parameter-type/parameter-type.js';
import type { PatternChecks } from '../../model/check/pattern-checks.js';
import type { ErrorCode } from '../../shared/errors.js';
import { isPlainObject, type Json, scalarText, typeName } from '../../shared/json.js';
import { duplicatesInPieces } from '../../shared/large-json.js';
import { LIMITS } from '../../shared/limits.js';
import { runSync, type WorkInPieces } from '../../shared/work-in-pieces.js';
import { type EditExpression, type ExpressionWord, expressionWordsOf } from '../../model/expression.js';
import { parameterDef } from '../../model/parameter-type/parameter-def.js';
import { ReadValue } from './read-value.js';

/** Reports a fault of a field; `text` begins with the path of the value, such as `tags[1]: `. */
export type ReportFault = (code: ErrorCode, field: Field, text: string) => void;

/** Whether a value of the field may take long. */
export function mayBeLarge({ def, type }: Field): boolean {
  return def.multiple || type.acceptInPieces !== undefined;
}

/** Validates the values of one unit. Texts to match against patterns are added to `patterns`. */
export class ValueReader {
  /** The value that is being read at once. */
  #field: Field | undefined;
  #at: number | undefined;

  constructor(
    private readonly kind: KindDef,
    private readonly patterns: PatternChecks,
    private readonly report: ReportFault,
    private readonly ofTarget: TargetKindText,
  ) {}

  /** Reads a value that is not null; undefined after a fault. */
  read(field: Field, value: unknown): Stored | undefined {
    if (value instanceof ReadValue) return value.stored;
    return mayBeLarge(field) ? runSync(this.readInPieces(field, value)) : this.#readOne(field, value);
  }

  *readInPieces(field: Field, value: unknown): WorkInPieces<Stored | undefined> {
    const { id, def, type } = field;
    if (id === 'metadata' && !isPlainObject(value)) {
      return void this.report('parameter.bad_type', field, `${id}: must be an object, got ${typeName(value)}`);
    }
    if (!def.multiple) {
      return type.acceptInPieces ? yield* this.#readLarge(field, value) : this.#readOne(field, value);
    }
    if (!Array.isArray(value)) {
      return void this.report('parameter.bad_type', field, `${id}: must be an array, got ${typeName(value)}`);
    }
    return yield* this.#readList(field, value);
  }

  *#readList(field: Field, value: readonly unknown[]): WorkInPieces<Stored | undefined> {
    const { id, def, type } = field;
    if (value.length > LIMITS.jsonValues) {
      const text = `${id}: at most ${LIMITS.jsonValues} elements, got ${value.length}`;
      return void this.report('parameter.too_long', field, text);
    }
    const stored: Stored[] = [];
    for (const [at, item] of value.entries()) {
      if (at % 64 === 0) yield;
      if (item === null) {
        this.report('parameter.null', field, `${id}[${at}]: must not be null`);
        continue;
      }
      const read = type.acceptInPieces ? yield* this.#readLarge(field, item, at) : this.#readOne(field, item, at);
      if (read !== undefined) stored.push(read);
    }
    if (stored.length < value.length) return undefined;
    const repeated = def.unique ? yield* duplicatesInPieces(yield* shownForms(stored, type)) : [];
    for (const at of repeated) {
      this.report('parameter.duplicate', field, `${id}[${at}]: is there already, and elements are unique`);
    }
    return repeated.length > 0 ? undefined : stored;
  }

  /** One value, or one element of a list: `at` is its position. */
  #readOne(field: Field, value: unknown, at?: number): Stored | undefined {
    this.#field = field;
    this.#at = at;
    return this.#checked(field, field.type.accept(value, field.def, this.#reportNow), at);
  }

  /** Reports a fault of the value that is being read. One function for all values, because most have no fault. */
  readonly #reportNow: ReportValueFault = (code, text) => {
    if (this.#field) this.#reportOn(this.#field, this.#at)(code, text);
  };

  *#readLarge(field: Field, value: unknown, at?: number): WorkInPieces<Stored | undefined> {
    const report = this.#reportOn(field, at);
    const read = field.type.acceptInPieces?.(value, field.def, report);
    return this.#checked(field, read && (yield* read), at);
  }

  #reportOn(field: Field, at: number | undefined): ReportValueFault {
    return (code, text) => this.report(code, field, `${field.id}${at === undefined ? '' : `[${at}]`}: ${text}`);
  }

  #checked(field: Field, stored: Stored | undefined, at: number | undefined): Stored | undefined {
    if (stored === undefined || typeof stored !== 'string') return stored;
    const plain = field.def.pattern === undefined && field !== this.kind.primary && !field.reference;
    if (plain) return stored;
    const report = this.#reportOn(field, at);
    if (field.def.pattern !== undefined) this.patterns.texts.push({ pattern: field.def.pattern, text: stored, report });
    if (field === this.kind.primary && ['', '.', '..'].includes(stored)) {
      return void report('parameter.bad_value', `'${stored}' cannot be a key, because it cannot be in a path`);
    }
    if (!field.reference) return stored;
    const { key, kind } = field.reference;
    const id = key.read(stored);
    // As in paths, only the canonical spelling of an id is accepted.
    if (id !== undefined && (key.anyCase || scalarText(id) === stored)) return id;
    return void report('parameter.bad_reference', `no unit '${stored.slice(0, 100)}'${this.ofTarget(kind)}`);
  }
}

/** Values in the form of records, so that spellings of one value are equal. */
function* shownForms(stored: readonly Stored[], type: ParameterType): WorkInPieces<Json[]> {
  const shown: Json[] = [];
  for (const [at, item] of stored.entries()) {
    if (at % 64 === 0) yield;
    shown.push(type.canonical?.(item) ?? item);
  }
  return shown;
}

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
    return void report('parameter.bad_type', `has no ${unfit}; ${allowedText(allowed)}`);
  }
  if ('$set' in given || '$merge' in given) {
    if (words.length > 1) return void report('parameter.bad_type', `${words.join(' and ')} exclude each other`);
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
