/** The e-mail address of the member: proved by a code that is mailed, and changed when another one is proved. */
import { Alert, Badge, Button, Group, Stack, Text as Paragraph, TextInput, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changeAddress, mailProof, proveAddress } from '../api/address.js';
import type { Member } from '../api/types.js';
import { FIELD_OF_FORM } from '../data/faults.js';
import { useText } from '../i18n/text.js';
import { useCheckedForm } from '../members/use-checked-form.js';
import { FormFault } from '../model/form-parts.js';
import { PageError } from '../shell/page-states.js';
import { codeFault, CodeInput } from './code-input.js';

interface OfMember {
  readonly me: Member;
}

export function AddressSection({ me }: OfMember) {
  const text = useText();
  return (
    <section aria-label={text('address.title')}>
      <Title order={2} size="h4" mb="xs">
        {text('address.title')}
      </Title>
      <AddressForms me={me} />
    </section>
  );
}

export function AddressForms({ me: { email, email_verified_at: provedAt } }: OfMember) {
  const text = useText();
  const isProved = provedAt !== null;
  const [isChanging, setChanging] = useState(false);
  const [sent, setSent] = useState<string>();
  const mail = useMutation({
    mutationFn: mailProof,
    onMutate: () => setSent(undefined),
    onSuccess: () => setSent(text('address.sent', { email })),
  });
  const done = (): void => {
    setChanging(false);
    setSent(undefined);
  };
  return (
    <Stack maw={720} align="stretch">
      <Group gap="xs">
        <Paragraph size="sm" className="text-of-tenant">
          {email}
        </Paragraph>
        <Badge variant="default">{text(isProved ? 'address.proved' : 'address.not_proved')}</Badge>
      </Group>
      {!isProved && <Paragraph size="sm">{text('address.why')}</Paragraph>}
      <Group gap="xs">
        {!isProved && (
          <Button variant="default" loading={mail.isPending} onClick={() => mail.mutate()}>
            {text('address.send')}
          </Button>
        )}
        <Button variant="default" aria-expanded={isChanging} onClick={() => setChanging(!isChanging)}>
          {text('address.change')}
        </Button>
      </Group>
      {mail.error && <PageError error={mail.error} />}
      {isChanging && <NewAddressForm onSent={(to) => setSent(text('address.sent_to_new', { email: to }))} />}
      <div role="status">{sent !== undefined && <Alert>{sent}</Alert>}</div>
      {(!isProved || isChanging) && <CodeForm onProved={done} />}
    </Stack>
  );
}

function NewAddressForm({ onSent }: { readonly onSent: (email: string) => void }) {
  const text = useText();
  const [email, setEmail] = useState('');
  const { form, faults, isBusy, onSubmit } = useCheckedForm({
    check: () => ({ ...(email.trim() === '' && { email: text('field.required') }) }),
    fields: [{ id: 'email', label: text('address.new') }],
    send: async () => {
      await changeAddress(email.trim());
      onSent(email.trim());
    },
  });
  return (
    <form onSubmit={onSubmit} noValidate ref={form}>
      <Stack>
        <FormFault fault={faults[FIELD_OF_FORM]} />
        <TextInput
          type="email"
          label={text('address.new')}
          description={text('address.change_text')}
          autoComplete="email"
          value={email}
          error={faults['email']}
          aria-invalid={faults['email'] !== undefined}
          onChange={({ currentTarget }) => setEmail(currentTarget.value)}
        />
        <Group>
          <Button type="submit" variant="default" loading={isBusy}>
            {text('address.send_to_new')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function CodeForm({ onProved }: { readonly onProved: () => void }) {
  const text = useText();
  const queries = useQueryClient();
  const [code, setCode] = useState('');
  const { form, faults, isBusy, onSubmit } = useCheckedForm({
    check: () => ({ ...(code.trim() === '' && { code: text('field.required') }) }),
    fields: [{ id: 'code', label: text('address.code') }],
    send: async () => {
      await proveAddress(code.trim());
      await queries.invalidateQueries({ queryKey: ['me'] });
      onProved();
    },
    faultsOfError: codeFault,
  });
  return (
    <form onSubmit={onSubmit} noValidate ref={form}>
      <Stack>
        <FormFault fault={faults[FIELD_OF_FORM]} />
        <CodeInput label={text('address.code')} value={code} fault={faults['code']} onChange={setCode} />
        <Group>
          <Button type="submit" loading={isBusy}>
            {text('address.prove')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
