/** The grid of a list of units, with what it shows while there is nothing, and the conflicts of its edits. */
import { lazy, Suspense, useMemo, type ReactNode } from 'react';
import type { FileUnit } from '../api/files.js';
import type { Field } from '../api/types.js';
import { PageError, Waiting } from '../shell/page-states.js';
import { useRights } from '../shell/use-rights.js';
import { Conflict } from './conflict.js';
import { parseOrder } from './grid-columns.js';
import { useReferenceLabels } from './reference-labels.js';
import { UnitGrid } from './unit-grid.js';
import { useCellEdits } from './use-cell-edits.js';
import type { UnitSelection } from './use-selection.js';
import type { useUnits } from './use-units.js';

const FileGallery = lazy(async () => ({ default: (await import('../files/file-gallery.js')).FileGallery }));

interface UnitListProps {
  readonly label: string;
  readonly list: ReturnType<typeof useUnits>;
  /** Undefined as long as they are not known. */
  readonly fields: readonly Field[] | undefined;
  /** Those that are columns. */
  readonly shown: readonly Field[];
  /** Why the fields are not known. */
  readonly fault: Error | null;
  readonly onRetry: () => Promise<unknown>;
  /** As the query parameter has it. */
  readonly order: string;
  readonly onOrder: (order: string) => void;
  readonly selection: UnitSelection;
  /** What is there in place of a grid without units. */
  readonly empty: ReactNode;
  /** Whether the units, which are files, are shown as pictures. */
  readonly isGallery?: boolean;
  readonly pageOf?: (kind: string, id: string) => string;
  readonly linkField?: string;
}

export function UnitList(props: UnitListProps) {
  const { label, list, fields, shown, fault, onRetry, order, onOrder, selection, empty, isGallery, ...links } = props;
  const { units, rows, count, more } = list;
  const labels = useReferenceLabels(shown, units.data?.pages ?? []);
  const parsedOrder = useMemo(() => parseOrder(order), [order]);
  const edits = useCellEdits(fields ?? []);
  const { to, readOnly } = useRights();
  const error = units.error ?? fault;
  const isWaiting = (units.isPending || !fields) && !error;
  return (
    <>
      {/* What refuses both is said once. */}
      {error && <PageError error={error} onRetry={() => void Promise.all([units.refetch(), onRetry()])} />}
      {isWaiting && <Waiting />}
      {units.data && fields && rows.length === 0 && empty}
      {isGallery === true && rows.length > 0 && (
        <Suspense fallback={<Waiting />}>
          <FileGallery
            label={label}
            files={rows as FileUnit[]}
            hasMore={units.hasNextPage}
            isLoadingMore={units.isFetchingNextPage}
            onMore={more}
          />
        </Suspense>
      )}
      {fields && rows.length > 0 && isGallery !== true && (
        <UnitGrid
          label={label}
          fields={shown}
          units={rows}
          labels={labels}
          total={count.data?.isEstimate ? undefined : count.data?.count}
          order={parsedOrder}
          onOrder={(next) => onOrder(next ? `${next.field};${next.direction}` : '')}
          selected={selection.keys}
          onToggle={selection.toggle}
          onToggleAll={(to) => selection.toggleAll(rows, to)}
          mayEdit={({ kind_id: kind }, { id }) => to('update', kind) !== 'none' && !readOnly(kind).has(id)}
          onEdit={edits.edit}
          hasMore={units.hasNextPage}
          isLoadingMore={units.isFetchingNextPage}
          onMore={more}
          {...links}
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
    </>
  );
}
