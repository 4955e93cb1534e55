/** Asks before several units are written: how many they are, tried by a dry run, and what is refused. */
import { Alert, Button, Group, List, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from '../i18n/text.js';
import { useFaultFocus } from '../shell/use-fault-focus.js';

interface WriteDialogProps {
  readonly isOpen: boolean;
  readonly title: string;
  readonly refusedTitle: string;
  /** What was refused. */
  readonly fault: Error | null;
  /** What is shown of it, in lines; by default its text. */
  readonly faultText?: string | undefined;
  /** Faults that the children show; another object for each refusal. */
  readonly faults?: object | undefined;
  readonly isBusy: boolean;
  readonly canConfirm: boolean;
  readonly confirm: string;
  readonly color?: string;
  readonly children: ReactNode;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

export function WriteDialog(props: WriteDialogProps) {
  const { isOpen, title, refusedTitle, fault, isBusy, canConfirm, confirm, color, children } = props;
  const text = useText();
  const { faultText = fault?.message ?? '' } = props;
  const place = useFaultFocus(fault ?? props.faults);
  return (
    <Modal opened={isOpen} onClose={props.onClose} title={title} size="lg">
      <Stack ref={place}>
        {children}
        {faultText !== '' && (
          <Alert color="red" title={refusedTitle} role="alert">
            <List size="sm">
              {[...new Set(faultText.split('\n'))].map((line) => (
                <List.Item key={line}>{line}</List.Item>
              ))}
            </List>
          </Alert>
        )}
        <Group justify="end">
          <Button variant="default" onClick={props.onClose} data-autofocus>
            {text('app.cancel')}
          </Button>
          <Button
            {...(color !== undefined && { color })}
            disabled={!canConfirm}
            loading={isBusy}
            onClick={props.onConfirm}
          >
            {confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
