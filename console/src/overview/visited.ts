/** Which kinds this person opened last, kept in this browser. */
import { useStore } from 'ra-core';
import { useEffect } from 'react';
import { session } from '../api/session.js';
import type { Source } from '../data/source.js';

/** Kinds that the overview shows. */
export const MOST_KINDS = 12;

function useStored() {
  return useStore<readonly string[]>(`visited.${session.project}`, []);
}

export function useVisited(): readonly string[] {
  return useStored()[0];
}

/** Remembers that a kind is open. */
export function useVisit({ type, id }: Source): void {
  const [visited, setVisited] = useStored();
  const isLast = visited[0] === id;
  useEffect(() => {
    if (type !== 'kind' || isLast) return;
    setVisited((before: readonly string[]) => [id, ...before.filter((each) => each !== id)].slice(0, MOST_KINDS));
  }, [type, id, isLast, setVisited]);
}
