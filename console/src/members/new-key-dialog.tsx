/** Makes an API key, and shows it this one time. */
import { Alert, Button, CopyButton, Group, Modal, Stack, Switch, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { createKey, type ScopePart } from '../api/members.js';
import { faultsOf, FIELD_OF_FORM, type FieldErrors } from '../data/faults.js';
import { useText } from '../i18n/text.js';
import { useFaultFocus } from '../shell/use-fault-focus.js';
import { ScopeParts } from './scope-parts.js';

interface NewKeyDialogProps {
  readonly member: string;
  readonly onMade: () => void;
  readonly onClose: () => void;
}

export function NewKeyDialog({ member, onMade, onClose }: NewKeyDialogProps) {
  const text = useText();
  const [secret, setSecret] = useState<string>();
  const made = (told: string): void => {
    setSecret(told);
    onMade();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={text(secret === undefined ? 'keys.new' : 'keys.made')}
      closeOnClickOutside={false}
      // Not by accident: it is not shown again.
      closeOnEscape={secret === undefined}
    >
      {secret === undefined ? (
        <KeyForm member={member} onMade={made} onClose={onClose} />
      ) : (
        <Secret secret={secret} onClose={onClose} />
      )}
    </Modal>
  );
}

function Secret({ secret, onClose }: { secret: string; onClose: () => void }) {
  const text = useText();
  return (
    <Stack>
      <Alert color="yellow" role="status">
        {text('keys.once')}
      </Alert>
      <TextInput
        readOnly
        label={text('keys.secret')}
        value={secret}
        spellCheck={false}
        onFocus={({ currentTarget }) => currentTarget.select()}
        data-autofocus
      />
      <Group justify="end">
        <CopyButton value={secret}>
          {({ copied, copy }) => (
            <Button variant="default" onClick={copy}>
              {text(copied ? 'keys.copied' : 'keys.copy')}
            </Button>
          )}
        </CopyButton>
        <Button onClick={onClose}>{text('keys.done')}</Button>
      </Group>
    </Stack>
  );
}

interface KeyFormProps {
  readonly member: string;
  readonly onMade: (secret: string) => void;
  readonly onClose: () => void;
}

const LABELS = { label: 'keys.label', scope: 'keys.narrow', expires_at: 'keys.expires' } as const;
const NO_PART: ScopePart = { kinds: [], operations: [] };

function KeyForm({ member, onMade, onClose }: KeyFormProps) {
  const text = useText();
  const [label, setLabel] = useState('');
  const [parts, setParts] = useState<readonly ScopePart[]>();
  const [expires, setExpires] = useState('');
  const [faults, setFaults] = useState<FieldErrors>({});
  const [isBusy, setBusy] = useState(false);
  const form = useFaultFocus<HTMLFormElement>(Object.keys(faults).length > 0 ? faults : undefined);
  const fields = Object.entries(LABELS).map(([id, label]) => ({ id, label: text(label) }));
  const check = (): FieldErrors => ({
    ...(label.trim() === '' && { label: text('field.required') }),
    ...(parts?.some(({ kinds, operations }) => kinds.length === 0 || operations.length === 0) && {
      scope: text('keys.incomplete'),
    }),
    ...(expires !== '' && new Date(expires) <= new Date() && { expires_at: text('keys.past') }),
  });
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const wrong = check();
    setFaults(wrong);
    if (Object.keys(wrong).length > 0) return;
    setBusy(true);
    try {
      const end = expires === '' ? null : new Date(expires).toISOString();
      onMade(await createKey({ label: label.trim(), member, scope: parts ?? null, expires_at: end }));
    } catch (error) {
      setFaults(faultsOf(error, fields, text));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)} noValidate ref={form}>
      <Stack>
        {faults[FIELD_OF_FORM] !== undefined && (
          <Alert color="red" role="alert">
            {faults[FIELD_OF_FORM]}
          </Alert>
        )}
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
            {text('keys.create')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
