/** Full-text search: the words of a unit's texts, and whether they match the words of a search. */
import type { SearchDocument } from '../model/search-document.js';
import { LIMITS } from '../shared/limits.js';
import { foldedText } from './fold.sql.js';
import { ident, integer, join, literal, param, sql, type Fragment } from './fragment.js';

/**
 * The words of a document, as an index holds them.
 * @param column a column of the row
 */
export function documentWords(document: SearchDocument, schema: string, column: (name: string) => Fragment): Fragment {
  // PostgreSQL refuses more than 1 MiB of words in a unit. Each text has the same share of what is below that.
  const share = integer(Math.floor(LIMITS.searchedCharacters / document.columns.length));
  const texts = document.columns.map((name) => sql`left(coalesce(${column(name)}, ''), ${share})`);
  return sql`to_tsvector(${configurationOf(document)}, ${foldedText(join(texts, ` || ' ' || `), schema)})`;
}

/** Whether a row matches a search, in the syntax of web searches. */
export function searchTest(document: SearchDocument, text: string, schema: string, row: string): Fragment {
  const words = documentWords(document, schema, (name) => ident(row, name));
  return sql`${words} @@ ${searchedWords(document, text, schema)}`;
}

function searchedWords(document: SearchDocument, text: string, schema: string): Fragment {
  return sql`websearch_to_tsquery(${configurationOf(document)}, ${foldedText(sql`${param(text)}::text`, schema)})`;
}

function configurationOf({ configuration }: SearchDocument): Fragment {
  return sql`${literal(`pg_catalog.${configuration}`)}::regconfig`;
}
