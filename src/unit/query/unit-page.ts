export interface UnitPage {
  /** -1 if the units were not counted. */
  readonly count: number;
  /** JSON. */
  readonly items: string;
  /** With keyset pagination the cursor of the next page, null on the last one. */
  readonly next?: string | null;
}

/** A page of an aggregation. */
export interface GroupPage {
  /** The number of all groups. */
  readonly count: number;
  /** JSON. */
  readonly items: string;
  /** The names in the items whose values come from hidden parameters. */
  readonly hidden: readonly string[];
}
