import type { DeclaredSetting } from './parameter-setting.js';

/** White space at both ends is removed before a text is checked. */
export const strip: DeclaredSetting<'strip', boolean> = {
  key: 'strip',
  unset: false,
  isOwn: true,
  isShownByAll: true,
  isLimit: true,
  field: { type: 'boolean', label: 'Strip white space' },
  struct: { type: 'boolean', schema: { type: 'boolean' } },
  declared: 'boolean',
  form: { control: 'flag', label: 'Without white space around it', help: 'Spaces at both ends are removed.' },
};
