/** The checks of a kind: conditions that every unit satisfies. */
import { ActionIcon, Button, Group, Stack, Text as Paragraph, TextInput } from '@mantine/core';
import type { KindCheck } from '../api/definitions.js';
import { useText } from '../i18n/text.js';

interface ChecksProps {
  readonly checks: readonly KindCheck[];
  readonly error: string | undefined;
  readonly onChange: (checks: readonly KindCheck[]) => void;
}

const INPUTS = [
  { name: 'id', flex: 1 },
  { name: 'filter', flex: 2 },
  { name: 'text', flex: 2 },
] as const;

export function Checks({ checks, error, onChange }: ChecksProps) {
  const text = useText();
  const label = text('model.checks_label');
  return (
    <Stack gap="xs" role="group" aria-label={label}>
      <div>
        <Paragraph size="sm" fw={500}>
          {label}
        </Paragraph>
        <Paragraph size="xs" c="dimmed">
          {text('model.checks_help')}
        </Paragraph>
      </div>
      {checks.map((check, at) => (
        <Group key={at} gap="xs" wrap="nowrap">
          {INPUTS.map(({ name, flex }) => (
            <TextInput
              key={name}
              flex={flex}
              placeholder={text(`model.check_${name}`)}
              aria-label={text('model.check_of', { name: text(`model.check_${name}`), number: at + 1 })}
              value={check[name]}
              onChange={({ currentTarget: { value } }) => onChange(checks.with(at, { ...check, [name]: value }))}
            />
          ))}
          <ActionIcon
            variant="default"
            aria-label={text('model.remove', { name: `${label} ${at + 1}` })}
            onClick={() => onChange(checks.toSpliced(at, 1))}
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
        <Button
          size="xs"
          variant="light"
          onClick={() => onChange([...checks, { id: `check_${checks.length + 1}`, filter: '', text: '' }])}
        >
          {text('model.add_set', { name: label })}
        </Button>
      </div>
    </Stack>
  );
}
