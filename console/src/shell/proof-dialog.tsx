/** Asks for a fresh proof of who the member is: a passkey, or a code of the app where one is set up, else the password. */
import { Alert, Anchor, Button, Group, Modal, PasswordInput, Stack, Text as Paragraph, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { knowsPasskeys, proveByPasskey } from '../api/passkeys.js';
import { getSecondStep, prove } from '../api/second-step.js';
import { session } from '../api/session.js';
import { useText } from '../i18n/text.js';
import { PageError, Waiting } from './page-states.js';
import { SignInForm } from './sign-in-form.js';
import { useAsking } from './use-asking.js';
import { useAttempt } from './use-attempt.js';

const whenStale = (ask: () => Promise<boolean>): void => session.onRefused('session.stale', ask);

/** Above the page, which stays as it is. What was refused goes on after the proof, or ends if nobody gives one. */
export function ProofDialog() {
  const text = useText();
  const end = useAsking(whenStale);
  return (
    <Modal opened={end !== undefined} onClose={() => end?.(false)} title={text('proof.title')} zIndex={ABOVE}>
      <ProofForm why={text('proof.text')} onProved={() => end?.(true)} onCancel={() => end?.(false)} />
    </Modal>
  );
}

/** What asks may be a dialog itself. */
const ABOVE = 300;

interface ProofFormProps {
  readonly why: string;
  readonly onProved: () => void;
  /** Left out where nothing goes on without it. */
  readonly onCancel?: () => void;
}

export function ProofForm({ why, onProved, onCancel }: ProofFormProps) {
  const text = useText();
  const { data, error, refetch } = useQuery({ queryKey: ['second-step'], queryFn: getSecondStep, staleTime: 0 });
  const [isAgain, setAgain] = useState(false);
  const { run, isBusy, fault } = useAttempt();
  const give = (proof: () => Promise<void>): void =>
    void run(async () => {
      await proof();
      onProved();
    });
  if (error) return <PageError error={error} onRetry={() => void refetch()} />;
  if (!data) return <Waiting />;
  const { password, totp, passkeys } = data;
  const hasPasskey = passkeys > 0 && knowsPasskeys();
  // With a passkey and no app, the password is no proof.
  const hasField = totp || (password && passkeys === 0);
  if (isAgain || (!hasField && !hasPasskey)) {
    return <SignInForm again={text('proof.again')} hasPassword={password} onDone={onProved} />;
  }
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const given = ((new FormData(event.currentTarget).get('proof') as string | null) ?? '').trim();
    give(() => (hasField ? prove(totp ? { otp: given } : { password: given }) : proveByPasskey()));
  };
  const kept = { name: 'proof', required: true, 'data-autofocus': true } as const;
  return (
    <form onSubmit={submit}>
      <Stack>
        <Paragraph size="sm">{why}</Paragraph>
        {totp && (
          <TextInput
            {...kept}
            label={text('proof.otp')}
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
          />
        )}
        {hasField && !totp && (
          <PasswordInput {...kept} label={text('proof.password')} autoComplete="current-password" />
        )}
        <div aria-live="polite">{fault && <Alert color={fault.color}>{fault.text}</Alert>}</div>
        <Paragraph size="xs" c="dimmed">
          {text('proof.elsewise')}{' '}
          <Anchor component="button" type="button" size="xs" onClick={() => setAgain(true)}>
            {text('proof.sign_in')}
          </Anchor>
        </Paragraph>
        <Group justify="end">
          {onCancel && (
            <Button variant="default" onClick={onCancel}>
              {text('app.cancel')}
            </Button>
          )}
          {hasField && hasPasskey && (
            <Button variant="default" onClick={() => give(proveByPasskey)}>
              {text('passkeys.use')}
            </Button>
          )}
          <Button type="submit" loading={isBusy} data-autofocus={!hasField || undefined}>
            {text(hasField ? 'proof.submit' : 'passkeys.use')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
