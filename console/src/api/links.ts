/** Links, and walks over them, as calls of the REST API. All functions throw `ApiError` and `OfflineError`. */
import { session } from './session.js';
import type { Page, Unit } from './types.js';

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
