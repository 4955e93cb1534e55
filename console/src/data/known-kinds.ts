/** The kinds and groups of the project, as they are read once for all pages. */
import type { QueryClient, QueryFunctionContext } from '@tanstack/react-query';
import { FILE_KIND } from '../../../src/model/built-in-traits.js';
import { PARAMETER_TYPES } from '../../../src/model/parameter-type/type-by-id.js';
import type { Group, Kind } from '../api/types.js';
import { listGroups, listKinds } from '../api/units.js';
import { rightsQuery } from '../shell/use-rights.js';

/** The group whose kinds are the types of parameters. */
export const TYPES_GROUP = 'parameter';

const TYPES: ReadonlySet<string> = new Set(PARAMETER_TYPES.keys());

/** Kinds that every project has (docs/model.md). */
const BUILT_IN: ReadonlySet<string> = new Set([
  'kind',
  'group',
  'link',
  'kind_admin',
  'api_key',
  'passkey',
  'identity_provider',
  'identity',
  'webhook',
]);

export function kindsQuery() {
  return { queryKey: ['kinds'], queryFn: ({ client }: QueryFunctionContext) => readKinds(client), staleTime: 30_000 };
}

/** Who may not read the definitions knows the kinds with which it may do something, by their ids. */
async function readKinds(queries: QueryClient): Promise<[readonly Kind[], readonly Group[]]> {
  const rights = await queries.fetchQuery(rightsQuery()).catch(() => undefined);
  const mayRead = (kind: string) => !rights || rights.kinds.some(({ id, read }) => id === kind && read !== 'none');
  return Promise.all([
    mayRead('kind') ? listKinds() : kindsOf(rights?.kinds ?? []),
    mayRead('group') ? listGroups() : [],
  ]);
}

/** The types of parameters have no units of their own. */
function kindsOf(told: readonly { readonly id: string }[]): readonly Kind[] {
  const kinds = told.filter(({ id }) => !TYPES.has(id));
  return kinds.map(({ id }) => ({ id, label: id, active: true, remote: false, parameters: [], updated_at: '' }));
}

export function isBuiltIn(kind: string, groups: readonly Group[]): boolean {
  return BUILT_IN.has(kind) || isType(kind, groups);
}

export function isType(kind: string, groups: readonly Group[]): boolean {
  return groups.find(({ id }) => id === TYPES_GROUP)?.kind_list.includes(kind) ?? false;
}

/**
 * Whether the project has files, and no kind `file` of its own: only the definitions that every project has name the kind
 * of a unit as a field. Who may not read definitions is offered files.
 */
export function hasFiles(kinds: readonly Kind[]): boolean {
  const kind = kinds.find(({ id }) => id === FILE_KIND);
  return kind !== undefined && (kind.updated_at === '' || kind.parameters.includes('kind_id'));
}
