/**
 * A grid of units that renders only the rows and columns in sight, and asks for more as it is scrolled. Its keys are those
 * of the ARIA grid pattern (https://www.w3.org/WAI/ARIA/apg/patterns/grid/).
 */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { useNavigate } from 'react-router';
import { FILE_KIND } from '../../../src/model/built-in-traits.js';
import type { Field, Unit } from '../api/types.js';
import { isNumeric } from '../fields/values.js';
import {
  fieldAt,
  HeadButton,
  leftOf,
  SelectLoaded,
  sortOf,
  useColumns,
  useSort,
  widthOf,
  type Order,
} from './grid-columns.js';
import { CellEditor, type Move } from './cell-editor.js';
import { focusCell, isTyped, moveOf } from './grid-keys.js';
import { renderedRows } from './grid-rows.js';
import { addressOf, FIXED, GridRow, type OpenEditor } from './grid-row.js';
import type { Labels } from './reference-labels.js';
import { isEditable, keyOf } from './source.js';
import { useIsFiles } from './use-files.js';

interface Editing {
  /** As of `keyOf`. */
  readonly unit: string;
  readonly column: number;
  readonly typed: string | undefined;
}

interface UnitGridProps {
  readonly label: string;
  readonly fields: readonly Field[];
  readonly units: readonly Unit[];
  readonly labels: Labels;
  /** Units in the whole list; undefined as long as it is not known. */
  readonly total: number | undefined;
  readonly order: Order | undefined;
  readonly onOrder: (order: Order | undefined) => void;
  /** As of `keyOf`. */
  readonly selected: ReadonlySet<string>;
  readonly onToggle: (unit: Unit, to: boolean) => void;
  /** All units that are loaded. */
  readonly onToggleAll: (to: boolean) => void;
  /** Whether the member may change a value, as far as it is known. */
  readonly mayEdit: (unit: Unit, field: Field) => boolean;
  /** Answers what is wrong with a value, if something is. */
  readonly onEdit: (unit: Unit, field: Field, value: unknown) => Promise<string | undefined>;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly onMore: () => void;
  /** The page of a unit; by default its form. */
  readonly pageOf?: (kind: string, id: string) => string;
  /** The field whose values lead there too. */
  readonly linkField?: string;
}

/** The height of a row, in pixels. */
const ROW = 36;
/** Rows before the end at which more are asked for. */
const AHEAD = 30;
/** The least width of a cell that is edited. */
const EDITOR_WIDTH = 220;

