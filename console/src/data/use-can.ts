/** What the member may do with one unit, where its kind does not tell that already. The service decides. */
import { useQuery } from '@tanstack/react-query';
import type { Field, Unit } from '../api/types.js';
import { ETAG, getUnitRights, type UnitRights } from '../api/units.js';
import { useRights } from '../shell/use-rights.js';
import { useKinds } from './use-kinds.js';

/** @param unit undefined for a new one */
export function useCan(kind: string, unit: Unit | undefined, fields: readonly Field[]) {
  const { to } = useRights();
  const { own } = useKinds();
  // Their units come from elsewhere, and tell nothing of it.
  const isRemote = own.some(({ id, remote }) => id === kind && remote);
  const isByRule = to('update', kind) === 'some' || to('delete', kind) === 'some';
  const { data, isLoading } = useQuery({
    queryKey: ['can', kind, unit?.id, unit?.[ETAG] ?? unit?.['updated_at']],
    queryFn: ({ signal }) => getUnitRights(kind, unit?.id ?? '', signal),
    enabled: unit !== undefined && !isRemote && (isByRule || fields.some(mayHaveTransitions)),
    retry: false,
  });
  return { can: data, isLoading };
}

export function mayHaveTransitions({ type, values, multiple }: Field): boolean {
  return type === 'string' && values !== null && !multiple;
}

/** The field with the value that the unit has, and those that may be next. */
export function withNextValues(field: Field, unit: Unit, can: UnitRights | undefined): Field {
  const next = can?.transitions[field.id];
  if (next === undefined || field.values === null) return field;
  const possible = field.values.filter((value) => value === unit[field.id] || next.includes(value as string));
  return { ...field, values: possible };
}
