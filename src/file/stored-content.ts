/** A content on its way to its file. Pure. */
import type { ContentFacts } from './content/received-content.js';

/** A content whose object is complete. */
export class StoredContent {
  /** What a hook has said of it before the transaction of its file. */
  judged: { readonly changes: unknown } | undefined;

  constructor(
    readonly key: string,
    readonly facts: ContentFacts,
    /** The header `If-Match`, which is of the content that it replaces. */
    readonly ifMatch: string | undefined,
  ) {}
}
