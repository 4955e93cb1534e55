/** Values are texts, because numbers would lose digits. */
import { textOf, type ConsoleField } from './console-field.js';
import { EXAMPLE, numberTyped, SEPARATORS, shownNumber } from './numbers.js';
import { localForm } from './written.js';

export const decimalField: ConsoleField = {
  label: 'Exact decimal number',
  help: 'Money, or whatever must be exact: 19.99.',
  width: 120,
  show: shownNumber,
  isFormatted: true,
  typed: (value) => localForm(textOf(value)),
  parse: numberTyped,
  expected: (text) => text('field.not_decimal', { example: EXAMPLE }),
  ...(SEPARATORS && { separators: SEPARATORS }),
  ofSetting: (typed) => typed.trim(),
  groups: 'all',
};
