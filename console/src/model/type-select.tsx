import { Select, Text as Paragraph } from '@mantine/core';
import type { FieldType } from '../api/types.js';
import { fieldOfType } from '../fields/fields.js';
import { useText } from '../i18n/text.js';

interface TypeSelectProps {
  readonly types: readonly FieldType[];
  readonly value: FieldType;
  readonly onChange: (type: FieldType) => void;
  readonly error?: string | undefined;
}

/** Chooses the type of a parameter; each is explained in a sentence. */
export function TypeSelect({ types, value, onChange, error }: TypeSelectProps) {
  const text = useText();
  return (
    <Select
      label={text('model.type')}
      // Beside another field, both are at the same height.
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      description={fieldOfType(value).help}
      error={error}
      allowDeselect={false}
      data={types.map((type) => ({ value: type, label: fieldOfType(type).label }))}
      value={value}
      onChange={(type) => type && onChange(type)}
      renderOption={({ option }) => (
        <div>
          <Paragraph size="sm" fw={600}>
            {option.label}{' '}
            <Paragraph span size="xs" c="dimmed">
              {option.value}
            </Paragraph>
          </Paragraph>
          <Paragraph size="xs">{fieldOfType(option.value).help}</Paragraph>
        </div>
      )}
    />
  );
}
