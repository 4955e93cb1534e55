/** What a deletion would take along: the units that refer to those that are deleted, counted as the member may read them. */
import { useQuery } from '@tanstack/react-query';
import { parseFilter } from '../../../src/filter/filter.parser.js';
import { printFilter, printPath } from '../../../src/filter/filter.printer.js';
import type { Filter, Path } from '../../../src/filter/filter.ast.js';
import { listReferences, type Selection } from '../api/selected.js';
import { countUnits } from '../api/units.js';

export interface Referring {
  readonly kind: string;
  readonly label: string;
  /** The parameter that refers to them. */
  readonly parameter: string;
  /** What becomes of the units: they are deleted too, or lose the reference. */
  readonly rule: 'cascade' | 'set_null' | 'restrict';
  /** Undefined if the filter can not be asked of the referring units. */
  readonly count: number | undefined;
}

export function useReferring(selections: readonly Selection[], isWanted: boolean) {
  return useQuery({
    queryKey: ['referring', selections],
    queryFn: async ({ signal }) => {
      const kinds = [...new Set(selections.map(({ kind }) => kind))];
      const references = await listReferences(kinds);
      const found = references.flatMap(({ target, ...reference }) =>
        selections.filter(({ kind }) => kind === target).map((selection) => ({ ...reference, selection })),
      );
      const counted = found.map(async ({ selection, ...reference }): Promise<Referring> => {
        const filter = referringFilter(reference.parameter, selection.filter);
        const answer =
          filter === undefined ? undefined : await countUnits([reference.kind, 'unit'], { filter }, signal);
        return { ...reference, count: answer?.count };
      });
      return merged(await Promise.all(counted));
    },
    enabled: isWanted,
    staleTime: 0,
    retry: false,
  });
}

/** A selection of many units is several filters. */
function merged(all: readonly Referring[]): readonly Referring[] {
  const byReference = new Map<string, Referring>();
  for (const each of all) {
    const key = `${each.kind} ${each.parameter}`;
    const before = byReference.get(key);
    const isKnown = each.count !== undefined && (!before || before.count !== undefined);
    byReference.set(key, { ...each, count: isKnown ? (before?.count ?? 0) + (each.count ?? 0) : undefined });
  }
  return [...byReference.values()].filter(({ count }) => count !== 0);
}

/** The filter of units, asked of those that refer to them; undefined if it can not be. */
function referringFilter(parameter: string, filter: string): string | undefined {
  try {
    const inside = below(parameter, parseFilter(filter));
    return inside && `and(isnull(${printPath([parameter])},false),${printFilter(inside)})`;
  } catch {
    return undefined;
  }
}

function below(parameter: string, filter: Filter): Filter | undefined {
  switch (filter.op) {
    case 'and':
    case 'or': {
      const inside = filter.filters.map((each) => below(parameter, each));
      return inside.includes(undefined) ? undefined : { ...filter, filters: inside as readonly Filter[] };
    }
    case 'not': {
      const inside = below(parameter, filter.filter);
      return inside && { ...filter, filter: inside };
    }
    case 'exists':
      return undefined;
    case 'all':
      return filter;
    default: {
      if (filter.path.counted || ('other' in filter && filter.other.counted)) return undefined;
      const path = prefixed(parameter, filter.path);
      return 'other' in filter ? { ...filter, path, other: prefixed(parameter, filter.other) } : { ...filter, path };
    }
  }
}

function prefixed(parameter: string, path: Path): Path {
  return { ...path, segments: [parameter, ...path.segments] };
}
