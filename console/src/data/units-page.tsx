/** The units of a kind or group: filter, search, columns, and the grid. The address has all of it, so that it can be sent. */
import { Button, Group, SegmentedControl, Text as Paragraph, Title } from '@mantine/core';
import { useStore } from 'ra-core';
import { useMemo } from 'react';
import { Link, useParams } from 'react-router';
import { type Count } from '../api/units.js';
import { DropPage, UploadButton } from '../files/upload-button.js';
import { UploadList } from '../files/upload-list.js';
import { uploads } from '../files/upload-queue.js';
import { useText, type Text } from '../i18n/text.js';
import { useVisit } from '../overview/visited.js';
import { ActionButton } from '../shell/action.js';
import { Empty, EmptyPage } from '../shell/page-states.js';
import { useRights } from '../shell/use-rights.js';
import { useAddress } from '../shell/use-address.js';
import { AllUnitsMenu } from './all-units-menu.js';
import { ColumnMenu } from './column-menu.js';
import { FilterBar } from './filter-bar.js';
import { LoadAgain } from './load-again.js';
import { SelectedUnits } from './selected-units.js';
import { filterQuery, ID, useColumnsOf, useLabelOf, type Source } from './source.js';
import { TransferMenu } from './transfer/transfer-menu.js';
import { UnitList } from './unit-list.js';
import { useIsFiles } from './use-files.js';
import { useKinds } from './use-kinds.js';
import { useRefusal } from './use-refusal.js';
import { useSelection } from './use-selection.js';
import { useUnits } from './use-units.js';

export function UnitsPage() {
  const { kind = '', group } = useParams();
  const source: Source = group === undefined ? { type: 'kind', id: kind } : { type: 'group', id: group };
  const { to } = useRights();
  const isUnreadable = source.type === 'kind' && to('read', kind) === 'none';
  // Another kind is another page: its columns, selection and scroll position are its own.
  const key = `${source.type} ${source.id}`;
  return isUnreadable ? <UnreadableUnits key={key} source={source} /> : <UnitsOf key={key} source={source} />;
}

/** Of a kind whose units the member may not read; it may create some nevertheless. */
function UnreadableUnits({ source }: { source: Source }) {
  const text = useText();
  const label = useLabelOf(source);
  const refusalOf = useRefusal();
  const { own, builtIn, isPending } = useKinds();
  const isKnown = isPending || [...own, ...builtIn].some(({ id }) => id === source.id);
  if (!isKnown)
    return (
      <EmptyPage title={label}>
        <Empty>{text('unit.no_kind', { kind: source.id })}</Empty>
      </EmptyPage>
    );
  return (
    <div className="page">
      <Group justify="space-between">
        <Title order={1} size="h3">
          {label}
        </Title>
        <NewUnit kind={source.id} />
      </Group>
      <Empty>{refusalOf('read', [source.id])}</Empty>
    </div>
  );
}

/** Files are uploaded. */
function NewUnit({ kind, isLarge = false }: { kind: string; isLarge?: boolean }) {
  const text = useText();
  const refusal = useRefusal()('create', [kind]);
  const isFiles = useIsFiles(kind);
  if (isFiles) return <UploadButton reason={refusal} isLarge={isLarge} />;
  return (
    <ActionButton size={isLarge ? 'sm' : 'xs'} reason={refusal} to={`/data/${kind}/new`}>
      {text('grid.create')}
    </ActionButton>
  );
}

function UnitsOf({ source }: { source: Source }) {
  const text = useText();
  const label = useLabelOf(source);
  useVisit(source);
  const [parameters, setAddress] = useAddress();
  const [filter = '', search = '', order = ''] = ['filter', 'search', 'order'].map(
    (name) => parameters.get(name) ?? '',
  );
  const selection = useSelection();
  const [hidden, setHidden] = useStore<readonly string[]>(`columns.${source.id}`, []);
  const struct = useColumnsOf(source);
  const list = useUnits(source, { filter, search, order });
  const { units, rows, count } = list;
  const { fields } = struct;
  const shown = useMemo(() => fields?.filter(({ id }) => !hidden.includes(id)) ?? [], [fields, hidden]);
  const filterFields = useMemo(() => [...(fields ?? []), ID], [fields]);
  const change = (values: Readonly<Record<string, string>>): void => {
    selection.clear();
    setAddress(values);
  };
  const isKind = source.type === 'kind';
  const isFiles = useIsFiles(isKind ? source.id : undefined);
  const mayCreate = useRights().to('create', source.id) !== 'none';
  const view = isFiles && parameters.get('view') === 'pictures' ? 'pictures' : 'table';

  return (
    <div className="page">
      {isFiles && <DropPage isPossible={mayCreate} />}
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
          {isFiles && (
            <SegmentedControl
              size="xs"
              aria-label={text('files.view')}
              data={(['table', 'pictures'] as const).map((each) => ({ value: each, label: text(`files.${each}`) }))}
              value={view}
              onChange={(next) => change({ view: next === 'table' ? '' : next })}
            />
          )}
          {isKind && (
            <Button size="xs" variant="default" component={Link} to={`/charts/${source.id}${filterQuery(filter)}`}>
              {text('charts.open')}
            </Button>
          )}
          {view === 'table' && <ColumnMenu fields={fields ?? []} hidden={hidden} onChange={setHidden} />}
          <LoadAgain changed={list.changed} isLoading={units.isRefetching} onLoad={list.loadAgain} />
          {isKind && fields && (
            <>
              <TransferMenu
                kind={source.id}
                fields={fields}
                shown={shown}
                filter={filter}
                search={search}
                order={order}
                isExportOnly={isFiles}
              />
              <AllUnitsMenu kind={source.id} fields={fields} filter={filter} search={search} onDone={selection.clear} />
            </>
          )}
          {isKind && <NewUnit kind={source.id} />}
        </Group>
      </Group>
      <FilterBar key={`${filter}\n${search}`} fields={filterFields} filter={filter} search={search} onApply={change} />
      {isFiles && <UploadList queue={uploads} />}
      {rows.length > 0 && view === 'table' && <SelectedUnits selection={selection} fields={fields ?? []} />}
      <UnitList
        label={label}
        list={list}
        fields={fields}
        shown={shown}
        fault={struct.error}
        onRetry={() => struct.refetch()}
        order={order}
        onOrder={(next) => change({ order: next })}
        selection={selection}
        isGallery={view === 'pictures'}
        {...(isFiles && { linkField: 'name' })}
        empty={
          <Empty>
            {text(filter || search ? 'grid.empty_filtered' : isFiles && mayCreate ? 'files.empty' : 'grid.empty')}
            {filter || search ? (
              <Button variant="default" onClick={() => change({ filter: '', search: '' })}>
                {text('grid.clear_filter')}
              </Button>
            ) : (
              isKind && <NewUnit kind={source.id} isLarge />
            )}
          </Empty>
        }
      />
    </div>
  );
}

function countText(count: Count | undefined, error: Error | null, text: Text): string {
  if (error) return text('grid.not_counted');
  if (!count) return text('grid.counting');
  return text(count.isEstimate ? 'grid.units_about' : 'grid.units', { smart_count: count.count });
}
