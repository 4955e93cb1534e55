/** The names that our SQL assigns (aliases, columns of subqueries, CTEs), read from the sources. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IDENTIFIER, isSystemIdentifier } from '../../src/shared/identifiers.js';

const PLACES = [
  // An alias, or a column of a subquery.
  /\bAS (?:MATERIALIZED )?"?([a-z]\w*)/g,
  // The columns of an alias: `AS m(node, via)`.
  /\bAS "?\w+"?\(([\w, "]+)\)/g,
  // A CTE, and its columns.
  /\b([a-z]\w*) AS (?:MATERIALIZED )?\(/g,
  /\b\w+\(([\w, ]+)\) AS (?:MATERIALIZED )?\(/g,
  // A column of a row of ours.
  /\b[a-z]+\."?([a-z]\w*)/g,
  /\bident\('(\w+)'\)/g,
];

/** Those that a parameter may have as its id. */
export function sqlNames(): string[] {
  const files = readdirSync('src/sql', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const texts = files.flatMap((file) => {
    const source = readFileSync(join('src/sql', file), 'utf8');
    // What stands between backquotes is SQL, what is inserted into it is not.
    const statements = source.match(/sql`[^`]*`/g) ?? [];
    return [...statements.map((text) => text.replace(/\$\{[^}]*\}/g, '')), ...(source.match(/ident\('\w+'\)/g) ?? [])];
  });
  const found = texts.flatMap((text) =>
    PLACES.flatMap((place) => [...text.matchAll(place)].flatMap(([, names = '']) => names.match(/\w+/g) ?? [])),
  );
  return [...new Set(found)].filter((name) => IDENTIFIER.test(name) && !isSystemIdentifier(name)).sort();
}
