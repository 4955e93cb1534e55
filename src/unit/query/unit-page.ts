export interface UnitPage {
  /** -1 if the units were not counted. */
  readonly count: number;
  /** JSON. */
  readonly items: string;
  /** With keyset pagination the cursor of the next page, null on the last one. */
  readonly next?: string | null;
}
