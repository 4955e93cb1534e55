/**
 * A grid of units that renders only the rows and columns in sight, and asks for more as it is scrolled. Its keys are those
 * of the ARIA grid pattern (https://www.w3.org/WAI/ARIA/apg/patterns/grid/).
 */
import { VisuallyHidden } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { useNavigate } from 'react-router';
import type { Field, Unit } from '../api/types.js';
import { useText } from '../i18n/text.js';
import { addressOf, FIXED, GridRow, type Column } from './grid-row.js';
import type { Labels } from './reference-labels.js';
import { isNumeric } from './values.js';

export interface Order {
  readonly field: string;
  readonly direction: 'asc' | 'desc';
}

interface UnitGridProps {
  readonly kind: string;
  readonly label: string;
  readonly fields: readonly Field[];
  readonly units: readonly Unit[];
  readonly labels: Labels;
  /** Units in the whole list. */
  readonly total: number;
  readonly order: Order | undefined;
  readonly onOrder: (order: Order | undefined) => void;
  readonly selected: ReadonlySet<string>;
  readonly onToggle: (id: string) => void;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly onMore: () => void;
}

/** Pixels: the height of a row, and the widths of the box that selects, of the id, and of other columns. */
const ROW = 36;
const [SELECT_WIDTH, ID_WIDTH, WIDTH, LONG_WIDTH] = [44, 180, 150, 260];
/** Rows before the end at which more are asked for. */
const AHEAD = 30;
const ID: Pick<Field, 'id' | 'label'> = { id: 'id', label: 'id' };

export function UnitGrid(props: UnitGridProps) {
  const { kind, label, fields, units, labels, total, order, onOrder, selected, onToggle } = props;
  const { hasMore, isLoadingMore, onMore } = props;
  const text = useText();
  const navigate = useNavigate();
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState({ row: 0, column: 1 });
  const rows = useVirtualizer({
    count: units.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 10,
    useFlushSync: false,
    scrollPaddingStart: ROW,
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
  const shownRows = rows.getVirtualItems();
  const shownColumns = useColumns(columns.getVirtualItems(), fields);
  const last = shownRows.at(-1)?.index ?? 0;
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
  const onKeyDown = (event: KeyboardEvent): void => {
    const { row, column } = active;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW) - 2);
    const moves: Readonly<Record<string, readonly [number, number] | undefined>> = {
      ArrowDown: [row + 1, column],
      ArrowUp: [row - 1, column],
      ArrowRight: [row, column + 1],
      ArrowLeft: [row, column - 1],
      PageDown: [row + page, column],
      PageUp: [Math.max(1, row - page), column],
      Home: [event.ctrlKey ? 0 : row, 0],
      End: [event.ctrlKey ? units.length : row, fields.length + FIXED - 1],
    };
    const move = moves[event.key];
    const unit = units[row - 1];
    if (move) focus(...move);
    else if (event.key === 'Enter' && unit && column !== 0) void navigate(addressOf(kind, unit.id));
    else if (event.key === 'Enter' && !unit && column !== 0) sortBy(column);
    else if (event.key === ' ' && unit) onToggle(unit.id);
    else return;
    event.preventDefault();
  };
  const sortBy = (column: number): void => {
    const { id: field } = fieldAt(column, fields);
    if (order?.field !== field) onOrder({ field, direction: 'asc' });
    else onOrder(order.direction === 'asc' ? { field, direction: 'desc' } : undefined);
  };

  return (
    <div
      ref={scroller}
      className="grid"
      role="grid"
      aria-label={label}
      aria-rowcount={total + 1}
      aria-colcount={fields.length + FIXED}
      aria-multiselectable
      aria-busy={isLoadingMore}
      onKeyDown={onKeyDown}
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
              <VisuallyHidden>{text('grid.selection')}</VisuallyHidden>
            ) : (
              <HeadButton field={fieldAt(index, fields)} order={order} onClick={() => sortBy(index)} />
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
                key={unit.id}
                kind={kind}
                unit={unit}
                row={index + 1}
                top={start}
                height={ROW}
                columns={shownColumns}
                labels={labels}
                isSelected={selected.has(unit.id)}
                activeColumn={active.row === index + 1 ? active.column : undefined}
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

interface HeadButtonProps {
  readonly field: Pick<Field, 'id' | 'label'>;
  readonly order: Order | undefined;
  readonly onClick: () => void;
}

function HeadButton({ field, order, onClick }: HeadButtonProps) {
  const text = useText();
  const arrow = order?.field === field.id ? (order.direction === 'asc' ? ' ↑' : ' ↓') : '';
  const title = text('grid.sort', { name: field.label });
  return (
    <button type="button" className="grid-sort" tabIndex={-1} title={title} onClick={onClick}>
      {field.label}
      <span aria-hidden>{arrow}</span>
    </button>
  );
}

/** The columns in sight; the same array as long as they are the same, so that rows are not rendered again. */
function useColumns(
  items: readonly { index: number; start: number; size: number }[],
  fields: readonly Field[],
): readonly Column[] {
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? -1];
  return useMemo(() => {
    const shown: Column[] = [];
    for (let index = 0, left = 0; index <= last; index += 1) {
      const width = widthOf(index, fields);
      if (index >= first) shown.push({ index, left, width, field: fields[index - FIXED] });
      left += width;
    }
    return shown;
  }, [first, last, fields]);
}

function widthOf(column: number, fields: readonly Field[]): number {
  if (column === 0) return SELECT_WIDTH;
  if (column === 1) return ID_WIDTH;
  const field = fields[column - FIXED];
  return field?.type === 'text' || field?.type === 'json' || field?.multiple ? LONG_WIDTH : WIDTH;
}

function fieldAt(column: number, fields: readonly Field[]): Pick<Field, 'id' | 'label'> {
  return fields[column - FIXED] ?? ID;
}

function sortOf(column: number, fields: readonly Field[], order: Order | undefined) {
  if (column === 0 || order?.field !== fieldAt(column, fields).id) return undefined;
  return order.direction === 'asc' ? 'ascending' : 'descending';
}

function focusCell(grid: HTMLElement | null, row: number, column: number): void {
  grid?.querySelector<HTMLElement>(`[data-cell="${row} ${column}"]`)?.focus({ preventScroll: true });
}
