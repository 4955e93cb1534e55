/** Changes the password of the member that is signed in. Passwords are in the fields alone, and cleared when it is done. */
import { Alert, Button, Group, PasswordInput, Stack, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { useState, type FormEvent } from 'react';
import { ApiError } from '../api/errors.js';
import { changePassword } from '../api/members.js';
import { faultsOf, FIELD_OF_FORM, type FieldErrors } from '../data/faults.js';
import { useText } from '../i18n/text.js';
import { useFaultFocus } from '../shell/use-fault-focus.js';
import { useMe } from '../shell/use-me.js';

const [CURRENT, NEW, REPEATED] = ['current_password', 'new_password', 'repeat_password'] as const;
const NAMES = [CURRENT, NEW, REPEATED];
const EMPTY = { [CURRENT]: '', [NEW]: '', [REPEATED]: '' };
/** As the service has it (docs/auth.md). */
const LEAST_LENGTH = 8;

export function PasswordForm() {
  const text = useText();
  const notify = useNotify();
  const queries = useQueryClient();
  const { data: me } = useMe();
  const [values, setValues] = useState(EMPTY);
  const [faults, setFaults] = useState<FieldErrors>({});
  const [isBusy, setBusy] = useState(false);
  const form = useFaultFocus<HTMLFormElement>(Object.keys(faults).length > 0 ? faults : undefined);
  const fields = NAMES.map((id) => ({ id, label: text(`members.${id}`) }));
  const check = (): FieldErrors => ({
    ...(values[CURRENT] === '' && { [CURRENT]: text('field.required') }),
    ...([...values[NEW]].length < LEAST_LENGTH && { [NEW]: text('members.password_short') }),
    ...(values[REPEATED] !== values[NEW] && { [REPEATED]: text('members.not_same') }),
  });
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const wrong = check();
    setFaults(wrong);
    if (Object.keys(wrong).length > 0) return;
    setBusy(true);
    try {
      await changePassword({ current_password: values[CURRENT], new_password: values[NEW] });
      setValues(EMPTY);
      notify(text('members.password_changed'), { type: 'success' });
      await queries.invalidateQueries({ queryKey: ['sessions'] });
    } catch (error) {
      const isWrong = error instanceof ApiError && error.has('signin.failed');
      setFaults(isWrong ? { [CURRENT]: error.message } : faultsOf(error, fields, text));
    } finally {
      setBusy(false);
    }
  };
  return (
    <section aria-label={text('members.password')}>
      <Title order={2} size="h4" mb="xs">
        {text('members.password')}
      </Title>
      <form onSubmit={(event) => void submit(event)} noValidate ref={form}>
        {/* For password managers. */}
        <input type="text" autoComplete="username" value={me?.username ?? ''} readOnly hidden />
        <Stack maw={720}>
          {faults[FIELD_OF_FORM] !== undefined && (
            <Alert color="red" role="alert">
              {faults[FIELD_OF_FORM]}
            </Alert>
          )}
          {NAMES.map((name) => (
            <PasswordInput
              key={name}
              label={text(`members.${name}`)}
              autoComplete={name === CURRENT ? 'current-password' : 'new-password'}
              value={values[name]}
              error={faults[name]}
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
    </section>
  );
}
