/** What a page shows while it has nothing to show, or cannot. */
import { Alert, Button, Center, Loader, Stack, Text as Paragraph, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiError } from '../api/errors.js';
import { useText } from '../i18n/text.js';

export function Waiting() {
  const text = useText();
  return (
    <Center className="waiting" h="100%" mih={120} role="status" aria-label={text('app.loading')}>
      <Loader />
    </Center>
  );
}

export function PageError({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const text = useText();
  // The same question gets the same answer.
  const isRefused = error instanceof ApiError && error.status === 400;
  const messages =
    error instanceof ApiError ? error.messages.map((message) => message.text) : [String((error as Error).message)];
  return (
    <Alert color="red" variant="light" role="alert" title={text(isRefused ? 'app.refused' : 'app.failed')}>
      <Stack align="start" gap="xs">
        {messages.map((message) => (
          <Paragraph key={message} size="sm">
            {message}
          </Paragraph>
        ))}
        {onRetry && !isRefused && (
          <Button size="xs" variant="default" onClick={onRetry}>
            {text('app.retry')}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** A page that has nothing but this. */
export function EmptyPage({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="page">
      <Title order={1} size="h3">
        {title}
      </Title>
      {children}
    </div>
  );
}

export function Empty({ children }: { children: ReactNode }) {
  return (
    <Center h="100%" mih={120} p="md">
      <Stack align="center" gap="sm">
        {children}
      </Stack>
    </Center>
  );
}
