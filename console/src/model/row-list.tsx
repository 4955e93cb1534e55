/** A list in the form of a kind whose rows are added, edited and removed, such as its checks. */
import { ActionIcon, Button, Group, Stack, Text as Paragraph } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from '../i18n/text.js';

interface RowListProps<Row> {
  readonly label: string;
  readonly description: string;
  readonly rows: readonly Row[];
  readonly error: string | undefined;
  /** A new row; undefined if none can be added. */
  readonly added: Row | undefined;
  readonly onChange: (rows: readonly Row[]) => void;
  /** The inputs of a row. @param number from 1 */
  readonly children: (row: Row, onChange: (row: Row) => void, number: number) => ReactNode;
}

export function RowList<Row>({ label, description, rows, error, added, onChange, children }: RowListProps<Row>) {
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
      {rows.map((row, at) => (
        <Group key={at} gap="xs" wrap="nowrap">
          {children(row, (changed) => onChange(rows.with(at, changed)), at + 1)}
          <ActionIcon
            variant="default"
            aria-label={text('model.remove', { name: `${label} ${at + 1}` })}
            onClick={() => onChange(rows.toSpliced(at, 1))}
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
          disabled={added === undefined}
          onClick={() => added !== undefined && onChange([...rows, added])}
        >
          {text('model.add_set', { name: label })}
        </Button>
      </div>
    </Stack>
  );
}
