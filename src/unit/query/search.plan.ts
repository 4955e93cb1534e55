/** Plans a search: its condition. Pure. */
import { unconditional } from '../../model/predicate/conditional-field.js';
import type { Names } from '../../model/predicate/path.js';
import type { Predicate } from '../../model/predicate/predicate.js';
import { searchDocument, type Search } from '../../model/search-document.js';
import { refusal } from '../../shared/errors.js';
import { textFault } from '../../shared/json.js';
import { LIMITS } from '../../shared/limits.js';

type Searched = Pick<Names, 'kind' | 'visible'>;

/**
 * The search in the texts of each kind that the caller may read.
 * @param contexts the kinds of the query
 * @throws KindError 400 as for an unknown query parameter, if none of the kinds has a text that the caller may search;
 *   400 for a text that is empty, too long, or cannot be in a text of PostgreSQL
 */
export function planSearch(
  text: string | undefined,
  contexts: readonly Searched[],
): (context: Searched) => Search | undefined {
  if (text === undefined) return () => undefined;
  const documents = new Map(
    contexts.map(({ kind, visible }) => [kind, searchDocument(unconditional(visible).values())]),
  );
  if ([...documents.values()].every((document) => document === undefined))
    throw refusal('query.unknown', `No query parameter 'search' here`, { parameter: 'search' });
  checkText(text);
  return ({ kind }) => ({ text, document: documents.get(kind) });
}

/** The units that match; none of a kind without texts to search. */
export function searchCondition(search: Search | undefined): Predicate | undefined {
  if (!search) return undefined;
  const { document, text } = search;
  return document ? { op: 'search', document, text } : { op: 'constant', value: false };
}

function checkText(text: string): void {
  const fault = textFaultOf(text);
  if (fault !== undefined) throw refusal('query.bad_value', `search: ${fault}`, { parameter: 'search' });
}

function textFaultOf(text: string): string | undefined {
  const bytes = Buffer.byteLength(text);
  if (text.trim() === '') return 'wants words to search for';
  if (bytes > LIMITS.searchBytes) return `at most ${LIMITS.searchBytes} bytes, got ${bytes}`;
  return textFault(text);
}
