/** The settings of the project that its administrators change: those of files. */
import { Button, Group, NumberInput, Select, Stack, Text as Paragraph, Textarea, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { useState } from 'react';
import { changeFileSettings, getFileSettings, type FileSettings } from '../api/files.js';
import { FIELD_OF_FORM } from '../data/faults.js';
import { useText } from '../i18n/text.js';
import { useCheckedForm } from '../members/use-checked-form.js';
import { FormFault } from '../model/form-parts.js';
import { PageError, Waiting } from '../shell/page-states.js';

const FIELDS = ['image_sizes', 'originals', 'file_url_seconds'] as const;
const ORIGINALS = ['all', 'owner'] as const;

export function SettingsPage() {
  const text = useText();
  const { data, error, refetch } = useQuery({
    queryKey: ['file-settings'],
    queryFn: getFileSettings,
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
      {data && <FileSettingsForm stored={data} />}
      <Paragraph size="sm" c="dimmed">
        {text('settings.others')}
      </Paragraph>
    </div>
  );
}

function FileSettingsForm({ stored }: { readonly stored: FileSettings }) {
  const text = useText();
  const notify = useNotify();
  const [before, setBefore] = useState(stored);
  const [values, setValues] = useState<Typed>(stored);
  const set = (changed: Partial<Typed>): void => setValues((now) => ({ ...now, ...changed }));
  const changed = Object.fromEntries(FIELDS.flatMap((id) => (values[id] === before[id] ? [] : [[id, values[id]]])));
  const { form, faults, isBusy, onSubmit } = useCheckedForm({
    check: () => ({ ...(values.file_url_seconds === '' && { file_url_seconds: text('field.required') }) }),
    fields: FIELDS.map((id) => ({ id, label: text(`settings.${id}`) })),
    send: async () => {
      const now = await changeFileSettings(changed);
      setBefore(now);
      setValues(now);
      notify(text('settings.saved'), { type: 'success' });
    },
  });
  return (
    <section aria-label={text('settings.files')}>
      <Title order={2} size="h4" mb="xs">
        {text('settings.files')}
      </Title>
      <form onSubmit={onSubmit} noValidate ref={form}>
        <Stack maw={720}>
          <FormFault fault={faults[FIELD_OF_FORM]} />
          <Textarea
            label={text('settings.image_sizes')}
            description={text('settings.image_sizes_help')}
            autosize
            spellCheck={false}
            value={values.image_sizes}
            error={faults['image_sizes']}
            onChange={({ currentTarget }) => set({ image_sizes: currentTarget.value })}
          />
          <Select
            label={text('settings.originals')}
            description={text('settings.originals_help')}
            data={ORIGINALS.map((value) => ({ value, label: text(`settings.originals_${value}`) }))}
            allowDeselect={false}
            value={values.originals}
            error={faults['originals']}
            onChange={(value) => value !== null && set({ originals: value })}
          />
          <NumberInput
            label={text('settings.file_url_seconds')}
            description={text('settings.file_url_seconds_help')}
            allowDecimal={false}
            value={values.file_url_seconds}
            error={faults['file_url_seconds']}
            onChange={(value) => set({ file_url_seconds: typeof value === 'number' ? value : '' })}
          />
          <Group>
            <Button type="submit" loading={isBusy} disabled={Object.keys(changed).length === 0}>
              {text('settings.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </section>
  );
}

type Typed = Omit<FileSettings, 'file_url_seconds'> & { readonly file_url_seconds: number | '' };
