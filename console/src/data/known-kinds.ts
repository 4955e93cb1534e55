/** The kinds and groups of the project, as they are read once for all pages. */
import type { Group } from '../api/types.js';
import { listGroups, listKinds } from '../api/units.js';

/** The group whose kinds are the types of parameters. */
export const TYPES_GROUP = 'parameter';

/** Kinds that every project has (docs/model.md). */
const BUILT_IN: ReadonlySet<string> = new Set(['kind', 'group', 'link', 'kind_admin', 'api_key']);

export function kindsQuery() {
  return { queryKey: ['kinds'], queryFn: () => Promise.all([listKinds(), listGroups()]), staleTime: 30_000 };
}

export function isBuiltIn(kind: string, groups: readonly Group[]): boolean {
  return BUILT_IN.has(kind) || isType(kind, groups);
}

export function isType(kind: string, groups: readonly Group[]): boolean {
  return groups.find(({ id }) => id === TYPES_GROUP)?.kind_list.includes(kind) ?? false;
}
