/** A content on its way to its file. Pure. */
import { ReadValue } from '../unit/draft/read-value.js';
import type { ContentFacts } from './content/received-content.js';

/** A content whose object is complete. In a draft its key stands for it. */
export class StoredContent extends ReadValue {
  /** What a hook has said of it before the transaction of its file. */
  judged: { readonly changes: unknown } | undefined;

  constructor(
    readonly key: string,
    readonly facts: ContentFacts,
    /** The header `If-Match`, which is of the content that it replaces. */
    readonly ifMatch: string | undefined,
  ) {
    super(key);
  }
}
