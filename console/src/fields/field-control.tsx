/** The control of a field, by its type: in forms, in cells, and in filters. */
import { MultiSelect, PasswordInput, Select, TagsInput, Textarea, TextInput } from '@mantine/core';
import type { ReactNode, Ref } from 'react';
import type { Field } from '../api/types.js';
import { ReferenceInput, ReferencesInput } from '../data/reference-input.js';
import { takenFilter } from '../files/taken.js';
import { useText } from '../i18n/text.js';
import { INCOMPLETE, textOf, typing } from './console-field.js';
import { fieldOfType } from './fields.js';
import { isNumeric, isTypedAsJson, separatorsOf } from './values.js';

export interface FieldControlProps {
  readonly field: Field;
  /** As of `inputOf`. */
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly onBlur?: (() => void) | undefined;
  readonly error?: string | undefined;
  readonly label?: string;
  readonly 'aria-label'?: string;
  readonly description?: ReactNode;
  readonly withAsterisk?: boolean;
  readonly 'aria-required'?: boolean;
  readonly name?: string;
  readonly placeholder?: string;
  readonly size?: string;
  readonly readOnly?: boolean;
  readonly inputRef?: Ref<HTMLInputElement & HTMLTextAreaElement>;
  readonly 'data-autofocus'?: boolean;
}

export function FieldControl({ field, value: given, onChange, onBlur, inputRef, ...common }: FieldControlProps) {
  const text = useText();
  const { type, multiple, values } = field;
  const of = fieldOfType(type);
  // Null where the member may do nothing with units of that kind.
  const kind = field.reference_kind ?? undefined;
  const value = given === INCOMPLETE || given === undefined || given === null ? '' : textOf(given);
  const list = Array.isArray(given) ? (given as string[]) : [];
  const chosen = { ...common, onBlur, ref: inputRef };
  const props = { ...chosen, value, onChange };
  const hint = of.hint?.(text);

  if (isTypedAsJson(field)) {
    return (
      <Textarea
        {...typing(props)}
        placeholder={text(multiple ? 'field.list_hint' : 'field.json_hint')}
        error={common.error ?? jsonFault(value)}
        autosize
        minRows={2}
        maxRows={16}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      />
    );
  }
  if (multiple && kind !== undefined)
    return <ReferencesInput {...chosen} kind={kind} value={list} onChange={onChange} />;
  if (multiple && values !== null) {
    return <MultiSelect {...chosen} data={values.map(String)} value={list} onChange={onChange} searchable clearable />;
  }
  if (multiple) {
    return (
      <TagsInput
        {...chosen}
        value={list}
        onChange={onChange}
        splitChars={[...separatorsOf(type)]}
        placeholder={list.length === 0 && hint !== undefined ? hint : text('field.add_hint')}
        acceptValueOnBlur
      />
    );
  }
  const choices = values?.map(String) ?? of.choices?.(text);
  if (choices) {
    return (
      <Select
        {...chosen}
        data={choices}
        value={value === '' ? null : value}
        onChange={(next) => onChange(next ?? '')}
        clearable
        searchable={choices.length > 10}
      />
    );
  }
  if (kind !== undefined) return <ReferenceInput {...props} kind={kind} filter={takenFilter(field)} />;
  if (of.control) return of.control({ ...props, placeholder: common.placeholder ?? hint });
  if (field.hidden) return <PasswordInput {...typing(props)} autoComplete="new-password" />;
  return <TextInput {...typing(props)} {...(isNumeric(field) && { inputMode: 'decimal' as const })} />;
}

/** Whether the value is one of a list that the control shows. */
export function isChosen({ type, multiple, values, reference_kind: kind }: Field): boolean {
  const isListed = values !== null || fieldOfType(type).choices !== undefined;
  return !multiple && (isListed || (kind !== undefined && kind !== null));
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
