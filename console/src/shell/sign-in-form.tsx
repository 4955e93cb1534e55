/** Signs in, by the ways that the project has. */
import { Alert, Anchor, Button, Divider, PasswordInput, Stack, Text as Paragraph, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState, type FormEvent } from 'react';
import { knowsPasskeys, signInByPasskey } from '../api/passkeys.js';
import { canLeave, forgetArrival, signInAt, signInByProvider, type Brought } from '../api/providers.js';
import { session, type MissingStep } from '../api/session.js';
import { getWays, mailCode, signInByCode, signInByPassword, type Ways } from '../api/ways.js';
import { useText } from '../i18n/text.js';
import { arrivalText } from './fault-text.js';
import { Waiting } from './page-states.js';
import { useArrival } from './use-arrival.js';
import { useAttempt } from './use-attempt.js';

interface SignInFormProps {
  /** Why somebody is to sign in again, above a page that stays as it is. */
  readonly again?: string;
  /** Whether who is to sign in again has one; it is taken for granted where nothing is known. */
  readonly hasPassword?: boolean;
  readonly onDone: () => void;
}

export function SignInForm({ again, hasPassword = true, onDone }: SignInFormProps) {
  const text = useText();
  const [project, setProject] = useState(session.project);
  // What is half typed has no ways.
  const [asked, setAsked] = useState(project);
  const { data: ways } = useQuery({
    queryKey: ['ways', asked],
    queryFn: () => getWays(asked),
    enabled: asked !== '',
    retry: false,
  });
  const arrival = useArrival('sign_in');
  // What an identity provider has led back with, until it is refused.
  const [brought, setBrought] = useState(arrival && 'code' in arrival ? arrival : undefined);
  const takesPassword = hasPassword || !hasOthers(ways);
  const [isCode, setCode] = useState(false);
  const byCode = takesPassword ? isCode : ways?.mail_code === true;
  const hasFields = takesPassword || byCode;
  const [isMailed, setMailed] = useState(false);
  const [missing, setMissing] = useState<MissingStep>();
  const led = arrival && 'error' in arrival ? arrivalText(arrival.error, text) : undefined;
  const { run, isBusy, fault, fail, clear } = useAttempt(led);

  const go = async (signingIn: Promise<MissingStep | undefined>): Promise<void> => {
    const step = await signingIn;
    if (step === undefined) {
      // Also where the service did not answer it, and another way was taken.
      if (arrival) forgetArrival();
      return onDone();
    }
    setMissing(step);
    if (step === 'passkey') await go(signInByPasskey(project));
  };
  const { mutate: arrive } = useMutation({
    mutationFn: (from: Brought) => go(signInByProvider(from, '')),
    onError: (error) => {
      setBrought(undefined);
      fail(error);
    },
  });
  useEffect(() => {
    if (arrival && 'code' in arrival) arrive(arrival);
  }, [arrival, arrive]);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    const valueOf = (name: string) => (values.get(name) as string | null) ?? '';
    const [email, code, otp] = ['email', 'code', 'otp'].map((name) => valueOf(name).trim()) as [string, string, string];
    void run(async () => {
      if (brought) return go(signInByProvider(brought, otp));
      if (!byCode) {
        const proof = { username: valueOf('username').trim(), password: valueOf('password'), otp };
        return go(signInByPassword(project, proof));
      }
      if (isMailed) return go(signInByCode(project, { email, code, otp }));
      await mailCode(project, email);
      setMailed(true);
    });
  };
  const change = (toCode: boolean): void => {
    setBrought(undefined);
    setCode(toCode);
    setMailed(false);
    setMissing(undefined);
    clear();
  };

  if (brought && (missing === undefined || missing === 'passkey')) return <Waiting />;
  return (
    <form onSubmit={submit}>
      <Stack>
        {again !== undefined && <Alert color="yellow">{again}</Alert>}
        {!isSecureContext && <Alert color="yellow">{text('sign_in.not_secure')}</Alert>}
        {again === undefined && !brought && (
          <TextInput
            label={text('sign_in.project')}
            value={project}
            onChange={({ currentTarget }) => setProject(currentTarget.value.trim())}
            onBlur={() => setAsked(project)}
            autoComplete="organization"
            autoCapitalize="none"
            spellCheck={false}
            autoFocus={session.project === ''}
            required
          />
        )}
        {!brought && hasFields && (byCode ? <CodeFields isMailed={isMailed} /> : <PasswordFields />)}
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
        <div aria-live="polite">{fault && <Alert color={fault.color}>{fault.text}</Alert>}</div>
        {(brought !== undefined || hasFields) && (
          <Button type="submit" loading={isBusy}>
            {text(byCode && !isMailed ? 'sign_in.mail_code' : 'sign_in.submit')}
          </Button>
        )}
        {byCode && isMailed && (
          <Anchor component="button" type="button" size="sm" onClick={() => setMailed(false)}>
            {text('sign_in.another_code')}
          </Anchor>
        )}
        {hasOthers(ways) && hasFields && <Divider label={text('sign_in.or')} />}
        {ways?.passkey === true && knowsPasskeys() && (
          <Button variant="default" onClick={() => void run(() => go(signInByPasskey(project)))}>
            {text('passkeys.use')}
          </Button>
        )}
        {ways?.mail_code === true && takesPassword && (
          <Button variant="default" onClick={() => change(!byCode)}>
            {text(byCode ? 'sign_in.by_password' : 'sign_in.by_code')}
          </Button>
        )}
        {canLeave() &&
          ways?.providers.map((provider) => (
            <Button
              key={provider.id}
              variant="default"
              className="text-of-tenant"
              onClick={() => void run(() => signInAt(project, provider))}
            >
              {text('providers.go_on', { label: provider.label })}
            </Button>
          ))}
        {canLeave() && again !== undefined && ways !== undefined && ways.providers.length > 0 && (
          <Paragraph size="xs" c="dimmed">
            {text('providers.leaves')}
          </Paragraph>
        )}
        {brought && (
          <Anchor component="button" type="button" size="sm" onClick={() => change(false)}>
            {text('sign_in.back')}
          </Anchor>
        )}
      </Stack>
    </form>
  );
}

function hasOthers(ways: Ways | undefined): boolean {
  return ways !== undefined && (ways.passkey || ways.mail_code || ways.providers.length > 0);
}

function PasswordFields() {
  const text = useText();
  return (
    <>
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
    </>
  );
}

function CodeFields({ isMailed }: { readonly isMailed: boolean }) {
  const text = useText();
  return (
    <>
      <TextInput name="email" type="email" label={text('sign_in.email')} autoComplete="email" autoFocus required />
      {isMailed && (
        <>
          <Alert role="status">{text('sign_in.code_sent')}</Alert>
          <TextInput
            name="code"
            label={text('sign_in.code_mail')}
            inputMode="numeric"
            autoComplete="one-time-code"
            autoFocus
            required
          />
        </>
      )}
    </>
  );
}
