/** Makes a webhook. */
import { Button, Group, Modal, MultiSelect, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { createWebhook } from '../api/webhooks.js';
import { FIELD_OF_FORM, type FieldErrors } from '../data/faults.js';
import { useKinds } from '../data/use-kinds.js';
import { useText } from '../i18n/text.js';
import { useCheckedForm } from '../members/use-checked-form.js';
import { FormFault } from '../model/form-parts.js';

interface NewWebhookProps {
  readonly onMade: (secret: string) => void;
  readonly onClose: () => void;
}

const FIELDS = ['label', 'url', 'kinds', 'filter'] as const;

export function NewWebhook({ onMade, onClose }: NewWebhookProps) {
  const text = useText();
  const { own } = useKinds();
  const [label, setLabel] = useState('');
  const [url, setUrl] = useState('');
  const [kinds, setKinds] = useState<string[]>([]);
  const [filter, setFilter] = useState('');
  const check = (): FieldErrors => ({
    ...(label.trim() === '' && { label: text('field.required') }),
    ...(url.trim() === '' && { url: text('field.required') }),
  });
  const { form, faults, isBusy, onSubmit } = useCheckedForm({
    check,
    fields: FIELDS.map((id) => ({ id, label: text(`webhooks.${id}`) })),
    send: async () =>
      onMade(
        await createWebhook({
          label: label.trim(),
          url: url.trim(),
          kinds: kinds.length > 0 ? kinds : null,
          filter: filter.trim() || null,
        }),
      ),
  });
  return (
    <Modal opened onClose={onClose} size="lg" title={text('webhooks.new')} closeOnClickOutside={false}>
      <form onSubmit={onSubmit} noValidate ref={form}>
        <Stack>
          <FormFault fault={faults[FIELD_OF_FORM]} />
          <TextInput
            label={text('webhooks.label')}
            value={label}
            onChange={({ currentTarget }) => setLabel(currentTarget.value)}
            error={faults['label']}
            withAsterisk
            aria-required
            data-autofocus
          />
          <TextInput
            label={text('webhooks.url')}
            description={text('webhooks.url_help')}
            value={url}
            onChange={({ currentTarget }) => setUrl(currentTarget.value)}
            error={faults['url']}
            withAsterisk
            aria-required
            spellCheck={false}
          />
          <MultiSelect
            label={text('webhooks.kinds')}
            description={text('webhooks.kinds_help')}
            data={own.map(({ id, label: name }) => ({ value: id, label: name }))}
            value={kinds}
            onChange={setKinds}
            error={faults['kinds']}
            searchable
          />
          <TextInput
            label={text('webhooks.filter')}
            description={text('webhooks.filter_help')}
            value={filter}
            onChange={({ currentTarget }) => setFilter(currentTarget.value)}
            error={faults['filter']}
            spellCheck={false}
          />
          <Group justify="end">
            <Button variant="default" onClick={onClose}>
              {text('app.cancel')}
            </Button>
            <Button type="submit" loading={isBusy}>
              {text('webhooks.create')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
