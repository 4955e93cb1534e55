/** What has an end, at which something is done: a transaction, or a write from before its transaction on. */
export interface Ending {
  readonly hasEnded: boolean;
  onEnd(work: () => void): void;
}
