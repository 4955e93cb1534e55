/** Gives the service a setting of parameters, `deprecated`. Imported before the modules that read the list of settings. */
import type { ParameterSetting } from '../../src/model/parameter-setting/parameter-setting.js';
import { SETTING_LIST } from '../../src/model/parameter-setting/parameter-settings.js';

const deprecated: ParameterSetting<'deprecated', boolean> = {
  key: 'deprecated',
  unset: false,
  field: { type: 'boolean', label: 'Deprecated' },
  check(def: { readonly deprecated: boolean; readonly required: boolean }, { report }) {
    if (def.deprecated && def.required) report('deprecated', 'what is required cannot be deprecated');
  },
  struct: { type: 'boolean', schema: { type: 'boolean' } },
  declared: 'boolean',
};

(SETTING_LIST as unknown as (readonly [string, object])[]).push(['deprecated', deprecated]);
