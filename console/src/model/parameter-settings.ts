/** The settings of a parameter in the editor, as the service lists them (`src/model/parameter-setting/`): how they are typed in. */
import type { ParameterSetting } from '../../../src/model/parameter-setting/parameter-setting.js';
import {
  PARAMETER_SETTINGS,
  SETTING_LIST,
  settingName,
  type SettingId,
} from '../../../src/model/parameter-setting/parameter-settings.js';
import { PARAMETER_TYPES } from '../../../src/model/parameter-type/type-by-id.js';
import type { ParameterDefinition } from '../api/definitions.js';
import type { Field, FieldType } from '../api/types.js';
import { textOf } from '../fields/console-field.js';
import { fieldOfType } from '../fields/fields.js';
import { jsonOrText } from '../fields/json-text.js';
import { numberOrText } from '../fields/numbers.js';
import { fieldOf } from './field-of.js';
import { rowsOf, storedTransitions } from './transition-rows.js';

/** What is typed in, by the name of the setting. Texts, flags, and lists of texts. */
export type SettingInputs = Readonly<Record<string, string | boolean | readonly string[]>>;

type SettingForm = NonNullable<ParameterSetting['form']>;
type Control = SettingForm['control'];
export type Setting = SettingForm & { readonly id: SettingId };

/** The settings with a form, in the order in which they are shown. */
export const ALL_SETTINGS: readonly Setting[] = SETTING_LIST.flatMap(([id, { form }]) =>
  form ? [{ ...form, id }] : [],
).toSorted((a, b) => (a.place ?? Infinity) - (b.place ?? Infinity) || 0);

export function settingsOf(type: FieldType): readonly Setting[] {
  const known = PARAMETER_TYPES.get(type);
  return ALL_SETTINGS.filter(({ id, isFor }) => {
    if (PARAMETER_SETTINGS[id].isOwn && !known?.fields.includes(id)) return false;
    return !isFor || (known !== undefined && isFor(known));
  });
}

/** What the editor shows of a definition; of a new one, its defaults. */
export function inputsOf(type: FieldType, definition?: ParameterDefinition): SettingInputs {
  const inputs = settingsOf(type).map(({ id, control }) => {
    const value = definition?.[settingName(id, type)] ?? PARAMETER_SETTINGS[id].unset ?? null;
    return [id, inputOf(control, value)] as const;
  });
  return { label: definition?.label ?? '', ...Object.fromEntries(inputs) };
}

function inputOf(control: Control, value: unknown): SettingInputs[string] {
  if (control === 'flag') return value === true;
  if (control === 'transitions') return rowsOf(value);
  if (control === 'list') return Array.isArray(value) ? value.map(textOf) : [];
  return value === null ? '' : textOf(value);
}

/** The settings that differ from `before`, as they are sent. What cannot be understood is sent as it was typed. */
export function changedSettings(type: FieldType, before: SettingInputs, now: SettingInputs): Record<string, unknown> {
  const changed: Record<string, unknown> = {};
  if (now['label'] !== before['label']) changed['label'] = now['label'];
  for (const setting of settingsOf(type)) {
    const { id } = setting;
    const input = now[id] ?? '';
    if (JSON.stringify(input) === JSON.stringify(before[id] ?? '')) continue;
    changed[settingName(id, type)] = sentValue(setting, type, input, now['multiple'] === true);
  }
  return changed;
}

function sentValue(
  { id, control }: Setting,
  type: FieldType,
  input: SettingInputs[string],
  multiple: boolean,
): unknown {
  if (typeof input === 'boolean') return input;
  const ofType = fieldOfType(type).ofSetting ?? ((typed: string) => typed);
  if (typeof input !== 'string') {
    if (input.length === 0) return null;
    if (control === 'transitions') return storedTransitions(input);
    return input.map((each) => ofType(each));
  }
  if (input.trim() === '') return null;
  if (PARAMETER_SETTINGS[id].field.type === 'own')
    return multiple && id === 'default' ? jsonOrText(input) : ofType(input);
  return control === 'number' ? numberOrText(input) : input;
}

/** The field of a form for units, as the struct of the kind will have it. */
export function previewField(id: string, type: FieldType, inputs: SettingInputs): Field {
  const settings = changedSettings(type, inputsOf(type), inputs);
  return fieldOf({ ...settings, id, kind_id: type, label: String(inputs['label']) || id });
}
