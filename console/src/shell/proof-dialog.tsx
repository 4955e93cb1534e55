/** Asks for a fresh proof of who the member is: a code of the app where one is set up, else the password. */
import { Alert, Button, Group, Modal, PasswordInput, Stack, Text as Paragraph, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, type FormEvent } from 'react';
import { getSecondStep, prove } from '../api/second-step.js';
import { session } from '../api/session.js';
import { useText } from '../i18n/text.js';
import { PageError, Waiting } from './page-states.js';

/** Above the page, which stays as it is. What was refused goes on after the proof, or ends if nobody gives one. */
export function ProofDialog() {
  const text = useText();
  const [answer, setAnswer] = useState<(isProved: boolean) => void>();
  useEffect(() => {
    let asking: Promise<boolean> | undefined;
    // Several calls may be refused at the same time.
    session.onStale(() => {
      asking ??= new Promise<boolean>((resolve) => setAnswer(() => resolve)).finally(() => (asking = undefined));
      return asking;
    });
  }, []);
  const end = (isProved: boolean): void => {
    answer?.(isProved);
    setAnswer(undefined);
  };
  return (
    <Modal opened={answer !== undefined} onClose={() => end(false)} title={text('proof.title')} zIndex={ABOVE}>
      <ProofForm onProved={() => end(true)} onCancel={() => end(false)} />
    </Modal>
  );
}

/** What asks may be a dialog itself. */
const ABOVE = 300;

function ProofForm({ onProved, onCancel }: { readonly onProved: () => void; readonly onCancel: () => void }) {
  const text = useText();
  const { data, error, refetch } = useQuery({ queryKey: ['second-step'], queryFn: getSecondStep, staleTime: 0 });
  const [fault, setFault] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const given = ((new FormData(event.currentTarget).get('proof') as string | null) ?? '').trim();
    setBusy(true);
    setFault(undefined);
    try {
      await prove(data?.totp === true ? { otp: given } : { password: given });
      onProved();
    } catch (refused) {
      setFault((refused as Error).message);
    } finally {
      setBusy(false);
    }
  };
  if (error) return <PageError error={error} onRetry={() => void refetch()} />;
  if (!data) return <Waiting />;
  const kept = { name: 'proof', required: true, 'data-autofocus': true } as const;
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack>
        <Paragraph size="sm">{text('proof.text')}</Paragraph>
        {data.totp ? (
          <TextInput
            {...kept}
            label={text('proof.otp')}
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
          />
        ) : (
          <PasswordInput {...kept} label={text('proof.password')} autoComplete="current-password" />
        )}
        <div aria-live="polite">{fault !== undefined && <Alert color="red">{fault}</Alert>}</div>
        <Paragraph size="xs" c="dimmed">
          {text('proof.elsewise')}
        </Paragraph>
        <Group justify="end">
          <Button variant="default" onClick={onCancel}>
            {text('app.cancel')}
          </Button>
          <Button type="submit" loading={isBusy}>
            {text('proof.submit')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
