import type { DeclaredSetting } from './parameter-setting.js';

/** The value is a list. In a query string, the parameter is repeated. */
export const multiple: DeclaredSetting<'multiple', boolean> = {
  key: 'multiple',
  unset: false,
  field: { type: 'boolean', label: 'Multiple' },
  struct: { type: 'boolean', schema: { type: 'boolean' } },
  declared: 'boolean',
  form: {
    control: 'flag',
    label: 'List',
    help: 'It has several values.',
    place: 5,
    word: 'list',
    isFor: ({ id }) => id !== 'unit',
    isLockedByUnits: true,
  },
};
