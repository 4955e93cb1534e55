/** The control of a field in a form. */
import { useInput } from 'ra-core';
import type { Field } from '../api/types.js';
import { useIsFile } from '../data/use-files.js';
import { FileField } from '../files/file-field.js';
import { WithCode } from '../shell/with-code.js';
import { FieldControl } from './field-control.js';

/** What a form calls the input of a field: its library takes no names such as `constructor`, which parameters may have. */
export function inputName({ id }: Pick<Field, 'id'>): string {
  return `field_${id}`;
}

interface FieldInputProps {
  readonly field: Field;
  /** Whether the form is only looked at, so that no file is uploaded. */
  readonly isPreview?: boolean;
}

export function FieldInput({ field: definition, isPreview = false }: FieldInputProps) {
  const { field, fieldState } = useInput({
    source: inputName(definition),
    // '' is a value of a control here.
    format: (value: unknown) => value ?? '',
    parse: (value: unknown) => value,
  });
  const isFile = useIsFile(definition);
  const common = {
    field: definition,
    value: field.value as unknown,
    onChange: field.onChange,
    label: definition.label,
    description: definition.helper_text !== null && <WithCode>{definition.helper_text}</WithCode>,
    withAsterisk: definition.required,
    error: faultText(fieldState.error?.message),
  };
  if (isFile && !isPreview) return <FileField {...common} />;
  return (
    <FieldControl
      {...common}
      onBlur={field.onBlur}
      inputRef={field.ref}
      name={definition.id}
      aria-required={definition.required}
    />
  );
}

/** ra-core puts the text of a fault into an object, except of those of a refusal. */
function faultText(message: unknown): string | undefined {
  const { message: inner = message } = (message ?? {}) as { message?: unknown };
  return typeof inner === 'string' ? inner : undefined;
}
