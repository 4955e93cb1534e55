/** Shows a secret this one time. */
import { Modal } from '@mantine/core';
import { useText } from '../i18n/text.js';
import { ShownSecret } from '../members/key-dialogs.js';

interface SecretDialogProps {
  readonly title: string;
  readonly secret: string;
  readonly onClose: () => void;
}

export function SecretDialog({ title, secret, onClose }: SecretDialogProps) {
  const text = useText();
  return (
    // Not closed by accident: it is not shown again.
    <Modal opened onClose={onClose} size="lg" title={title} closeOnClickOutside={false} closeOnEscape={false}>
      <ShownSecret label={text('webhooks.secret')} secret={secret} onClose={onClose} />
    </Modal>
  );
}
