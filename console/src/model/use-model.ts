/** The model of the project: all its definitions, by id. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import {
  getDefinitions,
  type Definitions,
  type GroupDefinition,
  type KindDefinition,
  type LinkTypeDefinition,
  type ParameterDefinition,
} from '../api/definitions.js';
import { parameterOf } from './parameter-of.js';
import type { FieldType } from '../api/types.js';

/** Kinds that every project has (docs/model.md). Kinds that the project makes cannot begin with `kind_`. */
const BUILT_IN: ReadonlySet<string> = new Set([
  'kind',
  'group',
  'link',
  'api_key',
  'passkey',
  'identity_provider',
  'identity',
  'webhook',
]);
const TYPES_GROUP = 'parameter';
/** The link type that every project has. */
export const DEFAULT_LINK = 'link';

/** The group whose kinds have members that sign in. */
export const MEMBER_GROUP = 'kind_auth_member';

export interface Model {
  /** The kinds of the project. */
  readonly kinds: ReadonlyMap<string, KindDefinition>;
  /** By the ids of their records. */
  readonly parameters: ReadonlyMap<string, ParameterDefinition>;
  /** The groups of the project. */
  readonly groups: ReadonlyMap<string, GroupDefinition>;
  readonly linkTypes: ReadonlyMap<string, LinkTypeDefinition>;
  readonly memberKinds: ReadonlySet<string>;
  readonly types: readonly FieldType[];
}

const MODEL_KEY = ['model'] as const;

export function useModel() {
  const { data, error, refetch } = useQuery({
    queryKey: MODEL_KEY,
    queryFn: ({ signal }) => getDefinitions(signal),
    staleTime: 10_000,
  });
  const model = useMemo(() => (data ? modelOf(data) : undefined), [data]);
  return { model, error, refetch };
}

/** To call after a change of definitions: everything that is shown may depend on them. */
export function useForgetModel(): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ predicate: ({ queryKey: [name] }) => name !== 'session' });
}

export function modelOf({ kinds, parameters, groups, linkTypes }: Definitions): Model {
  const types = (groups.find(({ id }) => id === TYPES_GROUP)?.kind_list ?? []) as readonly FieldType[];
  const isBuiltIn = (id: string) =>
    BUILT_IN.has(id) || id.startsWith('kind_') || (types as readonly string[]).includes(id);
  return {
    kinds: byId(kinds.filter(({ id }) => !isBuiltIn(id))),
    parameters: byId(parameters),
    groups: byId(groups.filter(({ id }) => id !== TYPES_GROUP)),
    linkTypes: byId(linkTypes),
    memberKinds: new Set(groups.find(({ id }) => id === MEMBER_GROUP)?.kind_list ?? []),
    types,
  };
}

/** Whether a link type or group comes with every project, so that it cannot be deleted. */
export function isBuiltInId(id: string): boolean {
  return id === DEFAULT_LINK || id === MEMBER_GROUP;
}

function byId<T extends { readonly id: string; readonly label: string }>(items: readonly T[]): ReadonlyMap<string, T> {
  const sorted = items.toSorted((a, b) => a.label.localeCompare(b.label) || a.id.localeCompare(b.id));
  return new Map(sorted.map((item) => [item.id, item]));
}

/** The kinds and link types that have a parameter, by the id of its record. */
export function usersOf(model: Model, parameter: string): readonly (KindDefinition | LinkTypeDefinition)[] {
  const has = (kind: string | undefined, { parameters }: { readonly parameters: readonly string[] }) =>
    parameters.some((id) => parameterOf(model, kind, id)?.id === parameter);
  const kinds = [...model.kinds.values()].filter((kind) => has(kind.id, kind));
  return [...kinds, ...[...model.linkTypes.values()].filter((type) => has(undefined, type))];
}

/** Parameters that the definition of a kind lists besides those of the project: of members. */
export function parametersOf(model: Model, parameters: readonly string[], kind?: string) {
  return parameters.flatMap((id) => parameterOf(model, kind, id) ?? []);
}
