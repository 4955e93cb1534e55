/** The control of a field in a form. */
import { useInput } from 'ra-core';
import type { Field } from '../api/types.js';
import { FieldControl } from './field-control.js';

export function FieldInput({ field: definition }: { field: Field }) {
  const { field, fieldState } = useInput({
    source: definition.id,
    // '' is a value of a control here.
    format: (value: unknown) => value ?? '',
    parse: (value: unknown) => value,
  });
  return (
    <FieldControl
      field={definition}
      value={field.value as unknown}
      onChange={field.onChange}
      onBlur={field.onBlur}
      inputRef={field.ref}
      name={field.name}
      label={definition.label}
      description={definition.helper_text ?? undefined}
      withAsterisk={definition.required}
      aria-required={definition.required}
      error={faultText(fieldState.error?.message)}
    />
  );
}

/** ra-core puts the text of a fault into an object, except of those of a refusal. */
function faultText(message: unknown): string | undefined {
  const { message: inner = message } = (message ?? {}) as { message?: unknown };
  return typeof inner === 'string' ? inner : undefined;
}
