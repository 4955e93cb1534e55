import { Center, Modal, Paper, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import { session } from '../api/session.js';
import { useText } from '../i18n/text.js';
import { PageError, Waiting } from './page-states.js';
import { SignInForm } from './sign-in-form.js';

/** Shows the console to members that are signed in. When the session ends it asks above the page, which stays as it is. */
export function SignInGate({ children }: { children: ReactNode }) {
  const text = useText();
  const [hasSignedIn, setSignedIn] = useState(false);
  const [goOn, setGoOn] = useState<() => void>();
  const restored = useQuery({
    queryKey: ['session'],
    queryFn: () => session.restore(),
    staleTime: Infinity,
    refetchOnReconnect: false,
    retry: false,
  });
  useEffect(() => {
    let asking: Promise<void> | undefined;
    // Several calls may find at the same time that the session has ended.
    session.onEnd(() => {
      asking ??= new Promise<void>((resolve) => setGoOn(() => resolve)).finally(() => (asking = undefined));
      return asking;
    });
  }, []);

  if (restored.isPending) return <Waiting />;
  if (restored.data === true || hasSignedIn) {
    return (
      <>
        {children}
        <Modal
          opened={goOn !== undefined}
          onClose={() => undefined}
          withCloseButton={false}
          title={text('sign_in.title')}
        >
          <SignInForm
            again
            onDone={() => {
              goOn?.();
              setGoOn(undefined);
            }}
          />
        </Modal>
      </>
    );
  }
  return (
    <Center mih="100dvh" p="md" component="main">
      <Paper withBorder p="xl" w="100%" maw={420}>
        <Title order={1} size="h3" mb="md">
          {text('sign_in.title')}
        </Title>
        {restored.error ? (
          <PageError error={restored.error} onRetry={() => void restored.refetch()} />
        ) : (
          <SignInForm onDone={() => setSignedIn(true)} />
        )}
      </Paper>
    </Center>
  );
}
