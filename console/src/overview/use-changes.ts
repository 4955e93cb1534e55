/** What changed lately: in the kinds that were opened or defined last, so that its cost does not grow with the project. */
import { useQuery } from '@tanstack/react-query';
import { getFacts, getLatest, type KindFacts } from '../api/overview.js';
import type { Kind } from '../api/types.js';
import { UNITS } from '../data/source.js';
import { labelField, nameOf } from '../data/unit-names.js';
import { useRights } from '../shell/use-rights.js';
import { MOST_KINDS, useVisited } from './visited.js';

/** Nothing is ordered by time in kinds with more units: there is no index for it. */
const MOST_ORDERED = 500_000;
const LATEST_OF_KIND = 5;
const MOST_CHANGES = 10;

/** A unit, or the definition of a kind. */
export interface Change {
  readonly kind: string;
  /** Undefined for a definition. */
  readonly id: string | undefined;
  readonly name: string;
  readonly at: string;
}

export interface Changes {
  readonly facts: readonly KindFacts[];
  readonly latest: readonly Change[];
  /** When a unit of a kind was changed last, as far as that was asked. */
  readonly last: ReadonlyMap<string, string>;
}

export function useChanges(own: readonly Kind[]) {
  const visited = useVisited();
  const { to } = useRights();
  const kinds = chosenKinds(
    own.filter(({ id }) => to('read', id) !== 'none'),
    visited,
  );
  return useQuery({
    // Edits of units make it old.
    queryKey: [UNITS, 'changes', kinds.map(({ id }) => id)],
    queryFn: async ({ signal }): Promise<Changes> => {
      const facts = await getFacts(
        kinds.map(({ id }) => id),
        signal,
      );
      const small = facts.filter(({ count }) => count > 0 && count <= MOST_ORDERED);
      const labels = new Map(small.map(({ kind, fields }) => [kind, labelField(fields)]));
      const units = await getLatest(
        [...labels].map(([kind, label]) => ({ kind, label })),
        LATEST_OF_KIND,
        signal,
      );
      const changed = units.map((unit): Change => {
        const { id, kind_id: kind, updated_at: at } = unit;
        return { kind, id, name: nameOf(unit, labels.get(kind) ?? 'id'), at: at as string };
      });
      const last = new Map<string, string>();
      for (const { kind, at } of changed) if (at > (last.get(kind) ?? '')) last.set(kind, at);
      // Who may not read definitions is not told when they were changed.
      const defined = kinds
        .filter(({ updated_at: at }) => at !== '')
        .map(({ id, label, updated_at: at }): Change => ({ kind: id, id: undefined, name: label, at }));
      const latest = [...changed, ...defined].sort((a, b) => b.at.localeCompare(a.at)).slice(0, MOST_CHANGES);
      return { facts, latest, last };
    },
    enabled: kinds.length > 0,
    retry: false,
  });
}

/** Those that were opened last, then those whose definitions are the newest. */
function chosenKinds(own: readonly Kind[], visited: readonly string[]): readonly Kind[] {
  const readable = own.filter(({ active, remote }) => active && !remote);
  const place = ({ id }: Kind): number => (visited.includes(id) ? visited.indexOf(id) : MOST_KINDS);
  const newest = readable.toSorted((a, b) => b.updated_at.localeCompare(a.updated_at));
  return newest.toSorted((a, b) => place(a) - place(b)).slice(0, MOST_KINDS);
}
