/** What people are told of a parameter. */
import type { DeclaredSetting } from './parameter-setting.js';

export const label: DeclaredSetting<'label', string> = {
  key: 'label',
  unset: '',
  field: { type: 'string', label: 'Label', nullable: false, maxLength: 500 },
  struct: { type: 'string', schema: { type: 'string' } },
  declared: 'string',
};

export const helperText: DeclaredSetting<'helperText', string | null> = {
  key: 'helperText',
  unset: null,
  field: { type: 'text', label: 'Helper text' },
  struct: { type: 'text', schema: { type: ['string', 'null'] } },
  declared: 'string',
  form: { control: 'long_text', label: 'Help', help: 'Shown in forms.' },
};
