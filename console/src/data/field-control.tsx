/** The control of a field, by its type: in forms, in cells, and in filters. */
import { MultiSelect, Select, TagsInput, Textarea, TextInput } from '@mantine/core';
import type { FocusEvent, Ref } from 'react';
import type { Field, FieldType } from '../api/types.js';
import { useText } from '../i18n/text.js';
import { ReferenceInput, ReferencesInput } from './reference-input.js';
import { INCOMPLETE, inputTypeOf, isNumeric, isTypedAsJson, textOf } from './values.js';
import { DECIMAL } from './written.js';

export interface FieldControlProps {
  readonly field: Field;
  /** As of `inputOf`. */
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly onBlur?: (() => void) | undefined;
  readonly error?: string | undefined;
  readonly label?: string;
  readonly 'aria-label'?: string;
  readonly description?: string | undefined;
  readonly withAsterisk?: boolean;
  readonly 'aria-required'?: boolean;
  readonly name?: string;
  readonly size?: string;
  readonly inputRef?: Ref<HTMLInputElement & HTMLTextAreaElement>;
  readonly 'data-autofocus'?: boolean;
}

const HINTS: Partial<Record<FieldType, string>> = {
  date: '2026-01-31',
  time: '13:45:00',
  datetime: '2026-01-31T13:45:00Z',
};

export function FieldControl({ field, value: given, onChange, onBlur, inputRef, ...common }: FieldControlProps) {
  const text = useText();
  const { type, multiple, values } = field;
  // Null where the member may do nothing with units of that kind.
  const kind = field.reference_kind ?? undefined;
  const value = given === INCOMPLETE || given === undefined || given === null ? '' : textOf(given);
  const list = Array.isArray(given) ? (given as string[]) : [];
  const textProps = {
    ...common,
    ref: inputRef,
    value,
    onBlur,
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => onChange(currentTarget.value),
    spellCheck: type === 'text',
  };
  const choices = { ...common, onBlur, ref: inputRef };

  if (isTypedAsJson(field)) {
    return (
      <Textarea
        {...textProps}
        placeholder={text(multiple ? 'field.list_hint' : 'field.json_hint')}
        error={common.error ?? jsonFault(value)}
        spellCheck={false}
        autosize
        minRows={2}
        maxRows={16}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      />
    );
  }
  if (multiple && kind !== undefined)
    return <ReferencesInput {...choices} kind={kind} value={list} onChange={onChange} />;
  if (multiple && values !== null) {
    return <MultiSelect {...choices} data={values.map(String)} value={list} onChange={onChange} searchable clearable />;
  }
  if (multiple) {
    const hint = HINTS[type];
    return (
      <TagsInput
        {...choices}
        value={list}
        onChange={onChange}
        splitChars={separatorsOf(type)}
        placeholder={list.length === 0 && hint !== undefined ? hint : text('field.add_hint')}
        acceptValueOnBlur
      />
    );
  }
  if (values !== null || type === 'boolean') {
    const data = values?.map(String) ?? [
      { value: 'true', label: text('field.true') },
      { value: 'false', label: text('field.false') },
    ];
    return (
      <Select
        {...choices}
        data={data}
        value={value === '' ? null : value}
        onChange={(next) => onChange(next ?? '')}
        clearable
        searchable={data.length > 10}
      />
    );
  }
  switch (type) {
    case 'unit':
      if (kind === undefined) break;
      return <ReferenceInput {...choices} kind={kind} value={value} onChange={onChange} />;
    case 'text':
      return <Textarea {...textProps} autosize minRows={3} maxRows={20} />;
    case 'binary':
      return <Textarea {...textProps} placeholder={text('field.binary_hint')} minRows={2} maxRows={8} autosize />;
    case 'date':
    case 'time':
    case 'datetime': {
      // The browser shows these as its locale does; other values, such as years before Christ, are typed.
      const native = inputTypeOf(type, value);
      const blurred = ({ currentTarget }: FocusEvent<HTMLInputElement>): void => {
        if (currentTarget.validity.badInput) onChange(INCOMPLETE);
        onBlur?.();
      };
      return <TextInput {...textProps} type={native} step="any" onBlur={blurred} placeholder={HINTS[type]} />;
    }
    default:
  }
  return <TextInput {...textProps} {...(isNumeric(field) && { inputMode: 'decimal' as const })} />;
}

/** What ends an element of a list that is typed: nothing that may be part of it. */
function separatorsOf(type: FieldType): string[] {
  if (type === 'string' || type === 'text') return [];
  if (type === 'datetime' || type === 'time') return [';'];
  return DECIMAL === ',' && (type === 'float' || type === 'decimal') ? [';', ' '] : [',', ';', ' '];
}

function jsonFault(value: string): string | undefined {
  if (value.trim() === '') return undefined;
  try {
    JSON.parse(value);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
