/** Walks over links from a unit, step by step. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../api/errors.js';
import { linksBetween, shortestPath, walk, type Direction, type LinkedUnit } from '../api/links.js';
import type { Unit } from '../api/types.js';
import { getUnit } from '../api/units.js';
import { labelField, nameOf } from '../data/unit-names.js';
import { structQuery } from '../data/use-kinds.js';
import { followed, linksOf, MOST_PER_STEP, startedAt, unitKey, withUnits, type Walked } from './walked.js';

interface WalkOptions {
  readonly kind: string;
  readonly id: string;
  readonly types: readonly string[];
  readonly steps: number;
}

interface FoundPath {
  readonly direction: Direction;
  readonly found: readonly LinkedUnit[] | undefined;
}

const DIRECTIONS: readonly Direction[] = ['child', 'parent'];

export interface Path {
  /** The ids of its links; none if there is no path. */
  readonly links: ReadonlySet<string>;
  readonly length: number | undefined;
}

export function useWalk({ kind, id, types, steps }: WalkOptions) {
  const queries = useQueryClient();
  const [walked, setWalked] = useState<Walked>();
  /** The unit whose links were followed last. */
  const [latest, setLatest] = useState(unitKey(kind, id));
  const [path, setPath] = useState<Path>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const running = useRef(false);

  const labelsOf = async (units: readonly Unit[]) => {
    const kinds = [...new Set(units.map(({ kind_id: of }) => of))];
    const names = new Map(
      await Promise.all(
        kinds.map(async (of) => [of, labelField(await queries.fetchQuery(structQuery(of)).catch(() => []))] as const),
      ),
    );
    return (unit: Unit): string => nameOf(unit, names.get(unit.kind_id) ?? 'id');
  };
  /** One after the other, so that each adds to what the one before has found. */
  const run = async (work: () => Promise<void>): Promise<void> => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (fault) {
      setError(fault);
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  const expanded = async (before: Walked, key: string): Promise<Walked> => {
    const unit = before.units.get(key);
    if (!unit) return before;
    let after = before;
    for (const direction of DIRECTIONS) {
      const cursor = unit.followed[direction] ? unit.followed[direction].next : '';
      if (cursor === null) continue;
      const page = await walk(unit, { direction, types, steps, limit: MOST_PER_STEP, cursor });
      const labelOf = await labelsOf(page.items);
      after = followed(after, key, direction, page, labelOf);
      const between = await linksBetween(unit, page.items, { direction, types });
      after = withUnits(after, between, labelOf, { from: key, direction });
    }
    return after;
  };
  const start = () =>
    run(async () => {
      const unit = await getUnit(kind, id);
      const label = await labelsOf([unit]);
      setWalked(await expanded(startedAt(kind, id, label(unit)), unitKey(kind, id)));
    });
  /** Follows the links of a unit, or shows more of them. */
  const expand = (key: string) =>
    run(async () => {
      if (!walked) return;
      setWalked(await expanded(walked, key));
      setLatest(key);
    });
  const findPath = (to: { kind: string; id: string }) =>
    run(async () => {
      if (!walked) return;
      setPath(undefined);
      const { found, direction } = await pathTo(to);
      if (!found) {
        setPath({ links: new Set(), length: undefined });
        return;
      }
      const origin = { from: unitKey(kind, id), direction };
      const more = withUnits(walked, found, await labelsOf(found), origin);
      setWalked(more);
      setPath({ links: new Set(linksOf(found, origin, more.units).map((link) => link.id)), length: found.length });
    });
  /** Along the links, or else against them. */
  const pathTo = async (to: { kind: string; id: string }): Promise<FoundPath> => {
    for (const direction of DIRECTIONS) {
      try {
        return { direction, found: await shortestPath({ kind, id }, to, { direction, types }) };
      } catch (fault) {
        if (!(fault instanceof ApiError && fault.has('link.no_path'))) throw fault;
      }
    }
    return { direction: 'child', found: undefined };
  };
  const first = useRef(start);
  useEffect(() => {
    // Another start or another choice is another component: see the key of the page.
    const timer = setTimeout(() => void first.current());
    return () => clearTimeout(timer);
  }, []);
  return { walked, latest, path, error, isBusy, start, expand, findPath };
}
