/** Prints the values of an order in canonical form. */
import { printOperand } from './filter.printer.js';
import type { OrderValue } from './order.ast.js';

export function printOrderValue({ path }: OrderValue): string {
  return printOperand(path);
}
