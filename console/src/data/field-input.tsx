/** The control of a field, by its type. */
import { MultiSelect, Select, TagsInput, Textarea, TextInput } from '@mantine/core';
import { useInput } from 'ra-core';
import type { Field } from '../api/types.js';
import { useText } from '../i18n/text.js';
import { ReferenceInput } from './reference-input.js';
import { isNumeric, isTypedAsJson } from './values.js';

export function FieldInput({ field: definition }: { field: Field }) {
  const text = useText();
  const { field, fieldState } = useInput({
    source: definition.id,
    // '' is a value of a control here.
    format: (value: unknown) => value ?? '',
    parse: (value: unknown) => value,
  });
  const { type, multiple, values } = definition;
  const common = {
    label: definition.label,
    description: definition.helper_text ?? undefined,
    withAsterisk: definition.required,
    error: faultText(fieldState.error?.message),
    name: field.name,
    onBlur: field.onBlur,
    'aria-required': definition.required,
  };
  const choices = values?.map(String) ?? [];
  const textProps = {
    ...common,
    ref: field.ref,
    value: String(field.value),
    onChange: field.onChange,
    spellCheck: type === 'text',
  };

  if (isTypedAsJson(definition)) {
    return (
      <Textarea
        {...textProps}
        placeholder={text(multiple ? 'field.list_hint' : 'field.json_hint')}
        autosize
        minRows={2}
        maxRows={16}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      />
    );
  }
  if (multiple && values !== null) {
    return (
      <MultiSelect
        {...common}
        data={choices}
        value={field.value as string[]}
        onChange={field.onChange}
        searchable
        clearable
      />
    );
  }
  if (multiple)
    return <TagsInput {...common} value={field.value as string[]} onChange={field.onChange} splitChars={[]} />;
  if (values !== null)
    return <Choice {...common} data={choices} value={String(field.value)} onChange={field.onChange} />;
  switch (type) {
    case 'boolean': {
      const data = [
        { value: 'true', label: text('field.true') },
        { value: 'false', label: text('field.false') },
      ];
      return <Choice {...common} data={data} value={String(field.value)} onChange={field.onChange} />;
    }
    case 'unit':
      return definition.reference_kind === undefined ? (
        <TextInput {...textProps} />
      ) : (
        <ReferenceInput
          {...common}
          kind={definition.reference_kind}
          value={String(field.value)}
          onChange={field.onChange}
        />
      );
    case 'text':
      return <Textarea {...textProps} autosize minRows={3} maxRows={20} />;
    case 'binary':
      return <Textarea {...textProps} placeholder={text('field.binary_hint')} minRows={2} maxRows={8} autosize />;
    case 'date':
      return <TextInput {...textProps} placeholder="2026-01-31" />;
    case 'time':
      return <TextInput {...textProps} placeholder="13:45:00" />;
    case 'datetime':
      return <TextInput {...textProps} placeholder="2026-01-31T13:45:00Z" />;
    case 'string':
    case 'integer':
    case 'float':
    case 'decimal':
    case 'json':
      return <TextInput {...textProps} {...(isNumeric(definition) && { inputMode: 'decimal' as const })} />;
  }
}

/** ra-core puts the text of a fault into an object, except of those of a refusal. */
function faultText(message: unknown): string | undefined {
  const { message: inner = message } = (message ?? {}) as { message?: unknown };
  return typeof inner === 'string' ? inner : undefined;
}

interface ChoiceProps {
  readonly data: readonly (string | { value: string; label: string })[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Choice({ data, value, onChange, ...common }: ChoiceProps) {
  return (
    <Select
      {...common}
      data={[...data]}
      value={value === '' ? null : value}
      onChange={(next) => onChange(next ?? '')}
      clearable
      searchable={data.length > 10}
    />
  );
}
