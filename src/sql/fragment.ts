/**
 * SQL from fragments. Text, identifiers, literals and parameters are different things, so that a value can not become
 * text by accident: the tag `sql` takes fragments only, and a fragment is made of a value only by the functions here.
 */

/** A value bound to `$n`; one object used twice is bound once. */
export interface Param {
  readonly value: unknown;
}

type Piece = string | Param;

export class Fragment {
  constructor(readonly pieces: readonly Piece[]) {}
}

/** A rendered statement. `prepare`: worth a named statement, because its text comes back. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly prepare?: boolean;
}

export function sql(strings: TemplateStringsArray, ...fragments: readonly Fragment[]): Fragment {
  const pieces: Piece[] = [strings[0] ?? ''];
  fragments.forEach((fragment, at) => pieces.push(...fragment.pieces, strings[at + 1] ?? ''));
  return new Fragment(pieces);
}

/** An identifier, quoted: `ident('project_demo', 'city')` is `"project_demo"."city"`. */
export function ident(...names: readonly string[]): Fragment {
  return new Fragment([names.map((name) => `"${name.replaceAll('"', '""')}"`).join('.')]);
}

/** A value to bind. */
export function param(value: unknown): Fragment {
  return new Fragment([{ value }]);
}

/** A string literal, for statements that can not have parameters (DDL). Assumes standard_conforming_strings, the default. */
export function literal(text: string): Fragment {
  if (text.includes('\0')) throw new Error('a literal can not have a NUL character');
  return new Fragment([`'${text.replaceAll("'", "''")}'`]);
}

/** A whole number as text of the statement. */
export function integer(value: number): Fragment {
  if (!Number.isSafeInteger(value)) throw new Error(`not a whole number: ${value}`);
  return new Fragment([String(value)]);
}

export const EMPTY = new Fragment([]);

export function join(fragments: readonly Fragment[], separator = ', '): Fragment {
  return new Fragment(
    fragments.flatMap((fragment, at) => (at === 0 ? fragment.pieces : [separator, ...fragment.pieces])),
  );
}

/** `AND` of the conditions that are there; `true` where none is. */
export function all(conditions: readonly (Fragment | undefined)[]): Fragment {
  const present = conditions.filter((condition) => condition !== undefined);
  return present.length === 0 ? sql`true` : join(present, ' AND ');
}

export function render(fragment: Fragment, prepare = false): Statement {
  const numbers = new Map<Param, number>();
  let text = '';
  for (const piece of fragment.pieces) {
    if (typeof piece === 'string') {
      text += piece;
      continue;
    }
    let number = numbers.get(piece);
    if (number === undefined) numbers.set(piece, (number = numbers.size + 1));
    text += `$${number}`;
  }
  return { text, values: [...numbers.keys()].map(({ value }) => value), prepare };
}
