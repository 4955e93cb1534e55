/** What keys do in the grid. */
import type { KeyboardEvent } from 'react';
import type { Field } from '../api/types.js';
import { fieldOfType } from '../fields/fields.js';
import { isNumeric } from '../fields/values.js';

/** Whether a key begins to type a text or number in place of the value. */
export function isTyped({ key, ctrlKey, metaKey, altKey }: KeyboardEvent, field: Field | undefined): boolean {
  if (!field || key.length !== 1 || ctrlKey || metaKey || altKey) return false;
  return isNumeric(field) || (fieldOfType(field.type).isTypedOver === true && !field.multiple && !field.values);
}

export function focusCell(grid: HTMLElement | null, row: number, column: number): void {
  grid?.querySelector<HTMLElement>(`[data-cell="${row} ${column}"]`)?.focus({ preventScroll: true });
}

interface Cell {
  readonly row: number;
  readonly column: number;
}

/** Where a key leads from a cell. @param last and how many rows are in sight */
export function moveOf(
  { key, ctrlKey }: KeyboardEvent,
  { row, column }: Cell,
  last: Cell & { readonly page: number },
): readonly [number, number] | undefined {
  const moves: Readonly<Record<string, readonly [number, number] | undefined>> = {
    ArrowDown: [row + 1, column],
    ArrowUp: [row - 1, column],
    ArrowRight: [row, column + 1],
    ArrowLeft: [row, column - 1],
    PageDown: [row + last.page, column],
    PageUp: [Math.max(1, row - last.page), column],
    Home: [ctrlKey ? 0 : row, 0],
    End: [ctrlKey ? last.row : row, last.column],
  };
  return moves[key];
}
