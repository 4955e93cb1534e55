/** What watches requests and sends their traces. */
import type { RequestWatcher } from '../../http/server/request-lifecycle.js';

export interface TraceSender {
  readonly watch: RequestWatcher;
  /** Sends what has not been sent. */
  stop(): Promise<void>;
}
