/** Aggregations (docs/aggregation.md). */
import { session } from './session.js';
import type { Page } from './types.js';

/** A group of units: its values by the names in the request. */
export type AggregateRow = Readonly<Record<string, unknown>>;

export interface AggregateQuery {
  readonly select: string;
  readonly group?: string | undefined;
  readonly filter?: string | undefined;
  readonly order?: string | undefined;
  readonly limit: number;
}

/** Periods are those of the browser's time zone. @throws ApiError */
export async function aggregate(
  kind: string,
  { select, group, filter, order, limit }: AggregateQuery,
  signal?: AbortSignal,
): Promise<Page<AggregateRow>> {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const { content } = await session.call<Page<AggregateRow>>({
    path: [kind, 'aggregate'],
    query: {
      select,
      limit: String(limit),
      timezone: timeZone,
      ...(group && { group }),
      ...(filter && { filter }),
      ...(order && { order }),
    },
    signal,
  });
  return content;
}
