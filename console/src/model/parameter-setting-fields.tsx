/** The controls of a parameter's settings: the usual ones at first, the others behind a button. */
import { Button, Checkbox, Group, Select, Stack, TagsInput, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { FILE_KIND } from '../../../src/model/built-in-traits.js';
import { settingName } from '../../../src/model/parameter-setting/parameter-settings.js';
import type { FieldType } from '../api/types.js';
import { fieldOfType } from '../fields/fields.js';
import { useText } from '../i18n/text.js';
import { settingsOf, type Setting, type SettingInputs } from './parameter-settings.js';
import { Transitions } from './transitions.js';
import type { Model } from './use-model.js';

/** By the name of a setting. */
export type SettingFaults = Readonly<Record<string, string>>;

interface SettingFieldsProps {
  readonly type: FieldType;
  readonly inputs: SettingInputs;
  readonly faults: SettingFaults;
  readonly model: Model;
  readonly onChange: (inputs: SettingInputs) => void;
  /** Settings that others have in this place, such as in a link type. */
  readonly without?: readonly string[];
  /** Whether the parameter exists, so that units may have values of it. */
  readonly isStored?: boolean;
}

export function SettingFields({
  type,
  inputs,
  faults,
  model,
  onChange,
  without = [],
  isStored = false,
}: SettingFieldsProps) {
  const text = useText();
  const [showsMore, setShowsMore] = useState(false);
  const isFile = inputs['reference_kind'] === FILE_KIND;
  const settings = settingsOf(type).filter(
    ({ id }) => !without.includes(id) && (isFile || !OF_FILES.has(id) || isSet(inputs[id])),
  );
  const more = settings.filter(({ place }) => place === undefined);
  // A fault must not be hidden.
  const isOpen = showsMore || more.some(({ id }) => faults[settingName(id, type)] !== undefined);
  const control = (setting: Setting) => (
    <SettingControl
      key={setting.id}
      setting={setting}
      type={type}
      model={model}
      value={inputs[setting.id] ?? ''}
      fault={faults[settingName(setting.id, type)]}
      values={listIn(inputs['values'])}
      isLocked={isStored && setting.isLockedByUnits === true}
      onChange={(value) => onChange({ ...inputs, [setting.id]: value })}
    />
  );
  const main = settings.filter(({ place }) => place !== undefined);
  return (
    <Stack gap="xs">
      {main.filter(({ control: of }) => of !== 'flag').map(control)}
      <Group gap="md">{main.filter(({ control: of }) => of === 'flag').map(control)}</Group>
      <div>
        <Button size="xs" px={0} variant="transparent" aria-expanded={isOpen} onClick={() => setShowsMore(!isOpen)}>
          {text(isOpen ? 'model.less_settings' : 'model.more_settings')}
        </Button>
      </div>
      {isOpen && more.map(control)}
    </Stack>
  );
}

/** Only references to files have them. One that is set is shown, so that it can be taken back. */
const OF_FILES: ReadonlySet<string> = new Set(['accept', 'max_bytes', 'owned']);

function isSet(input: SettingInputs[string] | undefined): boolean {
  return Array.isArray(input) ? input.length > 0 : input !== undefined && input !== '' && input !== false;
}

function listIn(input: SettingInputs[string] | undefined): readonly string[] {
  return Array.isArray(input) ? (input as readonly string[]) : [];
}

interface SettingControlProps {
  readonly setting: Setting;
  readonly type: FieldType;
  readonly model: Model;
  readonly value: SettingInputs[string];
  readonly fault: string | undefined;
  /** The allowed values that are typed in. */
  readonly values: readonly string[];
  /** Whether units of its kinds keep it from being changed. */
  readonly isLocked: boolean;
  readonly onChange: (value: SettingInputs[string]) => void;
}

function SettingControl({
  setting: { id, control, choices },
  type,
  model,
  value,
  fault,
  values,
  isLocked,
  onChange,
}: SettingControlProps) {
  const text = useText();
  const help = [text(`setting_help.${id}`), ...(isLocked ? [text('model.locked_by_units')] : [])].join(' ');
  const common = { label: text(`setting.${id}`), description: help, error: fault };
  const typed = typeof value === 'string' ? value : '';
  switch (control) {
    case 'flag':
      return (
        <Checkbox
          {...common}
          aria-invalid={fault !== undefined}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      );
    case 'list':
      return <TagsInput {...common} value={[...listIn(value)]} onChange={onChange} splitChars={[]} />;
    case 'transitions':
      return <Transitions {...common} values={values} rows={listIn(value)} onChange={onChange} />;
    case 'kind':
      return (
        <Select
          {...common}
          searchable
          data={[...model.kinds.values()]
            .filter(({ remote }) => !remote)
            .map(({ id: kind, label }) => ({ value: kind, label }))}
          value={typed === '' ? null : typed}
          onChange={(kind) => onChange(kind ?? '')}
        />
      );
    case 'choice':
      return (
        <Select
          {...common}
          allowDeselect={false}
          data={choices?.map((each) => ({ value: each, label: text(`on_delete.${each as 'restrict'}`) })) ?? []}
          value={typed}
          onChange={(next) => onChange(next ?? '')}
        />
      );
    case 'long_text':
      return (
        <Textarea
          {...common}
          autosize
          maxRows={6}
          value={typed}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    case 'default': {
      const data = fieldOfType(type).choices?.(text);
      if (data) {
        return (
          <Select
            {...common}
            clearable
            data={data}
            value={typed === '' ? null : typed}
            onChange={(next) => onChange(next ?? '')}
          />
        );
      }
      return <TextInput {...common} value={typed} onChange={(event) => onChange(event.currentTarget.value)} />;
    }
    case 'text':
    case 'number':
      return (
        <TextInput
          {...common}
          spellCheck={false}
          {...(control === 'number' && { inputMode: 'decimal' as const })}
          value={typed}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
  }
}
