/** What the units are called that references lead to. */
import { useQueries, useQuery } from '@tanstack/react-query';
import type { Field, Page, Unit } from '../api/types.js';
import { getUnits } from '../api/units.js';
import { labelField, nameOf } from './unit-names.js';
import { structQuery, useStruct } from './use-kinds.js';

/** By `labelKey`; without units that are gone, or that the member may not read. */
export type Labels = ReadonlyMap<string, string>;

export function labelKey(kind: string, id: string): string {
  return `${kind} ${id}`;
}

/** The labels of all units that those of the pages refer to, one request for each page and kind. */
export function useReferenceLabels(fields: readonly Field[], pages: readonly Page<Unit>[]): Labels {
  const references = fields.filter(({ reference_kind: kind }) => kind !== undefined && kind !== null);
  const kinds = [...new Set(references.map(({ reference_kind: kind }) => kind as string))];
  const structs = useQueries({ queries: kinds.map(structQuery) });
  const queries = pages.flatMap(({ items }) =>
    kinds.flatMap((kind, at) => {
      const of = references.filter(({ reference_kind: target }) => target === kind);
      const ids = [...new Set(items.flatMap((unit) => of.map(({ id }) => unit[id])))]
        .filter((id): id is string => typeof id === 'string')
        .sort();
      return ids.length === 0 ? [] : [labelsQuery(kind, structs[at]?.data, ids)];
    }),
  );
  return useQueries({ queries, combine: combineLabels });
}

function combineLabels(results: readonly { data?: Labels | undefined }[]): Labels {
  return new Map(results.flatMap(({ data }) => [...(data ?? [])]));
}

/** The labels of units of a kind, as far as they are known. */
export function useLabels(kind: string, ids: readonly string[]): Labels {
  const { data: fields } = useStruct(kind);
  const { data } = useQuery({
    ...labelsQuery(kind, fields, ids),
    enabled: ids.length > 0 && fields !== undefined,
  });
  return data ?? NONE;
}

const NONE: Labels = new Map();

function labelsQuery(kind: string, fields: readonly Field[] | undefined, ids: readonly string[]) {
  const name = fields ? labelField(fields) : 'id';
  return {
    queryKey: ['labels', kind, name, ids],
    queryFn: async (): Promise<Labels> => {
      const units = await getUnits(kind, ids, ['id', name]);
      return new Map(
        units.flatMap((unit) => {
          const label = nameOf(unit, name);
          return label === unit.id ? [] : [[labelKey(kind, unit.id), label] as const];
        }),
      );
    },
    enabled: fields !== undefined,
    staleTime: 30_000,
    retry: false,
  };
}
