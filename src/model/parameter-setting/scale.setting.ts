import type { DeclaredSetting } from './parameter-setting.js';

/** The number of decimals of a `decimal`. */
export const scale: DeclaredSetting<'scale', number | undefined> = {
  key: 'scale',
  unset: undefined,
  isOwn: true,
  isLimit: true,
  field: { type: 'integer', label: 'Decimals', minValue: 0, maxValue: 1000 },
  declared: 'number',
  form: { control: 'number', label: 'Decimals', help: 'Digits after the point at most.' },
};
