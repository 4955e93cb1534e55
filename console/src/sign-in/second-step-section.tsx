/** The authenticator app of the member: set up, its recovery codes, removed. */
import { Button, CopyButton, Group, Stack, Text as Paragraph, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { useState } from 'react';
import {
  beginApp,
  confirmApp,
  getSecondStep,
  removeApp,
  renewRecoveryCodes,
  type NewApp,
  type SecondStep,
} from '../api/second-step.js';
import { FIELD_OF_FORM } from '../data/faults.js';
import { WriteDialog } from '../data/write-dialog.js';
import { useText } from '../i18n/text.js';
import { useCheckedForm } from '../members/use-checked-form.js';
import { FormFault } from '../model/form-parts.js';
import { PageError, Waiting } from '../shell/page-states.js';
import { codeFault, CodeInput } from './code-input.js';
import { QrCode } from './qr-code.js';
import { RecoveryCodes } from './recovery-codes.js';

const KEY = ['second-step'];

export function SecondStepSection() {
  const text = useText();
  return (
    <section aria-label={text('ways.second_step')}>
      <Title order={2} size="h4" mb="xs">
        {text('ways.second_step')}
      </Title>
      <SecondStepForms />
    </section>
  );
}

/** @param isBrief whether it is said elsewhere what there is */
export function SecondStepForms({ isBrief = false }: { readonly isBrief?: boolean }) {
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery({ queryKey: KEY, queryFn: getSecondStep, retry: false });
  const [codes, setCodes] = useState<readonly string[]>();
  const changed = async (told?: readonly string[]): Promise<void> => {
    setCodes(told);
    await queries.invalidateQueries({ queryKey: KEY });
    await queries.invalidateQueries({ queryKey: ['sessions'] });
  };
  return (
    <>
      {error && <PageError error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Waiting />}
      {data && !data.totp && <NoApp step={data} isBrief={isBrief} onConfirmed={changed} />}
      {data?.totp && !isBrief && <App step={data} onChanged={changed} />}
      {codes && <RecoveryCodes codes={codes} onClose={() => setCodes(undefined)} />}
    </>
  );
}

type Changed = (codes?: readonly string[]) => Promise<void>;

interface NoAppProps {
  readonly step: SecondStep;
  readonly isBrief: boolean;
  readonly onConfirmed: Changed;
}

function NoApp({ step, isBrief, onConfirmed }: NoAppProps) {
  const text = useText();
  const none = step.password ? 'ways.none' : 'ways.none_no_password';
  const begin = useMutation({ mutationFn: beginApp });
  if (begin.data) return <NewAppForm app={begin.data} onConfirmed={onConfirmed} />;
  return (
    <Stack maw={720} align="start">
      {!isBrief && <Paragraph size="sm">{text(step.passkeys > 0 ? 'ways.none_but_passkey' : none)}</Paragraph>}
      {begin.error && <PageError error={begin.error} />}
      <Button variant="default" loading={begin.isPending} onClick={() => begin.mutate()}>
        {text('ways.begin')}
      </Button>
    </Stack>
  );
}

interface NewAppFormProps {
  readonly app: NewApp;
  readonly onConfirmed: Changed;
}

function NewAppForm({ app: { secret, uri }, onConfirmed }: NewAppFormProps) {
  const text = useText();
  const [code, setCode] = useState('');
  const { form, faults, isBusy, onSubmit } = useCheckedForm({
    check: () => ({ ...(code.trim() === '' && { code: text('ways.code_missing') }) }),
    fields: [{ id: 'code', label: text('ways.code') }],
    send: async () => onConfirmed(await confirmApp(code.trim())),
    faultsOfError: codeFault,
  });
  return (
    <form onSubmit={onSubmit} noValidate ref={form}>
      <Stack maw={720}>
        <Paragraph size="sm">{text('ways.scan')}</Paragraph>
        <QrCode content={uri} label={text('ways.qr')} />
        <Group align="end">
          <TextInput
            readOnly
            flex={1}
            label={text('ways.secret')}
            value={secret}
            spellCheck={false}
            onFocus={({ currentTarget }) => currentTarget.select()}
          />
          <CopyButton value={secret}>
            {({ copied, copy }) => (
              <Button variant="default" onClick={copy}>
                {text(copied ? 'ways.copied' : 'ways.copy_secret')}
              </Button>
            )}
          </CopyButton>
        </Group>
        <FormFault fault={faults[FIELD_OF_FORM]} />
        <CodeInput
          label={text('ways.code')}
          description={text('ways.others_end')}
          value={code}
          fault={faults['code']}
          onChange={setCode}
        />
        <Group>
          <Button type="submit" loading={isBusy}>
            {text('ways.confirm')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function App({ step, onChanged }: { readonly step: SecondStep; readonly onChanged: Changed }) {
  const text = useText();
  const notify = useNotify();
  const [asked, setAsked] = useState<'renew' | 'remove'>();
  const close = (): void => setAsked(undefined);
  const renew = useMutation({
    mutationFn: renewRecoveryCodes,
    onSuccess: (codes) => {
      close();
      return onChanged(codes);
    },
  });
  const remove = useMutation({
    mutationFn: removeApp,
    onSuccess: () => {
      close();
      notify(text('ways.removed'), { type: 'success' });
      return onChanged();
    },
  });
  const dialogs = { renew, remove } as const;
  return (
    <Stack maw={720} align="start">
      <Paragraph size="sm">
        {text('ways.is_on')} {text('ways.codes_left', { smart_count: step.recovery_codes })}
      </Paragraph>
      <Group gap="xs">
        {(['renew', 'remove'] as const).map((name) => (
          <Button
            key={name}
            variant="default"
            onClick={() => {
              dialogs[name].reset();
              setAsked(name);
            }}
          >
            {text(`ways.${name}`)}
          </Button>
        ))}
      </Group>
      {asked && (
        <WriteDialog
          isOpen
          title={text(`ways.${asked}_title`)}
          refusedTitle={text('ways.refused')}
          fault={dialogs[asked].error}
          isBusy={dialogs[asked].isPending}
          canConfirm
          confirm={text(`ways.${asked}`)}
          {...(asked === 'remove' && { color: 'red' })}
          onConfirm={() => dialogs[asked].mutate()}
          onClose={close}
        >
          <Paragraph size="sm">{text(`ways.${asked}_text`)}</Paragraph>
        </WriteDialog>
      )}
    </Stack>
  );
}
