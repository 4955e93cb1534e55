/** In place of the pages, what a project asks of a member before it goes on. They stay as they are, below it. */
import { Button, Group, Modal, Stack, Text as Paragraph } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from '../i18n/text.js';
import { signOut } from './sign-out.js';

interface HeldPageProps {
  readonly isOpen: boolean;
  readonly title: string;
  /** Why, and what to do. */
  readonly help: string;
  readonly children: ReactNode;
}

export function HeldPage({ isOpen, title, help, children }: HeldPageProps) {
  const text = useText();
  return (
    <Modal opened={isOpen} onClose={() => undefined} withCloseButton={false} fullScreen title={title}>
      <Stack maw={720}>
        <Paragraph size="sm">{help}</Paragraph>
        {children}
        <Group>
          <Button variant="subtle" onClick={() => void signOut()}>
            {text('sign_in.sign_out')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
