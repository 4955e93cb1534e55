/** The definition of a parameter. All kinds that use the parameter share it. */
import { SETTING_LIST, type ParameterSettings } from '../parameter-setting/parameter-settings.js';
import type { ParameterTypeId } from './parameter-types.js';

export type ParameterDef = ParameterSettings & { readonly type: ParameterTypeId };

const UNSET = Object.fromEntries(SETTING_LIST.map(([, { key, unset }]) => [key, unset])) as unknown as ParameterDef;

/** A definition in which all settings that are left out are unset. */
export function parameterDef(settings: Pick<ParameterDef, 'id' | 'type'> & Partial<ParameterDef>): ParameterDef {
  return { ...UNSET, label: settings.id, ...settings };
}
