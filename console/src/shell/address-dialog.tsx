/** Asks members whose project wants their address proved for that proof, above the page, and lets what was refused go on. */
import { Button, Group, Modal, Stack, Text as Paragraph } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { session } from '../api/session.js';
import { useText } from '../i18n/text.js';
import { AddressForms } from '../sign-in/address-section.js';
import { Waiting } from './page-states.js';
import { signOut } from './sign-out.js';
import { useAsking } from './use-asking.js';
import { useMe } from './use-me.js';

const whenUnverified = (ask: () => Promise<boolean>): void => session.onRefused('email.unverified', ask);

export function AddressDialog() {
  const text = useText();
  const end = useAsking(whenUnverified);
  return (
    <Modal
      opened={end !== undefined}
      onClose={() => undefined}
      withCloseButton={false}
      fullScreen
      title={text('address.held')}
    >
      <Held onProved={end} />
    </Modal>
  );
}

interface HeldProps {
  /** Undefined while the dialog closes. */
  readonly onProved: ((isProved: boolean) => void) | undefined;
}

/** It may be proved in another tab too, by the link of the mail. */
function Held({ onProved }: HeldProps) {
  const text = useText();
  const queries = useQueryClient();
  const { data: me, isFetching } = useMe();
  const isProved = me !== undefined && !isFetching && me.email_verified_at !== null;
  useEffect(() => {
    if (!onProved || !isProved) return;
    onProved(true);
    // Until now the service has answered as to strangers.
    void queries.invalidateQueries();
  }, [isProved, onProved, queries]);
  if (!me) return <Waiting />;
  return (
    <Stack maw={720}>
      <Paragraph size="sm">{text('address.held_text')}</Paragraph>
      <AddressForms me={me} />
      <Group>
        <Button variant="subtle" onClick={() => void signOut()}>
          {text('sign_in.sign_out')}
        </Button>
      </Group>
    </Stack>
  );
}
