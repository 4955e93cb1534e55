import { isPlainObject } from '../../../src/shared/json.js';
import type { ConsoleField } from './console-field.js';
import { jsonOrText } from './json-text.js';

export const jsonField: ConsoleField = {
  label: 'JSON',
  help: 'Any structure, as JSON.',
  width: 180,
  show: (value) => JSON.stringify(value),
  check: (value, { id }, text) => (id === 'metadata' && !isPlainObject(value) ? text('field.not_object') : undefined),
  asJson: 'always',
  // It is compared as text.
  filteredAs: 'string',
  ofSetting: jsonOrText,
};
