import { Alert, Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { session, type MissingStep } from '../api/session.js';
import { useText } from '../i18n/text.js';

/** @param again whether the session of a page has ended that must stay as it is */
export function SignInForm({ again = false, onDone }: { again?: boolean; onDone: () => void }) {
  const text = useText();
  const [missing, setMissing] = useState<MissingStep>();
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();

  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    const valueOf = (name: string) => (values.get(name) as string | null) ?? '';
    const [project, otp] = [again ? session.project : valueOf('project').trim(), valueOf('otp').trim()];
    setBusy(true);
    setFault(undefined);
    try {
      const credentials = { username: valueOf('username').trim(), password: valueOf('password') };
      const step = await session.signIn(project, { ...credentials, ...(otp !== '' && { otp }) });
      if (step === undefined) onDone();
      else setMissing(step);
    } catch (error) {
      setFault((error as Error).message);
    } finally {
      setBusy(false);
    }
  };

  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack>
        {again && <Alert color="yellow">{text('sign_in.again')}</Alert>}
        {!isSecureContext && <Alert color="yellow">{text('sign_in.not_secure')}</Alert>}
        {!again && (
          <TextInput
            name="project"
            label={text('sign_in.project')}
            defaultValue={session.project}
            autoComplete="organization"
            autoCapitalize="none"
            spellCheck={false}
            autoFocus={session.project === ''}
            required
          />
        )}
        <TextInput
          name="username"
          autoFocus={session.project !== ''}
          label={text('sign_in.username')}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
        />
        <PasswordInput name="password" label={text('sign_in.password')} autoComplete="current-password" required />
        {missing && <Alert>{text(`sign_in.asks_${missing}`)}</Alert>}
        {missing && missing !== 'passkey' && (
          <TextInput
            key={missing}
            name="otp"
            label={text(`sign_in.code_${missing}`)}
            // Recovery codes have letters.
            inputMode={missing === 'mail' ? 'numeric' : 'text'}
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
            autoFocus
            required
          />
        )}
        <div aria-live="polite">{fault !== undefined && <Alert color="red">{fault}</Alert>}</div>
        <Button type="submit" loading={isBusy}>
          {text('sign_in.submit')}
        </Button>
      </Stack>
    </form>
  );
}
