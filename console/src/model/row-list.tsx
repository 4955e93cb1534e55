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
  /** Whether the inputs of the first row have labels above them. */
  readonly hasLabels?: boolean;
  readonly onChange: (rows: readonly Row[]) => void;
  /** The inputs of a row. @param number from 1 */
  readonly children: (row: Row, onChange: (row: Row) => void, number: number) => ReactNode;
}

/** Pixels: a button beside an input is so much lower, and a label so high. */
const [BESIDE_INPUT, LABEL] = [4, 25];

export function RowList<Row>({
  label,
  description,
  rows,
  error,
  added,
  hasLabels = false,
  onChange,
  children,
}: RowListProps<Row>) {
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
        <Group key={at} gap="xs" wrap="nowrap" align="start">
          {children(row, (changed) => onChange(rows.with(at, changed)), at + 1)}
          <ActionIcon
            variant="default"
            mt={BESIDE_INPUT + (hasLabels && at === 0 ? LABEL : 0)}
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
