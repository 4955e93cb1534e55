/**
 * The value of new units where nothing is given, or a text that says how it is made (`MadeDefault`). Its field is called
 * after the type, as `default_string`. It is checked after all other settings (`check/check-parameter.ts`).
 */
import type { Json } from '../../shared/json.js';
import type { DeclaredSetting } from './parameter-setting.js';

/**
 * A default that is made when a unit is created: the time, the caller's own id, or a value of the caller. The caller is
 * the member of the request, also where a function writes as the system.
 */
export type MadeDefault =
  { readonly from: 'now' } | { readonly from: 'caller' } | { readonly from: 'member'; readonly name: string };

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
    help: 'New units get it where nothing is given; so do existing ones when it is added. @now, @member.id and @member.name are made when a unit is created.',
  },
};
