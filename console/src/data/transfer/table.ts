/** Tables of texts: pasted from spreadsheets, or the beginning of a CSV file. */
import type { Field } from '../../api/types.js';
import { InputError, textOf } from '../../fields/console-field.js';
import { fieldOfType } from '../../fields/fields.js';
import { valueOf } from '../../fields/typed-value.js';
import { isNumeric, isTypedAsJson, separatorsOf } from '../../fields/values.js';
import type { Text } from '../../i18n/text.js';

/** The text of a cell; null for nothing. As in the service, `""` is the empty text. */
export type Cell = string | null;

export interface Table {
  readonly rows: readonly (readonly Cell[])[];
  /** Where the last of these rows ends in the text. */
  readonly end: number;
}

/** The rows of a text; a cell in quotes may have separators and line ends in it. @param most rows to read */
export function readTable(text: string, separator: ',' | '\t', most = Infinity): Table {
  const rows: Cell[][] = [];
  let at = 0;
  while (at < text.length && rows.length < most) {
    const row: Cell[] = [];
    for (let ended = false; !ended;) {
      const cell = text[at] === '"' ? quotedCell(text, at) : undefined;
      const start = cell?.end ?? at;
      let end = start;
      while (end < text.length && text[end] !== separator && text[end] !== '\n') end += 1;
      const rest = text.slice(start, end).replace(/\r$/, '');
      row.push(cell ? cell.value + rest : rest === '' ? null : rest);
      ended = text[end] !== separator;
      at = end + 1;
    }
    // Passed over as in the service: of one column, an empty line is nothing.
    const isEmptyLine = row.length === 1 && row[0] === null && rows[0]?.length !== 1;
    if (!isEmptyLine) rows.push(row);
  }
  return { rows, end: Math.min(at, text.length) };
}

function quotedCell(text: string, start: number): { value: string; end: number } {
  let value = '';
  for (let from = start + 1; ;) {
    const quote = text.indexOf('"', from);
    // A quote that is not closed is a quote.
    if (quote < 0) return { value: '"', end: start + 1 };
    value += text.slice(from, quote);
    if (text[quote + 1] !== '"') return { value, end: quote + 1 };
    value += '"';
    from = quote + 2;
  }
}

/** The fields that the cells of a head name, by id or label; undefined for others. */
export function fieldsNamed(head: readonly Cell[], fields: readonly Field[]): readonly (Field | undefined)[] {
  return head.map((cell) => {
    const name = cell?.trim().toLowerCase();
    return fields.find(({ id }) => id === name) ?? fields.find(({ label }) => label.toLowerCase() === name);
  });
}

/** The value that a text in a cell of a spreadsheet means; undefined for nothing. @throws InputError */
export function pastedValue(field: Field, cell: string, text: Text): unknown {
  const typed = cell.trim();
  if (typed === '') {
    if (field.required) throw new InputError(text('field.required'));
    return undefined;
  }
  if (isTypedAsJson(field)) return valueOf(field, typed, text);
  if (field.multiple)
    return valueOf(field, typed.startsWith('[') ? jsonItems(typed, text) : items(field, typed, text), text);
  return valueOf(field, fieldOfType(field.type).pasted?.(cell) ?? typed, text);
}

function jsonItems(typed: string, text: Text): readonly string[] {
  try {
    return (JSON.parse(typed) as unknown[]).map(textOf);
  } catch (error) {
    throw new InputError(text('field.not_json', { reason: (error as Error).message }));
  }
}

/** The elements of a list. @throws InputError if a comma may be part of a number */
function items({ type }: Field, typed: string, text: Text): readonly string[] {
  const isNumbers = isNumeric({ type, multiple: false });
  if (isNumbers && typed.includes(';')) return typed.split(/\s*;\s*/);
  const isGrouped = /\d,\d{3}(?!\d)/.test(typed);
  const hasDecimals = !separatorsOf(type).includes(',') && /\d,\d/.test(typed);
  if (isNumbers && (isGrouped || hasDecimals)) throw new InputError(text('field.separate'));
  return typed.split(/\s*,\s*/);
}
