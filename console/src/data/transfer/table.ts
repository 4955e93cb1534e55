/** Tables of texts: pasted from spreadsheets, or the beginning of a CSV file. */
import type { Field } from '../../api/types.js';
import type { Text } from '../../i18n/text.js';
import { inputOf, InputError, isNumeric, valueOf } from '../values.js';

export interface Table {
  readonly rows: readonly (readonly string[])[];
  /** Where the last of these rows ends in the text. */
  readonly end: number;
}

/** The rows of a text; a cell in quotes may have separators and line ends in it. @param most rows to read */
export function readTable(text: string, separator: ',' | '\t', most = Infinity): Table {
  const rows: string[][] = [];
  let at = 0;
  while (at < text.length && rows.length < most) {
    const row: string[] = [];
    for (let ended = false; !ended;) {
      const cell = text[at] === '"' ? quotedCell(text, at) : undefined;
      const start = cell?.end ?? at;
      let end = start;
      while (end < text.length && text[end] !== separator && text[end] !== '\n') end += 1;
      const rest = text.slice(start, end).replace(/\r$/, '');
      row.push(cell ? cell.value + rest : rest);
      ended = text[end] !== separator;
      at = end + 1;
    }
    if (row.some((cell) => cell !== '')) rows.push(row);
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
export function fieldsNamed(head: readonly string[], fields: readonly Field[]): readonly (Field | undefined)[] {
  return head.map((cell) => {
    const name = cell.trim().toLowerCase();
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
  if (field.multiple || field.type === 'json') {
    const parsed = typed.startsWith('[') || field.type === 'json' ? jsonOf(typed, text) : typed.split(/\s*,\s*/);
    return valueOf(field, inputOf(field, parsed), text);
  }
  if (isNumeric(field)) return valueOf(field, plainNumber(typed), text);
  if (field.type === 'boolean') return valueOf(field, plainBoolean(typed), text);
  if (field.type === 'date' && !/^(\d{4}-\d\d-\d\d|\d\d-\d\d-\d{4})$/.test(typed)) {
    throw new InputError(text('field.not_date'));
  }
  return valueOf(field, field.type === 'string' || field.type === 'text' ? cell : typed, text);
}

function jsonOf(typed: string, text: Text): unknown {
  try {
    return JSON.parse(typed) as unknown;
  } catch (error) {
    throw new InputError(text('field.not_json', { reason: (error as Error).message }));
  }
}

const parts = new Intl.NumberFormat().formatToParts(-12345.6);
const separatorOf = (type: string) => parts.find((part) => part.type === type)?.value ?? '';
const [GROUP, DECIMAL] = [separatorOf('group'), separatorOf('decimal')];

/** Spreadsheets copy numbers as they show them, such as 1,234.5. */
function plainNumber(typed: string): string {
  if (/^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(typed)) return typed;
  const grouped = typed.split(GROUP);
  const isGrouped = grouped.slice(1).every((group) => /^\d{3}(?!\d)/.test(group));
  return (isGrouped ? grouped.join('') : typed).replace(DECIMAL, '.');
}

function plainBoolean(typed: string): string {
  const lower = typed.toLowerCase();
  if (lower === 'yes' || lower === '1') return 'true';
  return lower === 'no' || lower === '0' ? 'false' : lower;
}
