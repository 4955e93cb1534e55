/** Stores values that are edited in the grid, unless somebody else has changed the unit in the meantime. */
import { useQueryClient, type InfiniteData } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { useState } from 'react';
import { ApiError } from '../api/errors.js';
import type { Field, Page, Unit } from '../api/types.js';
import { ETAG, getUnit, updateUnit, type ReadUnit } from '../api/units.js';
import { useText } from '../i18n/text.js';
import type { Choice } from './conflict.js';
import { faultsOf } from './faults.js';
import { keyOf, UNITS } from './source.js';

interface OpenConflict {
  readonly values: Choice;
  readonly theirs: ReadUnit;
}

export function useCellEdits(fields: readonly Field[]) {
  const text = useText();
  const queries = useQueryClient();
  const notify = useNotify();
  const [conflict, setConflict] = useState<OpenConflict>();

  /** Shows the stored unit in all lists, in its place. */
  const show = (unit: ReadUnit): void => {
    queries.setQueriesData<InfiniteData<Page<Unit>>>({ queryKey: [UNITS] }, (data) => data && replaced(data, unit));
    queries.setQueryData(['unit', unit.kind_id, unit.id], unit);
  };
  const store = async (unit: Unit, values: Choice, etag: string | null): Promise<string | undefined> => {
    // A list has no ETags; the time of the last change says the same (docs/writing.md).
    const version = etag === null ? { updated_at: unit['updated_at'] } : {};
    try {
      show(await updateUnit(unit.kind_id, unit.id, { ...values, ...version }, etag));
      return undefined;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 412) {
        return Object.values(faultsOf(error, edited(values), text)).join('\n');
      }
      const theirs = await getUnit(unit.kind_id, unit.id);
      show(theirs);
      setConflict({ values, theirs });
      return undefined;
    }
  };
  const edited = (values: Choice) => fields.filter(({ id }) => id in values);
  const edit = (unit: Unit, { id }: Field, value: unknown) => store(unit, { [id]: value }, null);
  const choose = async (choice: Choice): Promise<void> => {
    if (!conflict) return;
    const { theirs } = conflict;
    setConflict(undefined);
    if (fields.every(({ id }) => !(id in choice))) return;
    const fault = await store(theirs, choice, theirs[ETAG]);
    if (fault !== undefined) notify(fault, { type: 'error' });
  };
  return { edit, conflict, choose, close: () => setConflict(undefined) };
}

function replaced(data: InfiniteData<Page<Unit>>, unit: Unit): InfiniteData<Page<Unit>> {
  // The number of units is kept under the same keys.
  if (!('pages' in data)) return data;
  const key = keyOf(unit);
  const isHere = (page: Page<Unit>) => page.items.some((item) => keyOf(item) === key);
  const pages = data.pages.map((page) =>
    isHere(page) ? { ...page, items: page.items.map((item) => (keyOf(item) === key ? unit : item)) } : page,
  );
  return { ...data, pages };
}
