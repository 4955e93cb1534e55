/** Prints the values of an order in canonical form. */
import { printOperand, printPlace } from './filter.printer.js';
import type { OrderValue } from './order.ast.js';

export function printOrderValue(value: OrderValue): string {
  return value.type === 'distance' ? `distance(${printPlace(value)})` : printOperand(value.path);
}
