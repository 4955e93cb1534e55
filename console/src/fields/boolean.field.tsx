import { InputError, type ConsoleField } from './console-field.js';
import { jsonOrText } from './json-text.js';

export const booleanField: ConsoleField = {
  label: 'Yes or no',
  help: 'Whether something is so.',
  width: 90,
  show: (value, text) => text(value === true ? 'grid.yes' : 'grid.no'),
  parse(typed, text) {
    if (typed !== 'true' && typed !== 'false') throw new InputError(text('field.not_boolean'));
    return typed === 'true';
  },
  pasted(cell) {
    const word = cell.trim().toLowerCase();
    if (word === 'yes' || word === '1') return 'true';
    return word === 'no' || word === '0' ? 'false' : word;
  },
  expected: (text) => text('field.not_boolean'),
  choices: (text) => [
    { value: 'true', label: text('field.true') },
    { value: 'false', label: text('field.false') },
  ],
  asJson: 'lists',
  ofSetting: jsonOrText,
  groups: 'all',
};
