/** Asks for a mail with which a member sets a new password. */
import { Alert, Anchor, Button, Stack, Text as Paragraph, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { session } from '../api/session.js';
import { recoverPassword } from '../api/ways.js';
import { useText } from '../i18n/text.js';

export function ForgottenPassword({ onBack }: { onBack: () => void }) {
  const text = useText();
  const mail = useMutation({
    mutationFn: ({ project, email }: { project: string; email: string }) => recoverPassword(project, email),
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    const valueOf = (name: string) => ((values.get(name) as string | null) ?? '').trim();
    mail.mutate({ project: valueOf('project'), email: valueOf('email') });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Paragraph size="sm">{text('sign_in.forgotten_text')}</Paragraph>
        <TextInput
          name="project"
          label={text('sign_in.project')}
          defaultValue={session.project}
          autoCapitalize="none"
          spellCheck={false}
          required
        />
        <TextInput name="email" type="email" label={text('sign_in.email')} autoComplete="email" autoFocus required />
        <div aria-live="polite">
          {mail.error && <Alert color="red">{mail.error.message}</Alert>}
          {mail.isSuccess && <Alert color="green">{text('sign_in.mail_sent')}</Alert>}
        </div>
        <Button type="submit" loading={mail.isPending}>
          {text('sign_in.send_mail')}
        </Button>
        <Anchor component="button" type="button" size="sm" onClick={onBack}>
          {text('sign_in.back')}
        </Anchor>
      </Stack>
    </form>
  );
}
