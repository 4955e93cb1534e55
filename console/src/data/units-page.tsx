/** The units of a kind: filter, search, columns, and the grid. The address has all of it, so that it can be sent. */
import { Button, Checkbox, Group, Popover, Stack, Text as Paragraph, TextInput, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useStore } from 'ra-core';
import { useCallback, useMemo, useState, type FormEvent } from 'react';
import { Link, useParams, useSearchParams } from 'react-router';
import type { Field } from '../api/types.js';
import { listUnits } from '../api/units.js';
import { useText } from '../i18n/text.js';
import { Empty, PageError, Waiting } from '../shell/page-states.js';
import { DeleteUnits } from './delete-units.js';
import { useReferenceLabels } from './reference-labels.js';
import { UnitGrid, type Order } from './unit-grid.js';
import { useKinds, useStruct } from './use-kinds.js';

const PAGE = 100;
const NONE: ReadonlySet<string> = new Set();

export function UnitsPage() {
  const { kind = '' } = useParams();
  // Another kind is another page: its columns, selection and scroll position are its own.
  return <UnitsOfKind key={kind} kind={kind} />;
}

function UnitsOfKind({ kind }: { kind: string }) {
  const text = useText();
  const { own, builtIn } = useKinds();
  const label = [...own, ...builtIn].find(({ id }) => id === kind)?.label ?? kind;
  const [parameters, setParameters] = useSearchParams();
  const [filter, search, order] = ['filter', 'search', 'order'].map((name) => parameters.get(name) ?? '');
  const [selected, setSelected] = useState(NONE);
  const [hidden, setHidden] = useStore<readonly string[]>(`columns.${kind}`, []);
  const struct = useStruct(kind);
  const units = useInfiniteQuery({
    queryKey: ['units', kind, filter, search, order],
    queryFn: ({ pageParam, signal }) =>
      listUnits(kind, { filter, search, order: order ? [order] : [], cursor: pageParam, limit: PAGE }, signal),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next ?? undefined,
    retry: false,
  });
  const rows = useMemo(() => units.data?.pages.flatMap(({ items }) => items) ?? [], [units.data]);
  const fields = useMemo(() => columnsOf(struct.data ?? []), [struct.data]);
  const shown = useMemo(() => fields.filter(({ id }) => !hidden.includes(id)), [fields, hidden]);
  const labels = useReferenceLabels(shown, units.data?.pages ?? []);
  const count = units.data?.pages[0]?.count;
  const { fetchNextPage } = units;
  const more = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  const toggle = useCallback((id: string) => setSelected((before) => toggled(before, id)), []);

  const change = (values: Readonly<Record<string, string>>): void => {
    setSelected(NONE);
    setParameters((before) => {
      for (const [name, value] of Object.entries(values)) {
        if (value === '') before.delete(name);
        else before.set(name, value);
      }
      return before;
    });
  };

  return (
    <div className="page">
      <Group justify="space-between">
        <Group gap="sm" align="baseline">
          <Title order={1} size="h3">
            {label}
          </Title>
          <Paragraph c="dimmed" size="sm" aria-live="polite">
            {count !== undefined && text('grid.units', { smart_count: count })}
            {units.isFetchingNextPage && ` · ${text('grid.loading_more')}`}
          </Paragraph>
        </Group>
        <Group gap="xs">
          <ColumnMenu fields={fields} hidden={hidden} onChange={setHidden} />
          <Button size="xs" variant="default" onClick={() => void units.refetch()} loading={units.isRefetching}>
            {text('grid.refresh')}
          </Button>
          <Button size="xs" variant="default" component={Link} to={`/charts/${kind}`}>
            {text('charts.open')}
          </Button>
          <Button size="xs" component={Link} to={`/data/${kind}/new`}>
            {text('grid.create')}
          </Button>
        </Group>
      </Group>
      <FilterBar key={`${filter}\n${search}`} filter={filter ?? ''} search={search ?? ''} onApply={change} />
      {selected.size > 0 && (
        <Group gap="xs">
          <Paragraph size="sm">{text('grid.selected', { smart_count: selected.size })}</Paragraph>
          <DeleteUnits kind={kind} ids={[...selected]} onDone={() => setSelected(NONE)} />
          <Button size="xs" variant="subtle" onClick={() => setSelected(NONE)}>
            {text('grid.select_none')}
          </Button>
        </Group>
      )}
      {units.error && <PageError error={units.error} onRetry={() => void units.refetch()} />}
      {struct.error && <PageError error={struct.error} onRetry={() => void struct.refetch()} />}
      {(units.isPending || struct.isPending) && !units.error && !struct.error && <Waiting />}
      {units.data && struct.data && rows.length === 0 && (
        <Empty>
          {text(filter || search ? 'grid.empty_filtered' : 'grid.empty')}
          {filter || search ? (
            <Button variant="default" onClick={() => change({ filter: '', search: '' })}>
              {text('grid.clear_filter')}
            </Button>
          ) : (
            <Button component={Link} to={`/data/${kind}/new`}>
              {text('grid.create')}
            </Button>
          )}
        </Empty>
      )}
      {struct.data && rows.length > 0 && (
        <UnitGrid
          kind={kind}
          label={label}
          fields={shown}
          units={rows}
          labels={labels}
          total={count ?? rows.length}
          order={parseOrder(order ?? '')}
          onOrder={(next) => change({ order: next ? `${next.field};${next.direction}` : '' })}
          selected={selected}
          onToggle={toggle}
          hasMore={units.hasNextPage}
          isLoadingMore={units.isFetchingNextPage}
          onMore={more}
        />
      )}
    </div>
  );
}

