/** Makes an API key, and shows it this one time; edits one. */
import { Alert, Button, CopyButton, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useNotify } from 'ra-core';
import { useState } from 'react';
import { createKey, updateKey, type ApiKey, type KeySettings } from '../api/members.js';
import { useText } from '../i18n/text.js';
import { KeyForm } from './key-form.js';

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
        <KeyForm
          known={undefined}
          submitLabel={text('keys.create')}
          onSend={async (settings) => made(await createKey({ ...settings, member }))}
          onClose={onClose}
        />
      ) : (
        <ShownSecret label={text('keys.secret')} secret={secret} onClose={onClose} />
      )}
    </Modal>
  );
}

interface ShownSecretProps {
  readonly label: string;
  readonly secret: string;
  readonly onClose: () => void;
}

/** A secret that is told this one time. */
export function ShownSecret({ label, secret, onClose }: ShownSecretProps) {
  const text = useText();
  return (
    <Stack>
      <Alert color="yellow" role="status">
        {text('keys.once')}
      </Alert>
      <TextInput
        readOnly
        label={label}
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

interface EditKeyDialogProps {
  readonly edited: ApiKey;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** The key itself stays as it is. */
export function EditKeyDialog({ edited, onDone, onClose }: EditKeyDialogProps) {
  const text = useText();
  const notify = useNotify();
  const save = async (settings: KeySettings): Promise<void> => {
    await updateKey(edited, settings);
    notify(text('keys.saved'), { type: 'success' });
    onDone();
    onClose();
  };
  return (
    <Modal opened onClose={onClose} size="lg" title={text('keys.edit_title')} closeOnClickOutside={false}>
      <KeyForm known={edited} submitLabel={text('unit.save')} onSend={save} onClose={onClose} />
    </Modal>
  );
}
