/** The control of a field in a form. */
import { Checkbox, Stack } from '@mantine/core';
import { useInput } from 'ra-core';
import type { Field } from '../api/types.js';
import { useIsFile } from '../data/use-files.js';
import { FileField } from '../files/file-field.js';
import { useText } from '../i18n/text.js';
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
  /** Whether it is of a unit that is there: what is hidden then stays, unless it is typed anew or removed. */
  readonly isStored?: boolean;
}

export function FieldInput({ field: definition, isPreview = false, isStored = false }: FieldInputProps) {
  const text = useText();
  const { field, fieldState } = useInput({
    source: inputName(definition),
    // '' is a value of a control here, and null what is removed.
    format: (value: unknown) => (value === undefined ? '' : value),
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
  const control = {
    ...common,
    onBlur: field.onBlur,
    inputRef: field.ref,
    name: definition.id,
    'aria-required': definition.required,
  };
  if (!definition.hidden || !isStored) return <FieldControl {...control} />;
  const isRemoved = field.value === null;
  return (
    <Stack gap="xs">
      <FieldControl {...control} placeholder={text(isRemoved ? 'field.is_removed' : 'field.unchanged')} />
      {!definition.required && definition.limits?.nullable !== false && (
        <Checkbox
          size="xs"
          label={text('field.remove', { label: definition.label })}
          checked={isRemoved}
          onChange={({ currentTarget }) => field.onChange(currentTarget.checked ? null : '')}
        />
      )}
    </Stack>
  );
}

/** ra-core puts the text of a fault into an object, except of those of a refusal. */
function faultText(message: unknown): string | undefined {
  const { message: inner = message } = (message ?? {}) as { message?: unknown };
  return typeof inner === 'string' ? inner : undefined;
}
