/** Finds units of another kind by what they are called, or by their ids. */
import { MultiSelect, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState, type Ref } from 'react';
import { ApiError } from '../api/errors.js';
import type { Page, Unit } from '../api/types.js';
import { listUnits, literal } from '../api/units.js';
import { FileThumb } from '../files/file-thumb.js';
import { isNumeric } from '../fields/values.js';
import { useText } from '../i18n/text.js';
import { labelKey, useLabels } from './reference-labels.js';
import { labelField, nameOf } from './unit-names.js';
import { useIsFiles } from './use-files.js';
import { useStruct } from './use-kinds.js';

interface ReferenceProps<T> {
  readonly kind: string;
  /** What the offered units have in common; all are offered without it. */
  readonly filter?: string | undefined;
  readonly value: T;
  readonly onChange: (value: T) => void;
  readonly ref?: Ref<HTMLInputElement> | undefined;
}

/** Units offered at once. */
const OFFERED = 20;
const TYPING_MS = 200;

export function ReferenceInput({ kind, filter, value, onChange, ...common }: ReferenceProps<string>) {
  // What was picked keeps its name while its label is read: a new one would replace what is typed next.
  const [picked, setPicked] = useState<{ readonly value: string; readonly label: string }>();
  const { label, props } = useOffers({ kind, filter }, value === '' ? [] : [value], picked);
  const isFiles = useIsFiles(kind);
  return (
    <Select
      {...common}
      {...props}
      value={value === '' ? null : value}
      onChange={(id, option) => {
        setPicked(option ?? undefined);
        onChange(id ?? '');
      }}
      onSearchChange={(next) => props.onSearchChange(next === label(value) ? '' : next)}
      {...(isFiles && { renderOption: FileOption })}
      clearable
    />
  );
}

function FileOption({ option: { value, label } }: { option: { readonly value: string; readonly label: string } }) {
  return (
    <span>
      <FileThumb id={value} size="line" />
      {label}
    </span>
  );
}

export function ReferencesInput({ kind, filter, value, onChange, ...common }: ReferenceProps<string[]>) {
  const { props } = useOffers({ kind, filter }, value);
  return <MultiSelect {...common} {...props} value={value} onChange={onChange} clearable />;
}

/** What is offered for what is typed, with the units that are chosen already. */
function useOffers(
  { kind, filter }: Pick<ReferenceProps<unknown>, 'kind' | 'filter'>,
  chosen: readonly string[],
  picked?: { readonly value: string; readonly label: string },
) {
  const text = useText();
  const [typed, setTyped] = useState('');
  const [wanted] = useDebouncedValue(typed, TYPING_MS);
  const { data: fields } = useStruct(kind);
  const name = fields ? labelField(fields) : 'id';
  const isNumber = fields?.some((field) => field.id === name && isNumeric(field)) === true;
  const labels = useLabels(kind, chosen);
  const { data: found } = useQuery({
    queryKey: ['find', kind, name, wanted, filter],
    queryFn: ({ signal }) => findUnits({ kind, filter }, { name, isNumber }, wanted, signal),
    enabled: fields !== undefined,
    retry: false,
  });
  const offered = (found?.items ?? []).map((unit) => ({ value: unit.id, label: nameOf(unit, name) }));
  const label = (id: string): string => labels.get(labelKey(kind, id)) ?? (picked?.value === id ? picked.label : id);
  const others = [...new Set(chosen)].filter((id) => offered.every(({ value }) => value !== id));
  return {
    label,
    props: {
      data: [...others.map((id) => ({ value: id, label: label(id) })), ...offered],
      searchable: true,
      onSearchChange: setTyped,
      // The service has filtered them.
      filter: <T,>({ options }: { options: T }) => options,
      nothingFoundMessage: text('field.none_found'),
      placeholder: text('field.type_to_find'),
    },
  };
}

/** The units that are called so; if there are none, the one with this id. */
async function findUnits(
  { kind, filter }: Pick<ReferenceProps<unknown>, 'kind' | 'filter'>,
  { name, isNumber }: { readonly name: string; readonly isNumber: boolean },
  wanted: string,
  signal: AbortSignal,
): Promise<Page<Unit>> {
  const list = (own?: string) =>
    listUnits(kind, { filter: both(filter, own), cursor: '', limit: OFFERED, include: ['id', name] }, signal);
  if (wanted === '') return list();
  const isPossible = isNumber ? /^\d{1,15}$/.test(wanted) : name !== 'id';
  const called = isPossible
    ? await list(isNumber ? `eq(${name},${wanted})` : `icontains(${name},${literal(wanted)})`)
    : NONE;
  if (called.items.length > 0) return called;
  try {
    return await list(`eq(id,${literal(wanted)})`);
  } catch (error) {
    // It is no id of this kind.
    if (error instanceof ApiError && error.status === 400) return NONE;
    throw error;
  }
}

const NONE: Page<Unit> = { count: 0, items: [] };

function both(one: string | undefined, other: string | undefined): string | undefined {
  return one !== undefined && other !== undefined ? `and(${one},${other})` : (one ?? other);
}
