/** The name, scope and end of an API key, and whether an agent has it: of a new one, or of one that is edited. */
import { Button, Group, Stack, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { KeySettings, ScopePart } from '../api/members.js';
import { FIELD_OF_FORM, type FieldErrors } from '../data/faults.js';
import { useText } from '../i18n/text.js';
import { FormFault } from '../model/form-parts.js';
import { ScopeParts } from './scope-parts.js';
import { useCheckedForm } from './use-checked-form.js';

interface KeyFormProps {
  /** Undefined for a new one. */
  readonly known: KeySettings | undefined;
  readonly submitLabel: string;
  /** @throws ApiError */
  readonly onSend: (settings: KeySettings) => Promise<void>;
  readonly onClose: () => void;
}

const LABELS = { label: 'keys.label', scope: 'keys.narrow', expires_at: 'keys.expires' } as const;
const NO_PART: ScopePart = { kinds: [], operations: [] };

export function KeyForm({ known, submitLabel, onSend, onClose }: KeyFormProps) {
  const text = useText();
  const [label, setLabel] = useState(known?.label ?? '');
  const [parts, setParts] = useState(known?.scope ?? undefined);
  const [isAgent, setAgent] = useState(known?.agent === true);
  const [writes, setWrites] = useState(known?.writes === true);
  const [before] = useState(() => inputOfTime(known?.expires_at ?? null));
  const [expires, setExpires] = useState(before);
  const isEnded = expires !== '' && new Date(expires) <= new Date();
  const check = (): FieldErrors => ({
    ...(label.trim() === '' && { label: text('field.required') }),
    ...(parts?.some(({ kinds, operations }) => kinds.length === 0 || operations.length === 0) && {
      scope: text('keys.incomplete'),
    }),
    // A key that has ended may keep its end.
    ...(isEnded && expires !== before && { expires_at: text('keys.past') }),
  });
  const { form, faults, isBusy, onSubmit } = useCheckedForm({
    check,
    fields: Object.entries(LABELS).map(([id, name]) => ({ id, label: text(name) })),
    send: () => {
      const end = expires === '' ? null : new Date(expires).toISOString();
      // The field shows minutes: an end that is not changed stays to the second.
      const kept = known !== undefined && expires === before;
      return onSend({
        label: label.trim(),
        scope: parts ?? null,
        expires_at: kept ? known.expires_at : end,
        agent: isAgent,
        writes: isAgent && writes,
      });
    },
  });
  return (
    <form onSubmit={onSubmit} noValidate ref={form}>
      <Stack>
        <FormFault fault={faults[FIELD_OF_FORM]} />
        <TextInput
          label={text('keys.label')}
          value={label}
          onChange={({ currentTarget }) => setLabel(currentTarget.value)}
          error={faults['label']}
          withAsterisk
          aria-required
          data-autofocus
        />
        <Switch
          label={text('keys.agent')}
          description={text('keys.agent_text')}
          checked={isAgent}
          onChange={({ currentTarget }) => setAgent(currentTarget.checked)}
        />
        {isAgent && (
          <Switch
            label={text('keys.writes')}
            description={text('keys.writes_text')}
            checked={writes}
            onChange={({ currentTarget }) => setWrites(currentTarget.checked)}
          />
        )}
        <Switch
          label={text('keys.narrow')}
          description={text('keys.narrow_text')}
          checked={parts !== undefined}
          onChange={({ currentTarget }) => setParts(currentTarget.checked ? [NO_PART] : undefined)}
        />
        {parts && <ScopeParts parts={parts} fault={faults['scope']} onChange={setParts} />}
        <TextInput
          type="datetime-local"
          label={text('keys.expires')}
          description={text('keys.expires_text')}
          value={expires}
          onChange={({ currentTarget }) => setExpires(currentTarget.value)}
          error={faults['expires_at']}
        />
        <Group justify="end">
          <Button variant="default" onClick={onClose}>
            {text('app.cancel')}
          </Button>
          <Button type="submit" loading={isBusy}>
            {submitLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** A time as the field has it, in the time zone of the browser; empty for null. */
function inputOfTime(time: string | null): string {
  if (time === null) return '';
  const at = new Date(time);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
