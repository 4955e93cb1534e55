/** What the overview reads of several kinds at once, and the numbers of the project. All functions throw `ApiError`. */
import { ApiError } from './errors.js';
import { session } from './session.js';
import type { Field, Page, Unit } from './types.js';

/** A minute of the project's requests (docs/operations.md). */
export interface Minute {
  readonly begin: string;
  readonly requests: number;
  readonly refused: number;
  readonly failed: number;
  readonly p50_seconds: number | null;
  readonly p99_seconds: number | null;
}

/** The last hour; for administrators. */
export async function getMinutes(signal?: AbortSignal): Promise<readonly Minute[]> {
  return (await session.call<Page<Minute>>({ path: ['metrics'], signal })).content.items;
}

export interface KindFacts {
  readonly kind: string;
  readonly count: number;
  readonly fields: readonly Field[];
}

/** The fields and the number of units of kinds, without those whose units the member may not read. */
export async function getFacts(kinds: readonly string[], signal?: AbortSignal): Promise<readonly KindFacts[]> {
  const read = await readOfKinds<[Page<Field>, Page<Unit>]>(
    kinds,
    (kind) => [`/${kind}/struct`, `/${kind}/unit?limit=1&include=id&count=estimated`],
    signal,
  );
  return read.map(([kind, [{ items: fields }, { count }]]) => ({ kind, count, fields }));
}

/** The units of kinds that were changed last: so many of each. @param label the field that names them */
export async function getLatest(
  kinds: readonly { readonly kind: string; readonly label: string }[],
  limit: number,
  signal?: AbortSignal,
): Promise<readonly Unit[]> {
  const labels = new Map(kinds.map(({ kind, label }) => [kind, label]));
  const pathOf = (kind: string): string => {
    const query = new URLSearchParams({ order: 'updated_at;desc', limit: String(limit), count: 'none' });
    for (const name of new Set(['id', 'kind_id', 'updated_at', labels.get(kind) ?? 'id']))
      query.append('include', name);
    return `/${kind}/unit?${query.toString()}`;
  };
  const read = await readOfKinds<[Page<Unit>]>([...labels.keys()], (kind) => [pathOf(kind)], signal);
  return read.flatMap(([, [{ items }]]) => items);
}

/**
 * Reads these paths of each kind in one batch. A batch is refused as a whole, so it is sent again without a kind that was
 * refused, such as one that the member may not read.
 */
async function readOfKinds<T extends readonly unknown[]>(
  kinds: readonly string[],
  pathsOf: (kind: string) => { readonly [at in keyof T]: string },
  signal: AbortSignal | undefined,
): Promise<readonly (readonly [kind: string, contents: T])[]> {
  for (let left = kinds; left.length > 0;) {
    const paths = left.map(pathsOf);
    const each = paths[0]?.length ?? 1;
    try {
      const { content } = await session.call<Page<{ readonly content: unknown }>>({
        method: 'POST',
        path: ['batch'],
        body: { operations: paths.flat().map((path) => ({ method: 'GET', path })) },
        signal,
      });
      const contents = content.items.map((item) => item.content);
      return left.map((kind, at) => [kind, contents.slice(at * each, (at + 1) * each) as unknown as T] as const);
    } catch (error) {
      const refused = error instanceof ApiError ? error.messages[0]?.operation : undefined;
      if (refused === undefined) throw error;
      left = left.filter((_, at) => at !== Math.floor(refused / each));
    }
  }
  return [];
}
