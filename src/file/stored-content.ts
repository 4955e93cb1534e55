/** A content on its way to its file. Pure. */
import type { Ending } from '../shared/ending.js';
import { ReadValue } from '../unit/draft/read-value.js';
import type { ContentFacts } from './content/received-content.js';

/** A content whose object is complete. In a draft its key stands for it. */
export class StoredContent extends ReadValue {
  /** The write or transaction with which it goes, if no file has it then. */
  write: Ending | undefined;
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
