/** The control of a field in a form. */
import { useInput } from 'ra-core';
import type { Field } from '../api/types.js';
import { WithCode } from '../shell/with-code.js';
import { FieldControl } from './field-control.js';

/** What a form calls the input of a field: its library takes no names such as `constructor`, which parameters may have. */
export function inputName({ id }: Pick<Field, 'id'>): string {
  return `field_${id}`;
}

export function FieldInput({ field: definition }: { field: Field }) {
  const { field, fieldState } = useInput({
    source: inputName(definition),
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
      name={definition.id}
      label={definition.label}
      description={definition.helper_text !== null && <WithCode>{definition.helper_text}</WithCode>}
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
