import { textOf, type ConsoleField } from './console-field.js';
import { EXAMPLE, numberOrText, numberTyped, SEPARATORS, shownNumber } from './numbers.js';
import { localForm } from './written.js';

export const floatField: ConsoleField = {
  label: 'Number',
  help: 'A measured value, with rounding: 3.14.',
  width: 120,
  show: shownNumber,
  isFormatted: true,
  typed: (value) => localForm(textOf(value)),
  parse: (typed, text) => Number(numberTyped(typed, text)),
  expected: (text) => text('field.not_number', { example: EXAMPLE }),
  ...(SEPARATORS && { separators: SEPARATORS }),
  ofSetting: numberOrText,
  groups: 'all',
};
