/** The kinds of the project, and what they are made of. */
import { useQuery, type QueryFunctionContext } from '@tanstack/react-query';
import { isBuiltIn, isType, kindsQuery, TYPES_GROUP } from './known-kinds.js';
import { fieldsOfGroup, fieldsOfKind } from './limits.js';

export function useKinds() {
  const { data, isPending, error, refetch } = useQuery(kindsQuery());
  const [kinds, groups] = data ?? [[], []];
  return {
    labelOf: (kind: string) => kinds.find(({ id }) => id === kind)?.label ?? kind,
    own: kinds.filter(({ id }) => !isBuiltIn(id, groups)),
    builtIn: kinds.filter(({ id }) => isBuiltIn(id, groups) && !isType(id, groups)),
    /** Groups with kinds, without that of the parameter types. */
    groups: groups.filter(({ id, kind_list: members }) => id !== TYPES_GROUP && members.length > 0),
    isPending,
    error,
    refetch,
  };
}

const STRUCT_STALE_MS = 30_000;

/** The fields of a kind, with their limits as far as the member may read them. */
export function structQuery(kind: string) {
  return {
    queryKey: ['struct', kind],
    queryFn: ({ client }: QueryFunctionContext) => fieldsOfKind(kind, client),
    staleTime: STRUCT_STALE_MS,
  };
}

/** The same of all kinds of a group. */
export function groupStructQuery(group: string) {
  return {
    queryKey: ['group-struct', group],
    queryFn: ({ client }: QueryFunctionContext) => fieldsOfGroup(group, client),
    staleTime: STRUCT_STALE_MS,
  };
}

export function useStruct(kind: string) {
  return useQuery(structQuery(kind));
}
