/**
 * Whether two plans do the same: the same nodes, indexes and conditions. Where one of them was made for the values of a
 * statement, it has constants where the other one has parameters. Pure.
 */
import { isDeepStrictEqual } from 'node:util';

/** A constant as plans show it, with its type, or a parameter. */
const VALUE = /'(?:[^']|'')*'|\$\d+|(?<![\w".])-?\d+(?:\.\d+)?(?![\w"])|"(?:[^"]|"")*"/g;
const TYPE = /\?::[a-z_]+(?: [a-z_]+)*(?:\(\?(?:,\?)?\)|\?)?(?: with(?:out)? time zone)?(?:\[\])*/g;

/** @param first, second plans in the JSON of EXPLAIN, without estimates */
export function isSamePlan(first: unknown, second: unknown): boolean {
  return isDeepStrictEqual(withoutValues(first), withoutValues(second));
}

function withoutValues(part: unknown): unknown {
  if (typeof part === 'string') return conditionWithoutValues(part);
  if (Array.isArray(part)) return part.map(withoutValues);
  if (part === null || typeof part !== 'object') return part;
  return Object.entries(part).map(([key, value]) => [key, withoutValues(value)]);
}

function conditionWithoutValues(text: string): string {
  const bare = text.replace(VALUE, (found) => (found.startsWith('"') ? found : '?')).replaceAll('(?)', '?');
  return bare.replace(TYPE, '?').replaceAll('(?)', '?');
}
