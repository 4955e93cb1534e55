/**
 * Statements with their values as literals. PostgreSQL plans such a statement once for each connection, with these values,
 * and again when its statistics of a table change; a statement with parameters is planned for its values each time
 * (`FORCE_CUSTOM_PLAN`), or once for all values.
 */
import type { Statement } from './fragment.js';

/** The longest text of a statement with literals, in characters. */
const LONGEST = 20_000;

const QUOTED_OR_PARAMETER = /'[^']*'|"[^"]*"|\$(\d+)/g;

/**
 * The same statement without parameters, to be prepared; undefined if a value has no literal, or the text would be too
 * long. Like parameters, the literals have no type of their own.
 */
export function withLiteralValues({ text, values, ...rest }: Statement): Statement | undefined {
  const literals = values.map(literalOf);
  let complete = true;
  const inlined = text.replace(QUOTED_OR_PARAMETER, (found, number?: string) => {
    if (number === undefined) return found;
    const literal = literals[Number(number) - 1];
    complete &&= literal !== undefined;
    return literal ?? '';
  });
  return complete && inlined.length <= LONGEST ? { ...rest, text: inlined, values: [], prepare: true } : undefined;
}

function literalOf(value: unknown): string | undefined {
  if (value === null) return 'NULL';
  const text = Array.isArray(value) ? arrayText(value) : textOf(value);
  return text === undefined || text.includes('\0') ? undefined : quoted(text);
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** The text of an array of PostgreSQL: `{"a","b",NULL}`. */
function arrayText(items: readonly unknown[]): string | undefined {
  const texts = items.map((item) => {
    if (item === null) return 'NULL';
    return textOf(item)?.replace(/["\\]/g, '\\$&');
  });
  if (texts.includes(undefined)) return undefined;
  return `{${texts.map((text, at) => (items[at] === null ? text : `"${text ?? ''}"`)).join(',')}}`;
}

/** Right whatever `standard_conforming_strings` is. */
function quoted(text: string): string {
  const escaped = text.replaceAll("'", "''");
  return text.includes('\\') ? ` E'${escaped.replaceAll('\\', '\\\\')}'` : `'${escaped}'`;
}
