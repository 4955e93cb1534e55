/** Changes the password of the member that is signed in. Passwords are in the fields alone, and cleared when it is done. */
import { Alert, Button, Group, PasswordInput, Stack, Text as Paragraph, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { useState } from 'react';
import { PASSWORD } from '../../../src/shared/limits.js';
import { ApiError } from '../api/errors.js';
import { changePassword, sendPasswordMail } from '../api/members.js';
import { getSecondStep } from '../api/second-step.js';
import { FIELD_OF_FORM, type FieldErrors } from '../data/faults.js';
import { useText } from '../i18n/text.js';
import { FormFault } from '../model/form-parts.js';
import { useMe } from '../shell/use-me.js';
import { useCheckedForm } from './use-checked-form.js';

const [CURRENT, NEW, REPEATED] = ['current_password', 'new_password', 'repeat_password'] as const;
const NAMES = [CURRENT, NEW, REPEATED];
const EMPTY = { [CURRENT]: '', [NEW]: '', [REPEATED]: '' };

export function PasswordForm() {
  const text = useText();
  const { data: me } = useMe();
  const { data: step } = useQuery({ queryKey: ['second-step'], queryFn: getSecondStep, retry: false });
  return (
    <section aria-label={text('members.password')}>
      <Title order={2} size="h4" mb="xs">
        {text('members.password')}
      </Title>
      {step?.password === false ? <NoPassword email={me?.email ?? ''} /> : <ChangeForm username={me?.username ?? ''} />}
    </section>
  );
}

/** Who came in by another way sets a first one as who has forgotten it. */
function NoPassword({ email }: { readonly email: string }) {
  const text = useText();
  const mail = useMutation({ mutationFn: () => sendPasswordMail(email) });
  return (
    <Stack maw={720} align="start">
      <Paragraph size="sm">{text('members.no_password')}</Paragraph>
      <Button variant="default" loading={mail.isPending} onClick={() => mail.mutate()}>
        {text('members.mail_password')}
      </Button>
      <div role="status">
        {mail.error && <Alert color="red">{mail.error.message}</Alert>}
        {mail.isSuccess && <Alert className="text-of-tenant">{text('members.password_mailed', { email })}</Alert>}
      </div>
    </Stack>
  );
}

function ChangeForm({ username }: { readonly username: string }) {
  const text = useText();
  const notify = useNotify();
  const queries = useQueryClient();
  const [values, setValues] = useState(EMPTY);
  const check = (): FieldErrors => ({
    ...(values[CURRENT] === '' && { [CURRENT]: text('field.required') }),
    ...([...values[NEW]].length < PASSWORD.minLength && {
      [NEW]: text('members.password_short', { least: PASSWORD.minLength }),
    }),
    ...(values[REPEATED] !== values[NEW] && { [REPEATED]: text('members.not_same') }),
  });
  const { form, faults, isBusy, onSubmit } = useCheckedForm({
    check,
    fields: NAMES.map((id) => ({ id, label: text(`members.${id}`) })),
    send: async () => {
      await changePassword({ current_password: values[CURRENT], new_password: values[NEW] });
      setValues(EMPTY);
      notify(text('members.password_changed'), { type: 'success' });
      await queries.invalidateQueries({ queryKey: ['sessions'] });
    },
    faultsOfError: (error) =>
      error instanceof ApiError && error.has('signin.failed') ? { [CURRENT]: error.message } : undefined,
  });
  return (
    <form onSubmit={onSubmit} noValidate ref={form}>
      {/* For password managers. */}
      <input type="text" autoComplete="username" value={username} readOnly hidden />
      <Stack maw={720}>
        <FormFault fault={faults[FIELD_OF_FORM]} />
        {NAMES.map((name) => (
          <PasswordInput
            key={name}
            label={text(`members.${name}`)}
            autoComplete={name === CURRENT ? 'current-password' : 'new-password'}
            value={values[name]}
            error={faults[name]}
            aria-invalid={faults[name] !== undefined}
            onChange={({ currentTarget }) => setValues((before) => ({ ...before, [name]: currentTarget.value }))}
          />
        ))}
        <Group>
          <Button type="submit" loading={isBusy}>
            {text('members.change_password')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
