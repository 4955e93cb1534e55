/** The columns of the grid: where they are, and their heads. */
import { useEffect, useMemo, useRef, type RefObject } from 'react';
import type { Field } from '../api/types.js';
import { fieldOfType } from '../fields/fields.js';
import { useText } from '../i18n/text.js';
import { FIXED, type Column } from './grid-row.js';
import { ID } from './source.js';

export interface Order {
  readonly field: string;
  readonly direction: 'asc' | 'desc';
}

/** @param order as the query parameter has it */
export function parseOrder(order: string): Order | undefined {
  const [field, direction] = order.split(';');
  return field ? { field, direction: direction === 'desc' ? 'desc' : 'asc' } : undefined;
}

/**
 * Sorts by a field: ascending, descending, not at all, and shows the first units. Another click may come before the
 * address has changed.
 */
export function useSort(
  order: Order | undefined,
  onOrder: (order: Order | undefined) => void,
  scroller: RefObject<HTMLElement | null>,
) {
  const asked = useRef(order);
  useEffect(() => void (asked.current = order), [order]);
  return (field: string): void => {
    const { current } = asked;
    if (current?.field !== field) asked.current = { field, direction: 'asc' };
    else asked.current = current.direction === 'asc' ? { field, direction: 'desc' } : undefined;
    scroller.current?.scrollTo({ top: 0 });
    onOrder(asked.current);
  };
}

/** Widths in pixels: of the box that selects, and of the id. */
const [SELECT_WIDTH, ID_WIDTH] = [44, 180];
/** Of lists, whatever they are of. */
const LIST_WIDTH = 240;
/** Of a character of a head, of what is beside it, and the most that a head makes a column wider. */
const [CHARACTER, BESIDE_HEAD, MOST_FOR_HEAD] = [9, 36, 240];

interface HeadButtonProps {
  readonly field: Pick<Field, 'id' | 'label'>;
  readonly order: Order | undefined;
  readonly onClick: () => void;
}

export function HeadButton({ field, order, onClick }: HeadButtonProps) {
  const text = useText();
  const arrow = order?.field === field.id ? (order.direction === 'asc' ? ' ↑' : ' ↓') : '';
  const name = field.label === field.id ? field.id : `${field.label} (${field.id})`;
  const title = text('grid.sort', { name });
  return (
    <button type="button" className="grid-sort" tabIndex={-1} title={title} onClick={onClick}>
      {field.label}
      <span aria-hidden>{arrow}</span>
    </button>
  );
}

interface SelectLoadedProps {
  readonly isChecked: boolean;
  /** Whether some are selected, and not all. */
  readonly isPartial: boolean;
  readonly onToggle: (to: boolean) => void;
}

/** Selects all units that are loaded, or none of them. */
export function SelectLoaded({ isChecked, isPartial, onToggle }: SelectLoadedProps) {
  const text = useText();
  const label = text('grid.select_loaded');
  const showPartial = (box: HTMLInputElement | null): void => {
    if (box) box.indeterminate = isPartial;
  };
  return (
    <input
      ref={showPartial}
      type="checkbox"
      tabIndex={-1}
      aria-label={label}
      title={label}
      checked={isChecked}
      onChange={() => onToggle(!isChecked)}
    />
  );
}

/**
 * The columns in sight, and that of the keyboard wherever it is; the same array as long as they are the same, so that rows
 * are not rendered again.
 */
export function useColumns(
  items: readonly { index: number; start: number; size: number }[],
  active: number,
  fields: readonly Field[],
): readonly Column[] {
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? -1];
  const apart = active < first || active > last ? active : -1;
  return useMemo(() => {
    const shown: Column[] = [];
    for (let index = 0, left = 0; index <= Math.max(last, apart); index += 1) {
      const width = widthOf(index, fields);
      if (index === apart || (index >= first && index <= last))
        shown.push({ index, left, width, field: fields[index - FIXED] });
      left += width;
    }
    return shown;
  }, [first, last, apart, fields]);
}

export function widthOf(column: number, fields: readonly Field[]): number {
  if (column === 0) return SELECT_WIDTH;
  if (column === 1) return ID_WIDTH;
  const field = fields[column - FIXED];
  if (!field) return ID_WIDTH;
  const ofValues = field.multiple ? LIST_WIDTH : fieldOfType(field.type).width;
  const ofHead = Math.min(field.label.length * CHARACTER + BESIDE_HEAD, MOST_FOR_HEAD);
  return Math.max(ofValues, ofHead);
}

export function leftOf(column: number, fields: readonly Field[]): number {
  return Array.from({ length: column }, (_, at) => widthOf(at, fields)).reduce((sum, width) => sum + width, 0);
}

export function fieldAt(column: number, fields: readonly Field[]): Pick<Field, 'id' | 'label'> {
  return fields[column - FIXED] ?? ID;
}

export function sortOf(column: number, fields: readonly Field[], order: Order | undefined) {
  if (column === 0 || order?.field !== fieldAt(column, fields).id) return undefined;
  return order.direction === 'asc' ? 'ascending' : 'descending';
}
