/** The units that the cells of a table refer to, by what they are called or by their ids. */
import { useQueries } from '@tanstack/react-query';
import type { Field } from '../../api/types.js';
import { findUnits } from '../../api/units.js';
import { isNumeric } from '../../fields/values.js';
import { labelField } from '../unit-names.js';
import { structQuery } from '../use-kinds.js';

/** Different texts of one kind that are looked for; the service decides about others as they are. */
const MOST_NAMES = 2000;

/** What was looked for, by kind and text: the id; null if several units are called so, undefined if none is. */
export interface ReferenceIds {
  readonly isPending: boolean;
  readonly find: (kind: string, cell: string) => { readonly id: string | null | undefined } | undefined;
}

export function isReference({ multiple, reference_kind: kind }: Field): boolean {
  return !multiple && typeof kind === 'string';
}

export function useReferenceIds(
  columns: readonly (Field | undefined)[],
  rows: readonly (readonly string[])[],
): ReferenceIds {
  const wanted = new Map<string, Set<string>>();
  for (const [at, field] of columns.entries()) {
    if (!field || !isReference(field)) continue;
    const names = wanted.get(field.reference_kind as string) ?? new Set<string>();
    for (const row of rows) names.add((row[at] ?? '').trim());
    names.delete('');
    wanted.set(field.reference_kind as string, names);
  }
  const kinds = [...wanted].filter(([, names]) => names.size <= MOST_NAMES);
  const structs = useQueries({ queries: kinds.map(([kind]) => structQuery(kind)) });
  const found = useQueries({
    queries: kinds.map(([kind, names], at) => {
      const fields = structs[at]?.data;
      const label = fields ? textIn(fields) : 'id';
      return {
        queryKey: ['ids', kind, label, [...names].sort()],
        queryFn: () => idsOf(kind, label, [...names]),
        enabled: fields !== undefined && names.size > 0,
        staleTime: 30_000,
        retry: false,
      };
    }),
  });
  const byKind = new Map(kinds.map(([kind], at) => [kind, found[at]?.data]));
  return {
    // What cannot be looked up, such as units that the member may not read, is sent as it is.
    isPending: [...structs, ...found].some(({ isLoading }) => isLoading),
    find: (kind, cell) => {
      const ids = byKind.get(kind);
      return ids && { id: ids.get(cell) };
    },
  };
}

/** Units that are called by numbers are found by their ids alone. */
function textIn(fields: readonly Field[]): string {
  const label = labelField(fields);
  return fields.some((field) => field.id === label && isNumeric(field)) ? 'id' : label;
}

async function idsOf(
  kind: string,
  label: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  // A unit may be found by both.
  const units = await findUnits(kind, label, names);
  const ids = new Map<string, string | null>();
  for (const unit of units) {
    const name = unit[label];
    if (typeof name === 'string') ids.set(name, ids.has(name) && ids.get(name) !== unit.id ? null : unit.id);
  }
  // An id is never ambiguous.
  for (const { id } of units) ids.set(id, id);
  return ids;
}
