import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Unit } from '../api/types.js';
import { listUnits, literal } from '../api/units.js';
import { useText } from '../i18n/text.js';
import { useReferenceLabel } from './reference-labels.js';
import { labelField, useStruct } from './use-kinds.js';

interface ReferenceInputProps {
  readonly kind: string;
  readonly value: string;
  readonly onChange: (id: string) => void;
}

/** Units offered at once. */
const OFFERED = 20;
const TYPING_MS = 200;

/** Finds a unit of another kind by what it is called, or by its id. */
export function ReferenceInput({ kind, value, onChange, ...common }: ReferenceInputProps) {
  const text = useText();
  const [typed, setTyped] = useState('');
  const [wanted] = useDebouncedValue(typed, TYPING_MS);
  const { data: fields } = useStruct(kind);
  const name = fields ? labelField(fields) : 'id';
  const label = useReferenceLabel(kind, value === '' ? undefined : value);
  const { data: found } = useQuery({
    queryKey: ['find', kind, name, wanted],
    queryFn: ({ signal }) => {
      const conditions = name === 'id' ? [] : [`icontains(${name},${literal(wanted)})`];
      const filter = wanted === '' ? undefined : `or(${[...conditions, `eq(id,${literal(wanted)})`].join(',')})`;
      return listUnits(kind, { filter, cursor: '', limit: OFFERED, include: ['id', name] }, signal);
    },
    enabled: fields !== undefined,
    retry: false,
  });
  const offered = (found?.items ?? []).map((unit) => ({ value: unit.id, label: nameOf(unit, name) }));
  const isOffered = value === '' || offered.some((each) => each.value === value);
  const data = isOffered ? offered : [{ value, label: label ?? value }, ...offered];
  return (
    <Select
      {...common}
      data={data}
      value={value === '' ? null : value}
      onChange={(id) => onChange(id ?? '')}
      searchable
      clearable
      onSearchChange={(next) => setTyped(next === label ? '' : next)}
      // The service has filtered them.
      filter={({ options }) => options}
      nothingFoundMessage={text('field.none_found')}
      placeholder={text('field.type_to_find')}
    />
  );
}

function nameOf(unit: Unit, name: string): string {
  const label = unit[name];
  return typeof label === 'string' && label !== '' ? label : unit.id;
}
