import { Anchor, Center, Group, Modal, Paper, Text as Paragraph, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import { isSigningIn } from '../api/providers.js';
import { session } from '../api/session.js';
import icon from '../icon.svg';
import { useText } from '../i18n/text.js';
import { AddressDialog } from './address-dialog.js';
import { ForgottenPassword } from './forgotten-password.js';
import { PageError, Waiting } from './page-states.js';
import { ProofDialog } from './proof-dialog.js';
import { SecondStepDialog } from './second-step-dialog.js';
import { SignInForm } from './sign-in-form.js';
import { useAsking } from './use-asking.js';

const whenEnded = (ask: () => Promise<void>): void => session.onEnd(ask);

/** Shows the console to members that are signed in. When the session ends it asks above the page, which stays as it is. */
export function SignInGate({ children }: { children: ReactNode }) {
  const text = useText();
  // Also where the page begins anew after a fault.
  const [hasSignedIn, setSignedIn] = useState(session.isOpen);
  const [hasForgotten, setForgotten] = useState(false);
  const goOn = useAsking(whenEnded);
  const restored = useQuery({
    queryKey: ['session'],
    // Who comes from an identity provider has signed in anew.
    queryFn: async () => !isSigningIn() && (await session.restore()),
    staleTime: Infinity,
    refetchOnReconnect: false,
    retry: false,
  });
  if (restored.isPending) return <Waiting />;
  if (restored.data === true || hasSignedIn) {
    return (
      <>
        {children}
        <ProofDialog />
        <AddressDialog />
        <SecondStepDialog />
        <Modal
          opened={goOn !== undefined}
          onClose={() => undefined}
          withCloseButton={false}
          title={text('sign_in.title')}
        >
          <SignInForm again={text('sign_in.again')} onDone={() => goOn?.()} />
        </Modal>
      </>
    );
  }
  return (
    <Center mih="100dvh" p="md" component="main">
      <Paper withBorder p="xl" w="100%" maw={420}>
        <Group gap="xs" mb="lg">
          <img src={icon} alt="" width={28} height={28} />
          <Paragraph fw={700} size="lg">
            {text('app.name')}
          </Paragraph>
        </Group>
        <SignInTitle title={text(hasForgotten ? 'sign_in.forgotten_title' : 'sign_in.title')} />
        {restored.error && <PageError error={restored.error} onRetry={() => void restored.refetch()} />}
        {!restored.error && hasForgotten && <ForgottenPassword onBack={() => setForgotten(false)} />}
        {!restored.error && !hasForgotten && (
          <>
            <SignInForm onDone={() => setSignedIn(true)} />
            <Anchor component="button" type="button" size="sm" mt="md" onClick={() => setForgotten(true)}>
              {text('sign_in.forgotten')}
            </Anchor>
          </>
        )}
      </Paper>
    </Center>
  );
}

/** The heading, which also names the tab. */
function SignInTitle({ title }: { title: string }) {
  const text = useText();
  useEffect(() => void (document.title = `${title} – ${text('app.name')}`), [title, text]);
  return (
    <Title order={1} size="h3" mb="md">
      {title}
    </Title>
  );
}
