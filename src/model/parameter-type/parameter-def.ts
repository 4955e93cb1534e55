/** The definition of a parameter. All kinds that use the parameter share it. */
import type { ParameterSettings } from './parameter-settings.js';
import type { ParameterTypeId } from './parameter-types.js';

export interface ParameterDef extends ParameterSettings {
  readonly type: ParameterTypeId;
}

const DEFAULTS = {
  helperText: null,
  multiple: false,
  nullable: true,
  required: false,
  runTime: false,
  primary: false,
  unique: false,
  indexed: false,
  hidden: false,
  writeOnce: false,
  default: null,
  onDelete: 'restrict',
} as const satisfies Omit<ParameterDef, 'id' | 'type' | 'label'>;

/** A definition with the defaults of all settings that are left out. */
export function parameterDef(settings: Pick<ParameterDef, 'id' | 'type'> & Partial<ParameterDef>): ParameterDef {
  return { ...DEFAULTS, label: settings.id, ...settings };
}
