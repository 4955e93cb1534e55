import type { ParameterSetting } from './parameter-setting.js';

/** It is in no answer. */
export const hidden: ParameterSetting<'hidden', boolean> = {
  key: 'hidden',
  unset: false,
  field: { type: 'boolean', label: 'Hidden' },
  form: { control: 'flag', label: 'Hidden', help: 'It is in no answer.', word: 'hidden' },
};
