/** What keys do in the grid. */
import type { KeyboardEvent } from 'react';
import type { Field } from '../api/types.js';
import { isNumeric } from './values.js';

/** Whether a key begins to type a text or number in place of the value. */
export function isTyped({ key, ctrlKey, metaKey, altKey }: KeyboardEvent, field: Field | undefined): boolean {
  if (!field || key.length !== 1 || ctrlKey || metaKey || altKey) return false;
  return isNumeric(field) || ((field.type === 'string' || field.type === 'text') && !field.multiple && !field.values);
}

export function focusCell(grid: HTMLElement | null, row: number, column: number): void {
  grid?.querySelector<HTMLElement>(`[data-cell="${row} ${column}"]`)?.focus({ preventScroll: true });
}
