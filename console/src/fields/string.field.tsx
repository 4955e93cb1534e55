import type { ConsoleField } from './console-field.js';

export const stringField: ConsoleField = {
  label: 'Short text',
  help: 'A name, a code, one of several words.',
  width: 200,
  // White space around a text is part of it.
  pasted: (cell) => cell,
  separators: [],
  isTypedOver: true,
  groups: 'all',
};
