/**
 * The text of a statement for a trace: without literals, which may be values of a tenant, without names that a client
 * chose (of columns in an answer, keys of JSON), and cut if it is long.
 */

/** Characters of a text. */
const MOST = 4000;
/** Literals, and identifiers, in which a quote begins no literal. */
const QUOTED = /"(?:[^"]|"")*"|E'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'/g;
/** The names of a column in an answer. The rows `_p` and `_r` have no others. */
const ALIAS = /(?: AS |"?\b_[pr]"?\.)$/;
/** A name that is qualified, and what qualifies it, is none that a client chose. */
const QUALIFIED = /("?)(\w+)\1\.("(?:[^"]|"")*")/g;

export function shownStatement(text: string): { readonly operation: string; readonly text: string } {
  const names = new Set<string>();
  for (const [, , row = '', name = ''] of text.matchAll(QUALIFIED))
    names.add(`"${row}"`).add(/^_[pr]$/.test(row) ? '' : name);
  const shown = text.replace(QUOTED, (quoted, at: number) => {
    if (!quoted.startsWith('"')) return `'?'`;
    return names.has(quoted) || !ALIAS.test(text.slice(Math.max(0, at - 6), at)) ? quoted : '"?"';
  });
  const [operation = 'STATEMENT'] = /[A-Za-z]+/.exec(shown) ?? [];
  return {
    operation: operation.toUpperCase(),
    text: shown.length > MOST ? `${shown.slice(0, MOST)}…` : shown,
  };
}
