/** What the console reads and writes, as calls of the REST API. All functions throw `ApiError` and `OfflineError`. */
import { session } from './session.js';
import type { Field, Group, Kind, Page, Unit } from './types.js';

/** The version of a unit that was read, among its fields. No field has such a name. */
export const ETAG = '@etag';
export type ReadUnit = Unit & { readonly [ETAG]: string | null };

interface UnitQuery {
  readonly filter?: string | undefined;
  readonly search?: string | undefined;
  /** As the query parameter `order`. */
  readonly order?: readonly string[];
  /** `''` for the first page. */
  readonly cursor: string;
  readonly include?: readonly string[];
  readonly limit: number;
}

/** The most ids in the filter of one request. */
const MOST_IDS = 100;
/** The most units in a page of a list. */
const MOST_UNITS = 1000;

export async function getUnit(kind: string, id: string, signal?: AbortSignal): Promise<ReadUnit> {
  const { content, etag } = await session.call<Unit>({ path: [kind, 'unit', id], signal });
  return { ...content, [ETAG]: etag };
}

/** Units that are gone, or that the member may not read, are left out. */
export async function getUnits(
  kind: string,
  ids: readonly string[],
  include: readonly string[],
): Promise<readonly Unit[]> {
  const parts = Array.from({ length: Math.ceil(ids.length / MOST_IDS) }, (_, at) =>
    ids.slice(at * MOST_IDS, (at + 1) * MOST_IDS),
  );
  const pages = await Promise.all(
    parts.map((part) => {
      const filter = `in(id,${part.map(literal).join(',')})`;
      const query = { filter, limit: String(MOST_IDS), count: 'none', include };
      return session.call<Page<Unit>>({ path: [kind, 'unit'], query });
    }),
  );
  return pages.flatMap(({ content }) => content.items);
}

export async function createUnit(kind: string, values: object): Promise<Unit> {
  const { content } = await session.call<Unit>({ method: 'POST', path: [kind, 'unit'], body: values });
  return content;
}

/** @param values the changed fields only @param etag the version that is changed; any, if it is not given */
export async function updateUnit(
  kind: string,
  id: string,
  values: object,
  etag: string | null = null,
): Promise<ReadUnit> {
  const reply = await session.call<Unit>({
    method: 'PUT',
    path: [kind, 'unit', id],
    body: values,
    ...(etag !== null && { headers: { 'if-match': etag } }),
  });
  return { ...reply.content, [ETAG]: reply.etag };
}

/** All or none. */
export async function deleteUnits(kind: string, ids: readonly string[], { dryRun = false } = {}): Promise<void> {
  const operations = ids.map((id) => ({ method: 'DELETE', path: `/${kind}/unit/${encodeURIComponent(id)}` }));
  await session.call({
    method: 'POST',
    path: ['batch'],
    body: { operations },
    ...(dryRun && { query: { dry_run: 'true' } }),
  });
}

/** A page of units in the order of a cursor. Only the first one has the count. */
export async function listUnits(
  kind: string,
  { filter, search, order = [], cursor, include, limit }: UnitQuery,
  signal?: AbortSignal,
): Promise<Page<Unit>> {
  const { content } = await session.call<Page<Unit>>({
    path: [kind, 'unit'],
    query: {
      cursor,
      limit: String(limit),
      ...(filter && { filter }),
      ...(search && { search }),
      ...(order.length > 0 && { order }),
      ...(include && { include }),
      ...(cursor !== '' && { count: 'none' }),
    },
    signal,
  });
  return content;
}

/** The fields of a kind, as the member may see or set them. */
export async function getStruct(kind: string): Promise<readonly Field[]> {
  const { content } = await session.call<Page<Field>>({ path: [kind, 'struct'] });
  return content.items;
}

export function listKinds(): Promise<readonly Kind[]> {
  return listAll<Kind>('kind');
}

export function listGroups(): Promise<readonly Group[]> {
  return listAll<Group>('group');
}

async function listAll<T>(kind: string): Promise<readonly T[]> {
  const items: T[] = [];
  for (let cursor: string | null | undefined = ''; typeof cursor === 'string';) {
    const page: Page<Unit> = await listUnits(kind, { cursor, limit: MOST_UNITS, order: ['label;asc'] });
    items.push(...(page.items as readonly unknown[] as readonly T[]));
    cursor = page.next;
  }
  return items;
}

/** A value in the text of a filter, in quotes. */
export function literal(value: string): string {
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
