/** Recovery codes, which are told this one time: to copy, to save as a file, to print. */
import { Alert, Button, CopyButton, Group, Modal, SimpleGrid, Stack, Text as Paragraph } from '@mantine/core';
import { session } from '../api/session.js';
import { pickFile, saveFile } from '../data/transfer/save-file.js';
import { useText } from '../i18n/text.js';
import './sign-in.css';

interface RecoveryCodesProps {
  readonly codes: readonly string[];
  readonly onClose: () => void;
}

export function RecoveryCodes({ codes, onClose }: RecoveryCodesProps) {
  const text = useText();
  const lines = `${codes.join('\n')}\n`;
  const download = async (): Promise<void> => {
    const name = text('ways.file', { project: session.project });
    try {
      await saveFile(new Response(lines), name, await pickFile(name));
    } catch (error) {
      // Nobody has chosen a place.
      if (!(error instanceof DOMException && error.name === 'AbortError')) throw error;
    }
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={text('ways.codes')}
      // Not by accident: they are not shown again.
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
      className="recovery-codes"
    >
      <Stack>
        <Alert color="yellow" role="status">
          {text('ways.codes_text')}
        </Alert>
        <SimpleGrid cols={2} component="ul" aria-label={text('ways.codes')} className="recovery-code-list">
          {codes.map((code) => (
            <Paragraph key={code} component="li" ff="monospace">
              {code}
            </Paragraph>
          ))}
        </SimpleGrid>
        <Group justify="space-between" className="recovery-code-actions">
          <Group gap="xs">
            <CopyButton value={lines}>
              {({ copied, copy }) => (
                <Button variant="default" onClick={copy}>
                  {text(copied ? 'ways.copied' : 'ways.copy')}
                </Button>
              )}
            </CopyButton>
            <Button variant="default" onClick={() => void download()}>
              {text('ways.download')}
            </Button>
            <Button variant="default" onClick={() => window.print()}>
              {text('ways.print')}
            </Button>
          </Group>
          <Button onClick={onClose} data-autofocus>
            {text('ways.done')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
