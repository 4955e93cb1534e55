/** The columns of the grid: where they are, and their heads. */
import { useMemo } from 'react';
import type { Field } from '../api/types.js';
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

/** Widths in pixels: of the box that selects, of the id, and of other columns. */
const [SELECT_WIDTH, ID_WIDTH, WIDTH, LONG_WIDTH] = [44, 180, 150, 260];

interface HeadButtonProps {
  readonly field: Pick<Field, 'id' | 'label'>;
  readonly order: Order | undefined;
  readonly onClick: () => void;
}

export function HeadButton({ field, order, onClick }: HeadButtonProps) {
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
export function useColumns(
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

export function widthOf(column: number, fields: readonly Field[]): number {
  if (column === 0) return SELECT_WIDTH;
  if (column === 1) return ID_WIDTH;
  const field = fields[column - FIXED];
  return field?.type === 'text' || field?.type === 'json' || field?.multiple ? LONG_WIDTH : WIDTH;
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
