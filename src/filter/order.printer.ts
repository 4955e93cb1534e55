/** Prints the values of an order in canonical form. */
import { printOperand, printPlace } from './filter.printer.js';
import type { OrderValue } from './order.ast.js';

export function printOrderValue(value: OrderValue): string {
  switch (value.type) {
    case 'path':
      return printOperand(value.path);
    case 'distance':
      return `distance(${printPlace(value)})`;
    case 'rank':
      return 'rank()';
  }
}
