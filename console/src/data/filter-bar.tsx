/** Filter and search of a grid. The filter is a text, which the builder shows as conditions. */
import { Button, Group, Stack, TextInput } from '@mantine/core';
import { lazy, Suspense, useState, type FormEvent } from 'react';
import type { Field } from '../api/types.js';
import { useText } from '../i18n/text.js';
import { Waiting } from '../shell/page-states.js';

const FilterHints = lazy(async () => ({ default: (await import('./filter-hints.js')).FilterHints }));
const FilterBuilder = lazy(async () => ({ default: (await import('./filter-builder.js')).FilterBuilder }));

interface FilterBarProps {
  readonly fields: readonly Field[];
  readonly filter: string;
  readonly search: string;
  readonly onApply: (values: { filter: string; search: string }) => void;
}

export function FilterBar({ fields, filter, search, onApply }: FilterBarProps) {
  const text = useText();
  const [values, setValues] = useState({ filter, search });
  const [isBuilding, setBuilding] = useState(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onApply({ filter: values.filter.trim(), search: values.search.trim() });
  };
  const setFilter = (next: string) => setValues((before) => ({ ...before, filter: next }));
  return (
    <Stack gap="xs">
      <form onSubmit={submit} role="search">
        <Group gap="xs" align="end" wrap="wrap">
          <TextInput
            size="xs"
            flex={1}
            miw={200}
            label={text('grid.filter')}
            placeholder={text('grid.filter_hint')}
            value={values.filter}
            spellCheck={false}
            onChange={({ currentTarget: { value } }) => setFilter(value)}
          />
          <Button
            size="xs"
            variant="default"
            aria-expanded={isBuilding}
            onClick={() => setBuilding((before) => !before)}
          >
            {text('filter.builder')}
          </Button>
          <TextInput
            size="xs"
            type="search"
            label={text('grid.search')}
            value={values.search}
            onChange={({ currentTarget: { value } }) => setValues((before) => ({ ...before, search: value }))}
          />
          <Button size="xs" type="submit" variant="default">
            {text('grid.apply')}
          </Button>
        </Group>
      </form>
      {filter !== '' && (
        <Suspense>
          <FilterHints fields={fields} filter={filter} />
        </Suspense>
      )}
      {isBuilding && (
        <Suspense fallback={<Waiting />}>
          <FilterBuilder fields={fields} filter={values.filter} onChange={setFilter} />
        </Suspense>
      )}
    </Stack>
  );
}
