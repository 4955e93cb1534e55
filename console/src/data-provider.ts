/** The data of the project for ra-core: a resource is a kind, a record is a unit. */
import type { DataProvider, GetListParams } from 'ra-core';
import type { Call } from './api/client.js';
import { session } from './api/session.js';
import type { Field, Group, Kind, Page, Unit } from './api/types.js';

/** The version of a unit that was read, among its fields. No field has such a name. */
export const ETAG = '@etag';
export type ReadUnit = Unit & { readonly [ETAG]: string | null };

export interface UnitQuery {
  readonly filter?: string | undefined;
  readonly search?: string | undefined;
  /** As the query parameter `order`. */
  readonly order?: readonly string[];
  /** `''` for the first page. */
  readonly cursor: string;
  readonly include?: readonly string[];
  readonly limit: number;
}

/** The most ids in one list of labels. */
const LABELS = 100;
/** The most units in a page of a list. */
const PAGE = 1000;

export const dataProvider = {
  /** A page of the lists of ra-core, by number; the grid pages by cursor. */
  async getList(kind: string, { pagination, sort, meta, signal }: GetListParams) {
    const { page = 1, perPage = 25 } = pagination ?? {};
    const { content } = await session.call<Page<Unit>>({
      path: [kind, 'unit'],
      query: {
        limit: String(perPage),
        offset: String((page - 1) * perPage),
        ...(sort && { order: `${sort.field};${sort.order.toLowerCase()}` }),
        ...(meta as Call['query']),
      },
      signal,
    });
    return { data: content.items, total: content.count };
  },

  async getOne(kind: string, { id, signal }: { id: unknown; signal?: AbortSignal }) {
    const { content, etag } = await session.call<Unit>({ path: [kind, 'unit', String(id)], signal });
    return { data: { ...content, [ETAG]: etag } as ReadUnit };
  },

  /** Units that are gone, or that the member may not read, are left out. */
  async getMany(kind: string, { ids, meta }: { ids: readonly unknown[]; meta?: { include?: readonly string[] } }) {
    const unique = [...new Set(ids.map(String))];
    const parts = Array.from({ length: Math.ceil(unique.length / LABELS) }, (_, at) =>
      unique.slice(at * LABELS, (at + 1) * LABELS),
    );
    const pages = await Promise.all(
      parts.map((part) =>
        session.call<Page<Unit>>({
          path: [kind, 'unit'],
          query: {
            filter: `in(id,${part.map(literal).join(',')})`,
            limit: String(LABELS),
            count: 'none',
            ...(meta?.include && { include: meta.include }),
          },
        }),
      ),
    );
    return { data: pages.flatMap(({ content }) => content.items) };
  },

  getManyReference: () => Promise.reject(new Error('lists of references are filtered lists')),

  async create(kind: string, { data }: { data: object }) {
    const { content } = await session.call<Unit>({ method: 'POST', path: [kind, 'unit'], body: data });
    return { data: content };
  },

  /** `data` has the changed fields only. With `meta.etag`, only this version is changed. */
  async update(kind: string, { id, data, meta }: { id: unknown; data: object; meta?: { etag?: string } }) {
    const { content, etag } = await session.call<Unit>({
      method: 'PUT',
      path: [kind, 'unit', String(id)],
      body: data,
      ...(meta?.etag !== undefined && { headers: { 'if-match': meta.etag } }),
    });
    return { data: { ...content, [ETAG]: etag } as ReadUnit };
  },

  updateMany: () => Promise.reject(new Error('edits of many units are not there yet')),

  async delete(kind: string, { id }: { id: unknown }) {
    await session.call({ method: 'DELETE', path: [kind, 'unit', String(id)] });
    return { data: { id } };
  },

  /** All or none. */
  async deleteMany(kind: string, { ids, meta }: { ids: readonly unknown[]; meta?: { dryRun?: boolean } }) {
    await session.call({
      method: 'POST',
      path: ['batch'],
      body: {
        operations: ids.map((id) => ({ method: 'DELETE', path: `/${kind}/unit/${encodeURIComponent(String(id))}` })),
      },
      ...(meta?.dryRun === true && { query: { dry_run: 'true' } }),
    });
    return { data: [...ids] };
  },

  /** A page of units in the order of a cursor. Only the first one has the count. */
  async page(kind: string, { filter, search, order, cursor, include, limit }: UnitQuery, signal?: AbortSignal) {
    const { content } = await session.call<Page<Unit>>({
      path: [kind, 'unit'],
      query: {
        cursor,
        limit: String(limit),
        ...(filter && { filter }),
        ...(search && { search }),
        ...(order && order.length > 0 && { order }),
        ...(include && { include }),
        ...(cursor !== '' && { count: 'none' }),
      },
      signal,
    });
    return content;
  },

  /** The fields of a kind, as the member may see or set them. */
  async struct(kind: string): Promise<readonly Field[]> {
    const { content } = await session.call<Page<Field>>({ path: [kind, 'struct'] });
    return content.items;
  },

  async kinds(): Promise<readonly Kind[]> {
    return all<Kind>(['kind', 'unit']);
  },

  async groups(): Promise<readonly Group[]> {
    return all<Group>(['group', 'unit']);
  },
};

/** The same for ra-core, whose types let the caller choose those of records. */
export const raDataProvider = dataProvider as unknown as DataProvider;

async function all<T>(path: readonly string[]): Promise<readonly T[]> {
  const items: T[] = [];
  for (let cursor: string | null | undefined = ''; typeof cursor === 'string';) {
    const { content }: { content: Page<T> } = await session.call<Page<T>>({
      path,
      query: { cursor, limit: String(PAGE), order: 'label;asc' },
    });
    items.push(...content.items);
    cursor = content.next;
  }
  return items;
}

/** A value in the text of a filter, in quotes. */
export function literal(value: string): string {
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
