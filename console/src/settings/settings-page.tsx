/** The settings of the project that its administrators change, in the groups of `settings.ts`. */
import { Button, Group, NumberInput, Select, Stack, Switch, Text as Paragraph, Textarea, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { useState } from 'react';
import {
  changeSettings,
  getSettings,
  losesPasskeys,
  type ProjectSettings,
  type SettingValue,
} from '../api/settings.js';
import { FIELD_OF_FORM } from '../data/faults.js';
import { WriteDialog } from '../data/write-dialog.js';
import { useText } from '../i18n/text.js';
import { useCheckedForm } from '../members/use-checked-form.js';
import { FormFault } from '../model/form-parts.js';
import { PageError, Waiting } from '../shell/page-states.js';
import { ProvidersSection } from './providers-section.js';
import { GROUPS, type Setting } from './settings.js';

export function SettingsPage() {
  const text = useText();
  const { data, error, refetch } = useQuery({
    queryKey: ['settings'],
    queryFn: getSettings,
    retry: false,
    // What is typed stays.
    refetchOnWindowFocus: false,
    gcTime: 0,
  });
  return (
    <div className="page" style={{ overflow: 'auto' }}>
      <Title order={1} size="h3">
        {text('settings.title')}
      </Title>
      {error && <PageError error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Waiting />}
      {data && GROUPS.map((group) => <SettingsForm key={group.id} {...group} stored={data} />)}
      {data && <ProvidersSection />}
      <Paragraph size="sm" c="dimmed">
        {text('settings.others')}
      </Paragraph>
    </div>
  );
}

type SettingsFormProps = (typeof GROUPS)[number] & { readonly stored: ProjectSettings };

function SettingsForm({ id: group, settings, stored }: SettingsFormProps) {
  const text = useText();
  const notify = useNotify();
  // A release has those that it knows.
  const shown = settings.filter(({ id }) => id in stored);
  const [before, setBefore] = useState(stored);
  const [values, setValues] = useState(stored);
  const changed = Object.fromEntries(
    shown.flatMap(({ id }): [string, SettingValue][] => (values[id] === before[id] ? [] : [[id, values[id] ?? null]])),
  );
  const save = async (isMeant: boolean): Promise<void> => {
    const now = await changeSettings(changed, isMeant);
    setBefore(now);
    setValues(now);
    notify(text('settings.saved'), { type: 'success' });
  };
  const [isAsking, { open: ask, close }] = useDisclosure();
  const meant = useMutation({ mutationFn: () => save(true), onSuccess: close });
  const { form, faults, isBusy, onSubmit } = useCheckedForm({
    check: () => {
      const missing = shown.filter(({ id, type }) => type === 'number' && values[id] === '');
      return Object.fromEntries(missing.map(({ id }) => [id, text('field.required')]));
    },
    fields: shown.map(({ id }) => ({ id, label: text(`settings.${id}`) })),
    send: () => save(false),
    faultsOfError: (error) => {
      if (!losesPasskeys(error)) return undefined;
      meant.reset();
      ask();
      return {};
    },
  });
  return (
    <section aria-label={text(`settings.${group}`)}>
      <Title order={2} size="h4" mb="xs">
        {text(`settings.${group}`)}
      </Title>
      <form onSubmit={onSubmit} noValidate ref={form}>
        <Stack maw={720}>
          <FormFault fault={faults[FIELD_OF_FORM]} />
          {shown.map((setting) => (
            <SettingInput
              key={setting.id}
              setting={setting}
              value={values[setting.id] ?? null}
              fault={faults[setting.id]}
              onChange={(value) => setValues((now) => ({ ...now, [setting.id]: value }))}
            />
          ))}
          <Group>
            <Button type="submit" loading={isBusy} disabled={Object.keys(changed).length === 0}>
              {text('settings.save')}
            </Button>
          </Group>
        </Stack>
      </form>
      <WriteDialog
        isOpen={isAsking}
        title={text('settings.loses_passkeys')}
        refusedTitle={text('settings.refused')}
        fault={meant.error}
        isBusy={meant.isPending}
        canConfirm
        confirm={text('settings.save_anyway')}
        color="red"
        onConfirm={() => meant.mutate()}
        onClose={close}
      >
        {text('settings.loses_passkeys_help')}
      </WriteDialog>
    </section>
  );
}

interface SettingInputProps {
  readonly setting: Setting;
  readonly value: SettingValue;
  readonly fault: string | undefined;
  readonly onChange: (value: SettingValue) => void;
}

function SettingInput({ setting, value, fault, onChange }: SettingInputProps) {
  const text = useText();
  const shared = {
    label: text(`settings.${setting.id}`),
    description: text(`settings.${setting.id}_help`),
    error: fault,
  };
  switch (setting.type) {
    case 'flag':
      return (
        <Switch
          {...shared}
          checked={value === true}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
      );
    case 'choice':
      return (
        <Select
          {...shared}
          data={setting.labels.map((label) => ({ value: wordOf(label), label: text(`settings.${label}`) }))}
          allowDeselect={false}
          value={String(value)}
          onChange={(chosen) => chosen !== null && onChange(chosen)}
        />
      );
    case 'number':
      return (
        <NumberInput
          {...shared}
          allowDecimal={false}
          value={typeof value === 'number' ? value : ''}
          onChange={(typed) => onChange(typeof typed === 'number' ? typed : '')}
        />
      );
    case 'text':
      return (
        <Textarea
          {...shared}
          autosize
          spellCheck={false}
          value={String(value ?? '')}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
      );
  }
}

/** The word of a setting that a label is of: `all` of `originals_all`. */
function wordOf(label: string): string {
  return label.slice(label.lastIndexOf('_') + 1);
}
