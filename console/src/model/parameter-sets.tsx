/** Lists of parameters, such as those that are unique together. */
import { ActionIcon, Button, Group, MultiSelect, Stack, Text as Paragraph } from '@mantine/core';
import { useText } from '../i18n/text.js';

interface ParameterSetsProps {
  readonly label: string;
  readonly description: string;
  readonly sets: readonly (readonly string[])[];
  /** The parameters of the kind. */
  readonly parameters: readonly { readonly value: string; readonly label: string }[];
  readonly error: string | undefined;
  readonly onChange: (sets: readonly (readonly string[])[]) => void;
}

export function ParameterSets({ label, description, sets, parameters, error, onChange }: ParameterSetsProps) {
  const text = useText();
  return (
    <Stack gap="xs" role="group" aria-label={label}>
      <div>
        <Paragraph size="sm" fw={500}>
          {label}
        </Paragraph>
        <Paragraph size="xs" c="dimmed">
          {description}
        </Paragraph>
      </div>
      {sets.map((set, at) => (
        <Group key={at} gap="xs" wrap="nowrap">
          <MultiSelect
            flex={1}
            aria-label={text('model.set_of', { name: label, number: at + 1 })}
            data={[
              ...parameters,
              ...set
                .filter((id) => !parameters.some(({ value }) => value === id))
                .map((id) => ({ value: id, label: id })),
            ]}
            value={[...set]}
            onChange={(ids) => onChange(sets.with(at, ids))}
          />
          <ActionIcon
            variant="default"
            aria-label={text('model.remove', { name: `${label} ${at + 1}` })}
            onClick={() => onChange(sets.toSpliced(at, 1))}
          >
            ✕
          </ActionIcon>
        </Group>
      ))}
      {error !== undefined && (
        <Paragraph size="sm" c="red" role="alert">
          {error}
        </Paragraph>
      )}
      <div>
        <Button size="xs" variant="light" disabled={parameters.length === 0} onClick={() => onChange([...sets, []])}>
          {text('model.add_set', { name: label })}
        </Button>
      </div>
    </Stack>
  );
}
