/** What is to be stored of a unit, as it was read of a body (`drafting.ts`). Pure. */
import { scalarText, type Json } from '../../shared/json.js';
import { shownValue } from '../../model/field.js';
import type { Field, KindDef } from '../../model/model.js';

/** A body by key: a Map, because keys are the client's. */
export type Body = ReadonlyMap<string, unknown>;

export interface Draft {
  /** Values by column, as they are bound. */
  readonly row: Readonly<Record<string, Json>>;
  /** The fields whose columns are written, in the order of the kind. */
  readonly written: readonly Field[];
  /** The body by parameter, run-time parameters included; of a create after defaults, once it is whole. */
  readonly values: ReadonlyMap<string, Json>;
}

/** The column of a draft's row that has its key. */
export function keyColumn({ keyField }: KindDef): string {
  return keyField.column ?? 'id';
}

/** The text of a draft's key; empty where it has none: in an edit, of a source that gives it, because of a fault. */
export function keyOf({ row }: Draft, kind: KindDef): string {
  return scalarText(row[keyColumn(kind)] ?? '');
}

/** The values of a draft as records show them, those of run-time parameters too; without its key. */
export function shownValues({ values }: Draft, { fields, keyField }: KindDef): Record<string, Json> {
  const shown = [...values].flatMap(([id, value]): [string, Json][] => {
    const field = fields.get(id);
    return field && field !== keyField ? [[id, shownValue(field, value)]] : [];
  });
  return Object.fromEntries(shown);
}

export function bodyOf(value: Record<string, unknown>): Body {
  return new Map(Object.entries(value));
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

/** A draft with the values of another one laid over it. */
export function withValuesOf(draft: Draft, over: Draft): Draft {
  return {
    row: { ...draft.row, ...over.row },
    written: [...draft.written, ...over.written.filter((field) => !draft.written.includes(field))],
    values: new Map([...draft.values, ...over.values]),
  };
}

/** A draft without the values of some fields. */
export function withoutValuesOf(draft: Draft, fields: readonly Field[]): Draft {
  const [ids, columns] = [new Set(fields.map(({ id }) => id)), new Set(fields.map(({ column }) => column))];
  return {
    row: Object.fromEntries(Object.entries(draft.row).filter(([column]) => !columns.has(column))),
    written: draft.written.filter((field) => !fields.includes(field)),
    values: new Map([...draft.values].filter(([id]) => !ids.has(id))),
  };
}
