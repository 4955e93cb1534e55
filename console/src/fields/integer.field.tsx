import type { ConsoleField } from './console-field.js';
import { numberOrText, shownNumber, wholeNumberTyped } from './numbers.js';

export const integerField: ConsoleField = {
  label: 'Whole number',
  help: 'A count or a year: 42.',
  width: 120,
  show: shownNumber,
  isFormatted: true,
  parse: wholeNumberTyped,
  expected: (text) => text('field.not_whole'),
  ofSetting: numberOrText,
  groups: 'all',
};