export function UnitGrid(props: UnitGridProps) {
  const { label, fields, units, labels, total, order, onOrder, selected, onToggle, onToggleAll, mayEdit, onEdit } =
    props;
  const { hasMore, isLoadingMore, onMore, pageOf = addressOf, linkField } = props;
  const navigate = useNavigate();
  const hasFiles = useIsFiles(FILE_KIND);
  const scroller = useRef<HTMLDivElement>(null);
  const [wanted, setActive] = useState({ row: 0, column: 1 });
  // There may be fewer units or columns by now.
  const active = {
    row: Math.min(wanted.row, units.length),
    column: Math.min(wanted.column, fields.length + FIXED - 1),
  };
  const sortBy = useSort(order, onOrder, scroller);
  const [editing, setEditing] = useState<Editing>();
  const editedRow = editing && units.findIndex((unit) => keyOf(unit) === editing.unit);
  const rows = useVirtualizer({
    count: units.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 10,
    useFlushSync: false,
    scrollPaddingStart: ROW,
    // Scrolled out of sight, what is typed in a cell is not lost, nor is the focus.
    rangeExtractor: (range) => renderedRows(range, editedRow, active.row - 1),
  });
  const width = useCallback((at: number) => widthOf(at, fields), [fields]);
  const columns = useVirtualizer({
    horizontal: true,
    count: fields.length + FIXED,
    getScrollElement: () => scroller.current,
    estimateSize: width,
    overscan: 3,
    useFlushSync: false,
  });
  const areAllSelected = units.every((unit) => selected.has(keyOf(unit)));
  const shownRows = rows.getVirtualItems();
  const shownColumns = useColumns(columns.getVirtualItems(), active.column, fields);
  const last = rows.range?.endIndex ?? 0;
  useEffect(() => {
    if (hasMore && !isLoadingMore && last >= units.length - AHEAD) onMore();
  }, [hasMore, isLoadingMore, last, units.length, onMore]);
  const activate = useCallback((row: number, column: number) => setActive({ row, column }), []);

  const focus = (row: number, column: number): void => {
    const next = {
      row: Math.min(Math.max(row, 0), units.length),
      column: Math.min(Math.max(column, 0), fields.length + FIXED - 1),
    };
    setActive(next);
    if (next.row > 0) rows.scrollToIndex(next.row - 1);
    columns.scrollToIndex(next.column);
    // After the cell has been rendered.
    requestAnimationFrame(() => focusCell(scroller.current, next.row, next.column));
  };
  const edit = (row: number, column: number, typed?: string): boolean => {
    const [unit, field] = [units[row - 1], fields[column - FIXED]];
    if (!unit || !field || !isEditable(field) || !mayEdit(unit, field)) return false;
    setEditing({ unit: keyOf(unit), column, typed });
    return true;
  };
  const closeEditor = (row: number, column: number, move?: Move): void => {
    setEditing(undefined);
    if (move) focus(row + move[0], column + move[1]);
  };
  const editorOf = (index: number, unit: Unit): OpenEditor | undefined => {
    const field = editing && fields[editing.column - FIXED];
    if (!field || index !== editedRow) return undefined;
    const { column, typed } = editing;
    const content = (
      <CellEditor
        key={keyOf(unit)}
        field={field}
        unit={unit}
        typed={typed}
        onSave={(value) => onEdit(unit, field, value)}
        onClose={(move) => closeEditor(index + 1, column, move)}
      />
    );
    return { left: leftOf(column, fields), width: Math.max(widthOf(column, fields), EDITOR_WIDTH), content };
  };
  const onDoubleClick = ({ target }: { target: EventTarget }): void => {
    const cell = (target as HTMLElement).closest<HTMLElement>('[role=gridcell]');
    const [row, column] = (cell?.dataset['cell'] ?? '').split(' ').map(Number);
    if (row !== undefined && column !== undefined) edit(row, column);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const { row, column } = active;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW) - 2);
    const move = moveOf(event, active, { page, row: units.length, column: fields.length + FIXED - 1 });
    const unit = units[row - 1];
    if (move) focus(...move);
    else if (event.key === 'F2') edit(row, column);
    else if (event.key === 'Enter' && unit && edit(row, column)) {
      // The cell is edited.
    } else if (event.key === 'Enter' && unit && column !== 0) void navigate(pageOf(unit.kind_id, unit.id));
    else if (event.key === 'Enter' && !unit && column !== 0) sortBy(fieldAt(column, fields).id);
    else if (event.key === ' ' && unit) onToggle(unit, !selected.has(keyOf(unit)));
    else if (event.key === ' ' && row === 0 && column === 0) onToggleAll(!areAllSelected);
    else if (!isTyped(event, fields[column - FIXED]) || !edit(row, column, event.key)) return;
    event.preventDefault();
  };

  return (
    <div
      ref={scroller}
      className="grid"
      role="grid"
      aria-label={label}
      aria-rowcount={total === undefined ? -1 : total + 1}
      aria-colcount={fields.length + FIXED}
      aria-multiselectable
      aria-busy={isLoadingMore}
      onKeyDown={onKeyDown}
      onDoubleClick={onDoubleClick}
    >
      <div
        className="grid-row grid-head"
        role="row"
        aria-rowindex={1}
        style={{ height: ROW, width: columns.getTotalSize() }}
      >
        {shownColumns.map(({ index, left, width: pixels, field }) => (
          <div
            key={index}
            role="columnheader"
            aria-colindex={index + 1}
            aria-sort={sortOf(index, fields, order)}
            className="grid-cell"
            data-cell={`0 ${index}`}
            data-align={field && isNumeric(field) ? 'right' : undefined}
            tabIndex={active.row === 0 && active.column === index ? 0 : -1}
            style={{ left, width: pixels }}
            onFocus={() => activate(0, index)}
          >
            {index === 0 ? (
              <SelectLoaded
                isChecked={areAllSelected}
                isPartial={!areAllSelected && selected.size > 0}
                onToggle={onToggleAll}
              />
            ) : (
              <HeadButton
                field={fieldAt(index, fields)}
                order={order}
                onClick={() => sortBy(fieldAt(index, fields).id)}
              />
            )}
          </div>
        ))}
      </div>
      <div
        className="grid-content"
        role="rowgroup"
        style={{ height: rows.getTotalSize(), width: columns.getTotalSize() }}
      >
        {shownRows.map(({ index, start }) => {
          const unit = units[index];
          return (
            unit && (
              <GridRow
                key={keyOf(unit)}
                unit={unit}
                row={index + 1}
                top={start}
                height={ROW}
                columns={shownColumns}
                pageOf={pageOf}
                linkField={linkField}
                labels={labels}
                fileKind={hasFiles ? FILE_KIND : undefined}
                isSelected={selected.has(keyOf(unit))}
                activeColumn={active.row === index + 1 ? active.column : undefined}
                editor={editorOf(index, unit)}
                onToggle={onToggle}
                onActivate={activate}
              />
            )
          );
        })}
      </div>
    </div>
  );
}
