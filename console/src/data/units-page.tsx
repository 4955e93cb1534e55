/** The units of a kind or group: filter, search, columns, and the grid. The address has all of it, so that it can be sent. */
import { Button, Group, Text as Paragraph, Title } from '@mantine/core';
import { useStore } from 'ra-core';
import { useMemo, useState } from 'react';
import { Link, useParams, useSearchParams } from 'react-router';
import type { Unit } from '../api/types.js';
import { selectionsOf } from '../api/selected.js';
import { type Count } from '../api/units.js';
import { useText, type Text } from '../i18n/text.js';
import { useVisit } from '../overview/visited.js';
import { Empty, PageError, Waiting } from '../shell/page-states.js';
import { ColumnMenu } from './column-menu.js';
import { Conflict } from './conflict.js';
import { DeleteUnits } from './delete-units.js';
import { EditUnits } from './edit-units.js';
import { FilterBar } from './filter-bar.js';
import { parseOrder } from './grid-columns.js';
import { useReferenceLabels } from './reference-labels.js';
import { filterQuery, ID, keyOf, useColumnsOf, useLabelOf, type Source } from './source.js';
import { TransferMenu } from './transfer/transfer-menu.js';
import { UnitGrid } from './unit-grid.js';
import { useCellEdits } from './use-cell-edits.js';
import { useUnits } from './use-units.js';

type Selected = ReadonlyMap<string, Unit>;
const NONE: Selected = new Map();

export function UnitsPage() {
  const { kind = '', group } = useParams();
  const source: Source = group === undefined ? { type: 'kind', id: kind } : { type: 'group', id: group };
  // Another kind is another page: its columns, selection and scroll position are its own.
  return <UnitsOf key={`${source.type} ${source.id}`} source={source} />;
}

function UnitsOf({ source }: { source: Source }) {
  const text = useText();
  const label = useLabelOf(source);
  useVisit(source);
  const [parameters, setParameters] = useSearchParams();
  const [filter = '', search = '', order = ''] = ['filter', 'search', 'order'].map(
    (name) => parameters.get(name) ?? '',
  );
  const [selected, setSelected] = useState(NONE);
  const [hidden, setHidden] = useStore<readonly string[]>(`columns.${source.id}`, []);
  const struct = useColumnsOf(source);
  const { units, rows, count, more } = useUnits(source, { filter, search, order });
  const { fields } = struct;
  const error = units.error ?? struct.error;
  const shown = useMemo(() => fields?.filter(({ id }) => !hidden.includes(id)) ?? [], [fields, hidden]);
  const filterFields = useMemo(() => [...(fields ?? []), ID], [fields]);
  const labels = useReferenceLabels(shown, units.data?.pages ?? []);
  const edits = useCellEdits(fields ?? []);
  const selectedKeys = useMemo(() => new Set(selected.keys()), [selected]);
  const [toggle] = useState(() => (unit: Unit, to: boolean) => setSelected((before) => toggled(before, unit, to)));
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
  const isKind = source.type === 'kind';
  // Writes by filter have no search.
  const matching = isKind && search === '' ? [{ kind: source.id, filter: filter || 'all()' }] : undefined;
  const picked = selected.size > 0 ? selectionsOf([...selected.values()]) : matching;
  const noneSelected = () => setSelected(NONE);

  return (
    <div className="page">
      <Group justify="space-between">
        <Group gap="sm" align="baseline">
          <Title order={1} size="h3">
            {label}
          </Title>
          <Paragraph c="dimmed" size="sm" aria-live="polite">
            {countText(count.data, count.error, text)}
            {units.isFetchingNextPage && ` · ${text('grid.loading_more')}`}
          </Paragraph>
        </Group>
        <Group gap="xs">
          {isKind && (
            <Button size="xs" variant="default" component={Link} to={`/charts/${source.id}${filterQuery(filter)}`}>
              {text('charts.open')}
            </Button>
          )}
          <ColumnMenu fields={fields ?? []} hidden={hidden} onChange={setHidden} />
          <Button
            size="xs"
            variant="default"
            onClick={() => void Promise.all([units.refetch(), count.refetch()])}
            loading={units.isRefetching}
          >
            {text('grid.refresh')}
          </Button>
          {isKind && fields && (
            <TransferMenu
              kind={source.id}
              fields={fields}
              shown={shown}
              filter={filter}
              search={search}
              order={order}
            />
          )}
          {isKind && (
            <Button size="xs" component={Link} to={`/data/${source.id}/new`}>
              {text('grid.create')}
            </Button>
          )}
        </Group>
      </Group>
      <FilterBar key={`${filter}\n${search}`} fields={filterFields} filter={filter} search={search} onApply={change} />
      {rows.length > 0 && (
        <Group gap="xs">
          <Paragraph size="sm">
            {selected.size > 0
              ? text('grid.selected', { smart_count: selected.size })
              : text(matching ? 'grid.all_matching' : 'grid.none_selected')}
          </Paragraph>
          {picked && (
            <>
              <EditUnits
                label={text(selected.size > 0 ? 'edit.selected' : 'edit.all')}
                fields={fields ?? []}
                selections={picked}
                onDone={noneSelected}
              />
              <DeleteUnits
                label={text(selected.size > 0 ? 'unit.delete' : 'unit.delete_all')}
                selections={picked}
                onDone={noneSelected}
              />
            </>
          )}
          {selected.size > 0 && (
            <Button size="xs" variant="subtle" onClick={noneSelected}>
              {text('grid.select_none')}
            </Button>
          )}
        </Group>
      )}
      {/* What refuses both is said once. */}
      {error && <PageError error={error} onRetry={() => void Promise.all([units.refetch(), struct.refetch()])} />}
      {(units.isPending || struct.isPending) && !error && <Waiting />}
      {units.data && fields && rows.length === 0 && (
        <Empty>
          {text(filter || search ? 'grid.empty_filtered' : 'grid.empty')}
          {filter || search ? (
            <Button variant="default" onClick={() => change({ filter: '', search: '' })}>
              {text('grid.clear_filter')}
            </Button>
          ) : (
            isKind && (
              <Button component={Link} to={`/data/${source.id}/new`}>
                {text('grid.create')}
              </Button>
            )
          )}
        </Empty>
      )}
      {fields && rows.length > 0 && (
        <UnitGrid
          label={label}
          fields={shown}
          units={rows}
          labels={labels}
          total={count.data?.isEstimate ? undefined : count.data?.count}
          order={parseOrder(order)}
          onOrder={(next) => change({ order: next ? `${next.field};${next.direction}` : '' })}
          selected={selectedKeys}
          onToggle={toggle}
          onEdit={edits.edit}
          hasMore={units.hasNextPage}
          isLoadingMore={units.isFetchingNextPage}
          onMore={more}
        />
      )}
      {edits.conflict && (
        <Conflict
          fields={fields ?? []}
          mine={edits.conflict.values}
          theirs={edits.conflict.theirs}
          onChoose={(choice) => void edits.choose(choice)}
          onClose={edits.close}
        />
      )}
    </div>
  );
}

function toggled(before: Selected, unit: Unit, to: boolean): Selected {
  const next = new Map(before);
  if (to) next.set(keyOf(unit), unit);
  else next.delete(keyOf(unit));
  return next;
}

function countText(count: Count | undefined, error: Error | null, text: Text): string {
  if (error) return text('grid.not_counted');
  if (!count) return text('grid.counting');
  return text(count.isEstimate ? 'grid.units_about' : 'grid.units', { smart_count: count.count });
}
