/** The settings of a parameter that the editor shows: which type has them, and how they are typed in. */
import type { ParameterDefinition } from '../api/definitions.js';
import type { Field, FieldType } from '../api/types.js';
import { fieldOf } from './field-of.js';

/** What is typed in, by the name of the setting. Texts, flags, and lists of texts. */
export type SettingInputs = Readonly<Record<string, string | boolean | readonly string[]>>;

type Control = 'text' | 'long_text' | 'number' | 'flag' | 'list' | 'kind' | 'choice' | 'default';

interface SettingShape {
  readonly id: string;
  readonly control: Control;
  /** Those of all types, if there are none. */
  readonly types?: readonly FieldType[];
  readonly choices?: readonly string[];
  /** Shown at first; the others are behind a button. */
  readonly isMain?: true;
}

const TEXTS = ['string', 'text'] as const;
const NUMBERS = ['integer', 'float', 'decimal'] as const;
const COMPARED = [...TEXTS, ...NUMBERS, 'boolean', 'date', 'time', 'datetime'] as const;

const ALL = [
  { id: 'reference_kind', control: 'kind', types: ['unit'], isMain: true },
  { id: 'required', control: 'flag', isMain: true },
  { id: 'unique', control: 'flag', types: [...COMPARED, 'unit'], isMain: true },
  { id: 'indexed', control: 'flag', types: COMPARED, isMain: true },
  { id: 'multiple', control: 'flag', types: [...COMPARED, 'binary', 'json'], isMain: true },
  { id: 'values', control: 'list', types: ['string', 'integer'], isMain: true },
  { id: 'on_delete', control: 'choice', types: ['unit'], choices: ['restrict', 'set_null', 'cascade'] },
  { id: 'default', control: 'default', types: [...COMPARED, 'binary', 'json'] },
  { id: 'helper_text', control: 'long_text' },
  { id: 'min_length', control: 'number', types: TEXTS },
  { id: 'max_length', control: 'number', types: [...TEXTS, 'binary'] },
  { id: 'min_value', control: 'number', types: NUMBERS },
  { id: 'max_value', control: 'number', types: NUMBERS },
  { id: 'scale', control: 'number', types: ['decimal'] },
  { id: 'pattern', control: 'text', types: ['string'] },
  { id: 'search', control: 'text', types: TEXTS },
  { id: 'strip', control: 'flag', types: TEXTS },
  { id: 'is_primary', control: 'flag', types: [...TEXTS, 'integer', 'decimal', 'date'] },
  { id: 'nullable', control: 'flag' },
  { id: 'hidden', control: 'flag' },
  { id: 'write_once', control: 'flag' },
  { id: 'only_run_time', control: 'flag' },
] as const satisfies readonly SettingShape[];

export type SettingId = (typeof ALL)[number]['id'];
/** The names of all settings. */
export const ALL_SETTINGS: readonly SettingId[] = ALL.map(({ id }) => id);
export type Setting = SettingShape & { readonly id: SettingId };

export function settingsOf(type: FieldType): readonly Setting[] {
  return (ALL as readonly Setting[]).filter(({ types }) => types?.includes(type) ?? true);
}

/** The name of a setting in a definition. */
export function settingName(id: SettingId, type: FieldType): string {
  return id === 'default' ? `default_${type}` : id;
}

/** What the editor shows of a definition; of a new one, its defaults. */
export function inputsOf(type: FieldType, definition?: ParameterDefinition): SettingInputs {
  const inputs = settingsOf(type).map(({ id, control }) => {
    const value = definition?.[settingName(id, type)] ?? null;
    return [id, inputOf(control, id, value)] as const;
  });
  return { label: definition?.label ?? '', ...Object.fromEntries(inputs) };
}

function inputOf(control: Control, id: SettingId, value: unknown): SettingInputs[string] {
  if (control === 'flag') return value === null ? id === 'nullable' : value === true;
  if (control === 'list') return Array.isArray(value) ? value.map(textOf) : [];
  if (value === null) return id === 'on_delete' ? 'restrict' : '';
  return textOf(value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The settings that differ from `before`, as they are sent. What cannot be understood is sent as it was typed. */
export function changedSettings(type: FieldType, before: SettingInputs, now: SettingInputs): Record<string, unknown> {
  const changed: Record<string, unknown> = {};
  if (now['label'] !== before['label']) changed['label'] = now['label'];
  for (const { id, control } of settingsOf(type)) {
    const input = now[id] ?? '';
    if (JSON.stringify(input) === JSON.stringify(before[id] ?? '')) continue;
    changed[settingName(id, type)] = sentValue(control, type, input, now['multiple'] === true);
  }
  return changed;
}

function sentValue(control: Control, type: FieldType, input: SettingInputs[string], multiple: boolean): unknown {
  if (typeof input === 'boolean') return input;
  if (typeof input !== 'string') {
    if (input.length === 0) return null;
    return type === 'integer' ? input.map(numberOrText) : input;
  }
  if (input.trim() === '') return null;
  // Decimals are texts, because numbers would lose digits.
  if (control === 'number') return type === 'decimal' ? input.trim() : numberOrText(input);
  if (control !== 'default') return input;
  if (multiple || type === 'json' || type === 'boolean') return jsonOrText(input);
  return type === 'integer' || type === 'float' ? numberOrText(input) : input;
}

function numberOrText(input: string): number | string {
  const value = Number(input);
  return input.trim() !== '' && Number.isFinite(value) ? value : input;
}

function jsonOrText(input: string): unknown {
  try {
    return JSON.parse(input) as unknown;
  } catch {
    return input;
  }
}

/** The field of a form for units, as the struct of the kind will have it. */
export function previewField(id: string, type: FieldType, inputs: SettingInputs): Field {
  const settings = changedSettings(type, inputsOf(type), inputs);
  return fieldOf({ ...settings, id, kind_id: type, label: String(inputs['label']) || id });
}
