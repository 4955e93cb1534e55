/** The text of a statement for a trace: without literals, which may be values of a tenant, and cut if it is long. */

/** Characters of a text. */
const MOST = 4000;
/** Literals, and identifiers, in which a quote begins no literal. */
const QUOTED = /"[^"]*"|E'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'/g;

export function shownStatement(text: string): { readonly operation: string; readonly text: string } {
  const shown = text.replace(QUOTED, (quoted) => (quoted.startsWith('"') ? quoted : `'?'`));
  const [operation = 'STATEMENT'] = /[A-Za-z]+/.exec(shown) ?? [];
  return {
    operation: operation.toUpperCase(),
    text: shown.length > MOST ? `${shown.slice(0, MOST)}…` : shown,
  };
}
