/** A file while it is sent: its name, how much of it, and a way to stop. */
import { Button, Group, Progress, Text as Paragraph } from '@mantine/core';
import { useText } from '../i18n/text.js';
import './files.css';

interface SendingRowProps {
  readonly name: string;
  /** From 0 to 1. */
  readonly sent: number;
  readonly onStop: () => void;
}

export function SendingRow({ name, sent, onStop }: SendingRowProps) {
  const text = useText();
  const percent = Math.floor(sent * 100);
  return (
    <Group gap="xs" wrap="nowrap">
      <span className="upload-name">{name}</span>
      <Progress flex={1} value={percent} aria-label={text('files.progress', { name })} />
      <Paragraph size="sm" c="dimmed">
        {percent < 100 ? text('files.percent', { percent }) : text('files.storing')}
      </Paragraph>
      <Button size="xs" variant="subtle" onClick={onStop}>
        {text('app.cancel')}
      </Button>
    </Group>
  );
}
