/** The kinds of the project, and what they are made of. */
import { useQuery } from '@tanstack/react-query';
import type { Field, Kind } from '../api/types.js';
import { getStruct, listGroups, listKinds } from '../api/units.js';

const KINDS = ['kinds'] as const;

export function useKinds() {
  const { data, isPending, error, refetch } = useQuery({
    queryKey: KINDS,
    queryFn: () => Promise.all([listKinds(), listGroups()]),
    staleTime: 30_000,
  });
  const [kinds, groups] = data ?? [[], []];
  const types = new Set(groups.find(({ id }) => id === 'parameter')?.kind_list ?? []);
  const isBuiltIn = ({ id }: Kind) => BUILT_IN.has(id) || types.has(id);
  return {
    own: kinds.filter((kind) => !isBuiltIn(kind)),
    builtIn: kinds.filter((kind) => isBuiltIn(kind) && !types.has(kind.id)),
    /** Groups with kinds, without that of the parameter types. */
    groups: groups.filter(({ id, kind_list: members }) => id !== 'parameter' && members.length > 0),
    isPending,
    error,
    refetch,
  };
}

/** Kinds that every project has (docs/model.md). */
const BUILT_IN: ReadonlySet<string> = new Set(['kind', 'group', 'link', 'kind_admin', 'api_key']);

export function structQuery(kind: string) {
  return { queryKey: ['struct', kind], queryFn: () => getStruct(kind), staleTime: 30_000 };
}

export function useStruct(kind: string) {
  return useQuery(structQuery(kind));
}

/** The field that names a unit best for people. */
export function labelField(fields: readonly Field[]): string {
  const texts = fields.filter(({ type, multiple }) => type === 'string' && !multiple).map(({ id }) => id);
  return NAMES.find((name) => texts.includes(name)) ?? texts[0] ?? 'id';
}

const NAMES = ['label', 'name', 'title', 'username', 'display_name'];
