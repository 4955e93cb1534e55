/** What the console reads and writes, as calls of the REST API. All functions throw `ApiError`. */
import { ApiError } from './errors.js';
import { session } from './session.js';
import type { Field, Group, Kind, Page, Unit } from './types.js';

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

/** How many units match: as many, or about as many where counting takes too long. */
export interface Count {
  readonly count: number;
  readonly isEstimate: boolean;
}

/** The most ids in the filter of one request. */
export const MOST_IDS = 100;
/** The most units in a page of a list, and in one write. */
export const MOST_UNITS = 1000;

export async function getUnit(kind: string, id: string, signal?: AbortSignal): Promise<ReadUnit> {
  const { content, etag } = await session.call<Unit>({ path: [kind, 'unit', id], signal });
  return { ...content, [ETAG]: etag };
}

/** What the member may do with a unit. */
export interface UnitRights {
  readonly update: boolean;
  readonly delete: boolean;
  /** By parameter with transitions, the values that the member may give it next. */
  readonly transitions: Readonly<Record<string, readonly string[]>>;
}

export async function getUnitRights(kind: string, id: string, signal?: AbortSignal): Promise<UnitRights> {
  const path = [kind, 'unit', id];
  const { content } = await session.call<{ can: UnitRights }>({ path, query: { include: ['can()'] }, signal });
  return content.can;
}

/** Units that are gone, or that the member may not read, are left out. */
export async function getUnits(
  kind: string,
  ids: readonly string[],
  include: readonly string[],
): Promise<readonly Unit[]> {
  const pages = await Promise.all(
    partsOf(ids).map((part) => {
      const filter = `in(id,${part.map(literal).join(',')})`;
      const query = { filter, limit: String(MOST_IDS), count: 'none', include };
      return session.call<Page<Unit>>({ path: [kind, 'unit'], query });
    }),
  );
  return pages.flatMap(({ content }) => content.items);
}

/** The units that have one of these names as their id, or as the value of `label`. */
export async function findUnits(kind: string, label: string, names: readonly string[]): Promise<readonly Unit[]> {
  const ids = await possibleIds(kind, names);
  const filtersOf = (field: string, values: readonly string[]) =>
    partsOf(values).map((part) => `in(${field},${part.map(literal).join(',')})`);
  const filters = [...filtersOf('id', ids), ...(label === 'id' ? [] : filtersOf(label, names))];
  const pages = await Promise.all(
    filters.map((filter) => {
      const query = { filter, limit: String(MOST_UNITS), count: 'none', include: ['id', label] };
      return session.call<Page<Unit>>({ path: [kind, 'unit'], query });
    }),
  );
  return pages.flatMap(({ content }) => content.items);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Those that units of the kind can have as their id: where ids are generated, a filter takes no other text. */
export async function possibleIds(kind: string, texts: readonly string[]): Promise<readonly string[]> {
  const others = texts.filter((text) => !UUID.test(text));
  if (others.length === 0) return texts;
  const { items } = await listUnits(kind, { cursor: '', limit: 1, include: ['id'] });
  const [first] = items;
  return !first || UUID.test(first.id) ? texts.filter((text) => UUID.test(text)) : texts;
}

/** So many that the filter of a request may have them. */
export function partsOf(ids: readonly string[]): readonly (readonly string[])[] {
  const count = Math.ceil(ids.length / MOST_IDS);
  return Array.from({ length: count }, (_, at) => ids.slice(at * MOST_IDS, (at + 1) * MOST_IDS));
}

export async function createUnit(kind: string, values: object): Promise<Unit> {
  const { content } = await session.call<Unit>({ method: 'POST', path: [kind, 'unit'], body: values });
  return content;
}

/** All or none. Answers how many they are. */
export async function createUnits(kind: string, units: readonly object[]): Promise<number> {
  await session.call({ method: 'POST', path: [kind, 'unit'], body: units });
  return units.length;
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

/** A page of units in the order of a cursor, without their number. */
export function listUnits(kind: string, query: UnitQuery, signal?: AbortSignal): Promise<Page<Unit>> {
  return listAt([kind, 'unit'], query, signal);
}

/** The same of all kinds of a group. */
export function listGroupUnits(group: string, query: UnitQuery, signal?: AbortSignal): Promise<Page<Unit>> {
  return listAt(['group', group, 'unit'], query, signal);
}

async function listAt(
  path: readonly string[],
  { filter, search, order = [], cursor, include, limit }: UnitQuery,
  signal: AbortSignal | undefined,
): Promise<Page<Unit>> {
  const { content } = await session.call<Page<Unit>>({
    path,
    query: {
      cursor,
      limit: String(limit),
      count: 'none',
      ...(filter && { filter }),
      ...(search && { search }),
      ...(order.length > 0 && { order }),
      ...(include && { include }),
    },
    signal,
  });
  return content;
}

/** How many units match. @param path that of the list */
export async function countUnits(
  path: readonly string[],
  query: Pick<UnitQuery, 'filter' | 'search'>,
  signal?: AbortSignal,
): Promise<Count> {
  const countBy = async (count: 'exact' | 'estimated'): Promise<number> => {
    const asked = { ...(query.filter && { filter: query.filter }), ...(query.search && { search: query.search }) };
    const call = { path, query: { ...asked, count, limit: '1', include: ['id'] }, signal };
    return (await session.call<Page<Unit>>(call)).content.count;
  };
  try {
    return { count: await countBy('exact'), isEstimate: false };
  } catch (error) {
    if (!(error instanceof ApiError) || !error.has('query.timeout')) throw error;
    return { count: await countBy('estimated'), isEstimate: true };
  }
}

/** A struct of `kind` or of a group has `parameters`. */
interface Struct {
  readonly items?: readonly Field[];
  readonly parameters?: readonly Field[];
}

/** The fields of a kind, as the member may see or set them. */
export function getStruct(kind: string): Promise<readonly Field[]> {
  return structAt([kind, 'struct']);
}

/** The fields of all kinds of a group. */
export function getGroupStruct(group: string): Promise<readonly Field[]> {
  return structAt(['group', group, 'struct']);
}

async function structAt(path: readonly string[]): Promise<readonly Field[]> {
  const { content } = await session.call<Struct>({ path });
  return content.items ?? content.parameters ?? [];
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
