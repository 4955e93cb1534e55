/** Full-text search: the words of a unit's texts, and whether they match the words of a search. */
import type { Field } from '../../model/model.js';
import type { Search, SearchDocument } from '../../model/search-document.js';
import { LIMITS } from '../../shared/limits.js';
import { columnRef } from '../columns.sql.js';
import { type Fragment, ident, integer, join, literal, param, sql } from '../fragment.js';

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

/** How well a row matches; null in a kind without texts to search. */
export function searchRank({ document, text }: Search, schema: string, row: string): Fragment {
  if (!document) return sql`NULL::real`;
  const words = documentWords(document, schema, (name) => ident(row, name));
  return sql`ts_rank(${words}, ${searchedWords(document, text, schema)})`;
}

/** A part of a text with words of a search, as a column of the record. */
export interface ShownSnippet {
  readonly name: string;
  readonly field: Field;
  readonly search: Search;
  /** The kind has no such text, so the value is null. */
  readonly lacking?: true;
}

/** `expression AS "name"` for the record of the row `t`: HTML in which only the words are marked. */
export function snippetColumn(schema: string, { name, field, search, lacking }: ShownSnippet): Fragment {
  const { document, text } = search;
  if (!document || lacking) return sql`NULL::text AS ${ident(name)}`;
  const words = searchedWords(document, text, schema);
  const source = escapedHtml(sql`left(${columnRef(field, 't')}, ${integer(LIMITS.searchedCharacters)})`);
  const options = literal('StartSel=<mark>, StopSel=</mark>');
  return sql`ts_headline(${configurationOf(document)}, ${source}, ${words}, ${options}) AS ${ident(name)}`;
}

const HTML_ENTITIES = [
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
] as const;

function escapedHtml(text: Fragment): Fragment {
  return HTML_ENTITIES.reduce(
    (escaped, [character, entity]) => sql`replace(${escaped}, ${literal(character)}, ${literal(entity)})`,
    text,
  );
}

function searchedWords(document: SearchDocument, text: string, schema: string): Fragment {
  return sql`websearch_to_tsquery(${configurationOf(document)}, ${foldedText(sql`${param(text)}::text`, schema)})`;
}

function configurationOf({ configuration }: SearchDocument): Fragment {
  return sql`${literal(`pg_catalog.${configuration}`)}::regconfig`;
}

/** The collation of each project's schema that folds the case of all of Unicode. */
export const FOLD_COLLATION = '_fold';

/** A text in lower case. */
export function foldedText(text: Fragment, schema: string): Fragment {
  return sql`lower(${text} COLLATE ${ident(schema, FOLD_COLLATION)})`;
}
