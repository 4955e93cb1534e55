/** The units that are selected in a grid. */
import { useMemo, useState } from 'react';
import type { Unit } from '../api/types.js';
import { keyOf } from './source.js';

export interface UnitSelection {
  readonly units: readonly Unit[];
  /** As of `keyOf`. */
  readonly keys: ReadonlySet<string>;
  readonly toggle: (unit: Unit, to: boolean) => void;
  readonly toggleAll: (units: readonly Unit[], to: boolean) => void;
  readonly clear: () => void;
}

const NONE: ReadonlyMap<string, Unit> = new Map();

export function useSelection(): UnitSelection {
  const [selected, setSelected] = useState(NONE);
  // The same functions for all, so that rows are not rendered again.
  const [changes] = useState(() => {
    const toggleAll = (units: readonly Unit[], to: boolean) =>
      setSelected((before) => {
        const next = new Map(before);
        for (const unit of units) {
          if (to) next.set(keyOf(unit), unit);
          else next.delete(keyOf(unit));
        }
        return next;
      });
    return {
      toggle: (unit: Unit, to: boolean) => toggleAll([unit], to),
      toggleAll,
      clear: () => setSelected(NONE),
    };
  });
  return useMemo(
    () => ({ units: [...selected.values()], keys: new Set(selected.keys()), ...changes }),
    [selected, changes],
  );
}
