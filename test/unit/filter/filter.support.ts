/** Short names for nodes in the tables of the tests, and the refusal of a text as one line. */
import type { Filter, ValueList, MemberRef, Path, Scalar } from '../../../src/filter/filter.ast.js';
import { parseFilter, type ParseOptions } from '../../../src/filter/filter.parser.js';
import { KindError } from '../../../src/shared/errors.js';

export const path = (at: number, ...segments: string[]): Path => ({ segments, at });
export const bare = (at: number, text: string): Scalar => ({ type: 'bare', text, at });
export const quoted = (at: number, text: string): Scalar => ({ type: 'quoted', text, at });
export const member = (at: number, name: string): MemberRef => ({ type: 'member', name, at });
export const list = (at: number, ...items: (Scalar | MemberRef)[]): ValueList => ({ type: 'list', items, at });

/** `code: text` of the refusal; the word `accepted` where there is none. */
export function code(text: string, options?: ParseOptions): string {
  try {
    parseFilter(text, options);
    return 'accepted';
  } catch (error) {
    if (error instanceof KindError) return error.message;
    throw error;
  }
}

/** The same tree with every position 0. */
export function withoutPositions(filter: Filter): Filter {
  return JSON.parse(JSON.stringify(filter), (key, value: unknown) => (key === 'at' ? 0 : value)) as Filter;
}
