/** A list that belongs to a member: its title, what can be done with it, and what is there while it has nothing to show. */
import { Group, Text as Paragraph, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { PageError, Waiting } from '../shell/page-states.js';

interface ListSectionProps {
  readonly title: string;
  readonly action: ReactNode;
  readonly error: Error | null;
  readonly onRetry: () => void;
  /** Undefined as long as it is not known. */
  readonly count: number | undefined;
  /** What is said if there are none. */
  readonly none: string;
  /** The table. */
  readonly table: ReactNode;
  readonly children?: ReactNode;
}

export function ListSection({ title, action, error, onRetry, count, none, table, children }: ListSectionProps) {
  return (
    <section aria-label={title}>
      <Group justify="space-between">
        <Title order={2} size="h4">
          {title}
        </Title>
        {action}
      </Group>
      {error && <PageError error={error} onRetry={onRetry} />}
      {count === undefined && !error && <Waiting />}
      {count === 0 && <Paragraph size="sm">{none}</Paragraph>}
      {count !== undefined && count > 0 && table}
      {children}
    </section>
  );
}
