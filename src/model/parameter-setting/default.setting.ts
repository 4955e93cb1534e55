/**
 * The value of new units where nothing is given. Its field is called after the type, as `default_string`. It is checked
 * after all other settings (`check/check-parameter.ts`).
 */
import type { Json } from '../../shared/json.js';
import type { DeclaredSetting } from './parameter-setting.js';

export const defaultValue: DeclaredSetting<'default', Json> = {
  key: 'default',
  unset: null,
  isOwn: true,
  field: { type: 'own', label: 'Default' },
  stored: { column: 'default_value', storedAs: 'json', revealing: 'values' },
  read: (record) => record['default_value'] ?? null,
  struct: { type: 'json', schema: {} },
  declared: 'any',
  form: {
    control: 'default',
    label: 'Default',
    help: 'New units get it where nothing is given; so do existing ones when it is added.',
  },
};
