/** What a grid shows: the units of a kind, or those of all kinds of a group. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Field, Unit } from '../api/types.js';
import { listGroupUnits, listUnits, type UnitQuery } from '../api/units.js';
import { useText } from '../i18n/text.js';
import { useIsFiles } from './use-files.js';
import { groupStructQuery, structQuery, useKinds } from './use-kinds.js';

export interface Source {
  readonly type: 'kind' | 'group';
  readonly id: string;
}

/** Begins the keys of all queries for lists of units. */
export const UNITS = 'units';

export function listOf({ type, id }: Source, query: UnitQuery, signal?: AbortSignal) {
  return (type === 'kind' ? listUnits : listGroupUnits)(id, query, signal);
}

export function useLabelOf({ type, id }: Source): string {
  const { own, builtIn, groups } = useKinds();
  const all = type === 'kind' ? [...own, ...builtIn] : groups;
  return all.find((each) => each.id === id)?.label ?? id;
}

/** The columns of a grid: the fields, and those that every unit has. */
export function useColumnsOf({ type, id }: Source) {
  const text = useText();
  const { data, ...struct } = useQuery(type === 'kind' ? structQuery(id) : groupStructQuery(id));
  const isFiles = useIsFiles(type === 'kind' ? id : undefined);
  const fields = useMemo(() => {
    if (!data) return undefined;
    const own = data.filter(({ persistence, hidden }) => persistence !== 'run_time' && !hidden);
    const before = own.filter((field) => field.id !== 'metadata');
    // What was found in a content stands after its name.
    const [named, others] = isFiles ? [before.slice(0, 1), before.slice(1)] : [[], before];
    const kind = { ...COMMON, id: 'kind_id', label: text('grid.kind'), type: 'unit', reference_kind: 'kind' } as const;
    return [
      ...(type === 'group' ? [kind] : []),
      ...named,
      ...(isFiles ? FOUND.map((field) => ({ ...field, label: text(`files.${field.id}`) })) : []),
      ...others,
      ...own.filter((field) => field.id === 'metadata'),
      { ...TIME, id: 'inserted_at', label: text('grid.inserted_at') },
      { ...TIME, id: 'updated_at', label: text('grid.updated_at') },
    ];
  }, [data, type, isFiles, text]);
  return { ...struct, fields };
}

/** Of fields that no kind has. */
export const COMMON = {
  default: null,
  helper_text: null,
  required: false,
  multiple: false,
  min_length: null,
  max_length: null,
  values: null,
};

/** What the service finds in the content of a file. */
const FOUND = [
  { ...COMMON, id: 'media_type', type: 'string', isFound: true },
  { ...COMMON, id: 'bytes', type: 'integer', isFound: true },
  { ...COMMON, id: 'width', type: 'integer', isFound: true },
  { ...COMMON, id: 'height', type: 'integer', isFound: true },
] as const;

const TIME = { ...COMMON, type: 'datetime' } as const;

/** The field that every unit has, for filters. */
export const ID: Field = { ...COMMON, id: 'id', label: 'id', type: 'unit' };

/** Fields that nobody edits. */
export function isEditable({ id, isFound }: Field): boolean {
  return isFound !== true && id !== 'kind_id' && id !== 'inserted_at' && id !== 'updated_at';
}

/** Units of two kinds may have the same id. */
export function keyOf({ kind_id: kind, id }: Pick<Unit, 'kind_id' | 'id'>): string {
  return `${kind} ${id}`;
}

/** The end of the address of a page that shows what matches a filter. */
export function filterQuery(filter: string | null): string {
  return filter ? `?${new URLSearchParams({ filter }).toString()}` : '';
}
