/** Links, and walks over them, as calls of the REST API. All functions throw `ApiError`. */
import { session } from './session.js';
import type { Page, Unit } from './types.js';
import { literal } from './units.js';

export type Direction = 'child' | 'parent';

export interface LinkRecord {
  readonly link_id: string;
  readonly parent_id: string;
  readonly child_id: string;
  /** The number of links before it. */
  readonly depth: number;
  /** The values that links of its type have. */
  readonly [value: string]: unknown;
}

/** A unit with the link over which it was reached. */
export type LinkedUnit = Unit & { readonly link: LinkRecord };

interface WalkQuery {
  readonly direction: Direction;
  /** All, if there are none. */
  readonly types: readonly string[];
  /** How many links may lie between. */
  readonly steps: number;
  readonly limit: number;
  /** `''` for the first page. */
  readonly cursor: string;
}

export interface UnitAddress {
  readonly kind: string;
  readonly id: string;
}

export interface LinkAddress {
  readonly type: string;
  readonly parent: UnitAddress;
  readonly child: UnitAddress;
}

export async function makeLink(link: LinkAddress, values: object): Promise<void> {
  await session.call({ method: 'POST', path: pathOf(link), body: values });
}

/** @param values the changed ones only */
export async function updateLink(link: LinkAddress, values: object): Promise<void> {
  await session.call({ method: 'PUT', path: pathOf(link), body: values });
}

export async function deleteLink(link: LinkAddress): Promise<void> {
  await session.call({ method: 'DELETE', path: pathOf(link) });
}

function pathOf({ type, parent, child }: LinkAddress): readonly string[] {
  return [parent.kind, 'unit', parent.id, 'link', type, child.kind, 'unit', child.id];
}

/** The nearest units first. Only the first page has the count. */
export async function walk(
  { kind, id }: UnitAddress,
  query: WalkQuery,
  signal?: AbortSignal,
): Promise<Page<LinkedUnit>> {
  const { direction, types, steps, limit, cursor } = query;
  const { content } = await session.call<Page<LinkedUnit>>({
    path: [kind, 'unit', id, 'link', direction],
    query: {
      depth: String(steps - 1),
      limit: String(limit),
      cursor,
      ...(types.length > 0 && { link_id: types.join(',') }),
      ...(cursor !== '' && { count: 'none' }),
    },
    signal,
  });
  return content;
}

/** The most requests for further links between the same units. */
const MOST_REQUESTS = 40;

/** All links to units that a walk reached in its first step: a walk answers each unit once, with one link. */
export async function linksBetween(
  { kind, id }: UnitAddress,
  reached: readonly LinkedUnit[],
  { direction, types }: Pick<WalkQuery, 'direction' | 'types'>,
): Promise<readonly LinkedUnit[]> {
  const direct = reached.filter(({ link }) => link.depth === 0);
  if (direct.length === 0) return [];
  const chosen = types.length > 0 && { link_id: types.join(',') };
  const { content: counted } = await session.call<{ links: Partial<Record<Direction, object>> }>({
    path: [kind, 'unit', id],
    query: { include: 'id', load_links: 'count', direction, ...chosen },
  });
  const linked = Object.keys(counted.links[direction] ?? {});
  if (linked.length < 2) return [];
  const kinds = [...new Set(direct.map((unit) => unit.kind_id))];
  const wanted = linked.flatMap((type) => kinds.map((of) => ({ type, of }))).slice(0, MOST_REQUESTS);
  const found = await Promise.all(
    wanted.map(async ({ type, of }) => {
      const ids = direct.filter((unit) => unit.kind_id === of).map((unit) => literal(unit.id));
      const { content } = await session.call<Page<LinkedUnit>>({
        path: [kind, 'unit', id, 'link', direction],
        query: { link_id: type, kind_id: of, filter: `in(id,${ids.join(',')})`, count: 'none' },
      });
      return content.items;
    }),
  );
  return found.flat();
}

/** The units after the first one on a shortest path. Refused with `link.no_path` if there is none. */
export async function shortestPath(
  { kind, id }: UnitAddress,
  to: UnitAddress,
  { direction, types }: Pick<WalkQuery, 'direction' | 'types'>,
): Promise<readonly LinkedUnit[]> {
  const { content } = await session.call<Page<LinkedUnit>>({
    path: [kind, 'unit', id, 'link', 'path'],
    query: {
      to_kind: to.kind,
      to_id: to.id,
      direction,
      ...(types.length > 0 && { link_id: types.join(',') }),
    },
  });
  return content.items;
}
