import { Button, Group, Modal, Stack, Text as Paragraph } from '@mantine/core';
import { useEffect, type RefObject } from 'react';
import { useBlocker } from 'react-router';
import { useText } from '../i18n/text.js';

interface LeaveWarningProps {
  /** Whether there are changes. */
  readonly when: boolean;
  /** Set once they are saved. */
  readonly saved: RefObject<boolean>;
}

/** Asks before a page is left with changes that are not saved. */
export function LeaveWarning({ when, saved }: LeaveWarningProps) {
  const text = useText();
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => when && !saved.current && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(() => {
    if (!when) return;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [when]);
  return (
    <Modal opened={blocker.state === 'blocked'} onClose={() => blocker.reset?.()} title={text('model.leave_title')}>
      <Stack>
        <Paragraph size="sm">{text('model.leave_text')}</Paragraph>
        <Group justify="end">
          <Button variant="default" onClick={() => blocker.reset?.()} data-autofocus>
            {text('model.stay')}
          </Button>
          <Button color="red" onClick={() => blocker.proceed?.()}>
            {text('model.leave')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
