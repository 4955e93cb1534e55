/** A draft: the validated values of a unit that is to be written. Pure. */
import { refusal } from '../../shared/errors.js';
import { isPlainObject, scalarText, typeName, type Json } from '../../shared/json.js';
import { shownValue } from '../../model/field.js';
import type { FieldExpression } from '../../model/expression.js';
import type { Field, KindDef } from '../../model/model.js';

/** A body by key: a `Map`, or an object that is read like one, because clients choose the keys. */
export interface Body extends Iterable<readonly [key: string, value: unknown]> {
  has(key: string): boolean;
  get(key: string): unknown;
  keys(): Iterable<string>;
}

export interface Draft {
  /** Values by column, as statement parameters. */
  readonly row: Readonly<Record<string, Json>>;
  /** The fields whose columns are written, in the order of the kind. */
  readonly written: readonly Field[];
  /** Values by parameter, with run-time parameters; after a create is completed, also with defaults. */
  readonly values: ReadonlyMap<string, Json>;
  /** Of edits: expressions on stored values. Their fields are not in `written`. */
  readonly expressions?: readonly FieldExpression[] | undefined;
}

/** The column of the key. */
export function keyColumn({ keyField }: KindDef): string {
  return keyField.column ?? 'id';
}

/** The key of a draft as text; empty for edits, for keys that a source generates, and after faults. */
export function keyOf({ row }: Draft, kind: KindDef): string {
  return scalarText(row[keyColumn(kind)] ?? '');
}

/** The values of a draft in the form of records, with run-time parameters, without the key. */
export function shownValues({ values }: Draft, { fields, keyField }: KindDef): Record<string, Json> {
  const shown = [...values].flatMap(([id, value]): [string, Json][] => {
    const field = fields.get(id);
    return field && field !== keyField ? [[id, shownValue(field, value)]] : [];
  });
  return Object.fromEntries(shown);
}

/** Reads an object as a body. A `Map` for each body of a bulk create would take much memory. */
class ObjectBody implements Body {
  constructor(private readonly object: Readonly<Record<string, unknown>>) {}

  has(key: string): boolean {
    return Object.hasOwn(this.object, key);
  }

  get(key: string): unknown {
    return Object.hasOwn(this.object, key) ? this.object[key] : undefined;
  }

  keys(): readonly string[] {
    return Object.keys(this.object);
  }

  [Symbol.iterator](): Iterator<[string, unknown]> {
    return Object.entries(this.object)[Symbol.iterator]();
  }
}

/** @param value must not be changed as long as the body is read */
export function bodyOf(value: Record<string, unknown>): Body {
  return new ObjectBody(value);
}

/** The values in a body that may be missing. @throws KindError 400 if it is not an object */
export function optionalBody(value: unknown): Body {
  if (value === undefined) return new Map();
  if (isPlainObject(value)) return bodyOf(value);
  throw refusal('body.not_object', `The body must be a JSON object, got ${typeName(value)}`);
}

const NO_EXPRESSIONS: readonly FieldExpression[] = [];

/** The expressions of a draft. */
export function expressionsOf({ expressions = NO_EXPRESSIONS }: Draft): readonly FieldExpression[] {
  return expressions;
}

/** The expressions of fields that `keeps` selects, for a copy of a draft. */
function keptExpressions({ expressions }: Draft, keeps: (field: Field) => boolean): Pick<Draft, 'expressions'> {
  return expressions ? { expressions: expressions.filter(({ field }) => keeps(field)) } : {};
}

/** A draft without run-time parameters. Only behaviors read its values by parameter, so the map is made for them. */
export class StoredDraft implements Draft {
  #values: ReadonlyMap<string, Json> | undefined;

  constructor(
    readonly row: Draft['row'],
    readonly written: Draft['written'],
    readonly expressions?: readonly FieldExpression[] | undefined,
  ) {}

  get values(): ReadonlyMap<string, Json> {
    return (this.#values ??= storedValues(this));
  }
}

/** The values of the written fields by parameter. */
export function storedValues({ row, written }: Pick<Draft, 'row' | 'written'>): Map<string, Json> {
  return new Map(written.map((field) => [field.id, row[field.column ?? field.id] ?? null]));
}

/** Adds a value that the system writes. */
export function withSystemValue(draft: Draft, field: Field, value: Draft['row'][string]): Draft {
  const column = field.column ?? field.id;
  const written = draft.written.includes(field) ? draft.written : [...draft.written, field];
  return {
    row: { ...draft.row, [column]: value },
    written,
    values: new Map([...draft.values, [field.id, value]]),
    ...keptExpressions(draft, (each) => each !== field),
  };
}

/** Overwrites values and expressions of a draft with the values of another one. */
export function withValuesOf(draft: Draft, over: Draft): Draft {
  return {
    row: { ...draft.row, ...over.row },
    written: [...draft.written, ...over.written.filter((field) => !draft.written.includes(field))],
    values: new Map([...draft.values, ...over.values]),
    ...keptExpressions(draft, ({ id }) => !over.values.has(id)),
  };
}

/** Removes the values of some fields. */
export function withoutValuesOf(draft: Draft, fields: readonly Field[]): Draft {
  const [ids, columns] = [new Set(fields.map(({ id }) => id)), new Set(fields.map(({ column }) => column))];
  return {
    row: Object.fromEntries(Object.entries(draft.row).filter(([column]) => !columns.has(column))),
    written: draft.written.filter((field) => !fields.includes(field)),
    values: new Map([...draft.values].filter(([id]) => !ids.has(id))),
    ...keptExpressions(draft, ({ id }) => !ids.has(id)),
  };
}