function toggled(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return next;
}

/** The fields of a struct as columns, with those that every unit has. */
function columnsOf(fields: readonly Field[]): readonly Field[] {
  const common = {
    default: null,
    helper_text: null,
    required: false,
    multiple: false,
    min_length: null,
    max_length: null,
  };
  const times = ['inserted_at', 'updated_at'].map((id): Field => ({
    ...common,
    id,
    label: id,
    type: 'datetime',
    values: null,
  }));
  const shown = fields.filter(({ persistence, id }) => persistence !== 'run_time' && id !== 'metadata');
  return [...shown, ...fields.filter(({ id }) => id === 'metadata'), ...times];
}

function parseOrder(order: string): Order | undefined {
  const [field, direction] = order.split(';');
  return field ? { field, direction: direction === 'desc' ? 'desc' : 'asc' } : undefined;
}

interface FilterBarProps {
  readonly filter: string;
  readonly search: string;
  readonly onApply: (values: { filter: string; search: string }) => void;
}

function FilterBar({ filter, search, onApply }: FilterBarProps) {
  const text = useText();
  const [values, setValues] = useState({ filter, search });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onApply({ filter: values.filter.trim(), search: values.search.trim() });
  };
  return (
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
          onChange={({ currentTarget: { value } }) => setValues((before) => ({ ...before, filter: value }))}
        />
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
  );
}

interface ColumnMenuProps {
  readonly fields: readonly Field[];
  readonly hidden: readonly string[];
  readonly onChange: (hidden: readonly string[]) => void;
}

function ColumnMenu({ fields, hidden, onChange }: ColumnMenuProps) {
  const text = useText();
  return (
    <Popover position="bottom-end" trapFocus>
      <Popover.Target>
        <Button size="xs" variant="default">
          {text('grid.columns')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown mah="60vh" style={{ overflowY: 'auto' }}>
        <Stack gap="xs">
          <Button size="xs" variant="default" onClick={() => onChange([])}>
            {text('grid.columns_all')}
          </Button>
          {fields.map(({ id, label }) => (
            <Checkbox
              key={id}
              size="xs"
              label={label}
              checked={!hidden.includes(id)}
              onChange={() => onChange(hidden.includes(id) ? hidden.filter((name) => name !== id) : [...hidden, id])}
            />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
