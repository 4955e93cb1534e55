/** Whether a value has to be there. The key of a unit always has, and a number that is made. */
import type { DeclaredSetting } from './parameter-setting.js';

export const nullable: DeclaredSetting<'nullable', boolean> = {
  key: 'nullable',
  unset: true,
  field: { type: 'boolean', label: 'Nullable' },
  read: (record) => record['nullable'] !== false && record['is_primary'] !== true && record['sequence'] !== true,
  declared: 'boolean',
  form: { control: 'flag', label: 'May be empty', help: 'Whether it can have no value.' },
};

export const required: DeclaredSetting<'required', boolean> = {
  key: 'required',
  unset: false,
  field: { type: 'boolean', label: 'Required' },
  read: (record) => record['required'] === true || record['is_primary'] === true,
  struct: { type: 'boolean', schema: { type: 'boolean' } },
  declared: 'boolean',
  form: { control: 'flag', label: 'Required', help: 'A new unit needs it.', place: 2, word: 'required' },
};
