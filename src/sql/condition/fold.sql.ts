/** Comparison of texts without regard to case. */
import { ident, sql, type Fragment } from '../fragment.js';

/** The collation of each project's schema that folds the case of all of Unicode. */
export const FOLD_COLLATION = '_fold';

/** A text in lower case. */
export function foldedText(text: Fragment, schema: string): Fragment {
  return sql`lower(${text} COLLATE ${ident(schema, FOLD_COLLATION)})`;
}
