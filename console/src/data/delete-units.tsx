import { Alert, Button, Group, List, Modal, Stack, Text as Paragraph } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { deleteUnits } from '../api/units.js';
import { useText } from '../i18n/text.js';

/** The most units that are deleted at once, as many as a batch has operations. */
const MOST = 100;

interface DeleteUnitsProps {
  readonly kind: string;
  readonly ids: readonly string[];
  readonly onDone: () => void;
}

/** A button that deletes units, after it has tried whether they can be deleted. */
export function DeleteUnits({ kind, ids, onDone }: DeleteUnitsProps) {
  const text = useText();
  const notify = useNotify();
  const queries = useQueryClient();
  const [isOpen, { open, close }] = useDisclosure();
  const trial = useMutation({ mutationFn: () => deleteUnits(kind, ids, { dryRun: true }) });
  const deletion = useMutation({
    mutationFn: () => deleteUnits(kind, ids),
    onSuccess: async () => {
      notify(text('unit.deleted', { smart_count: ids.length }), { type: 'success' });
      close();
      onDone();
      await queries.invalidateQueries({ queryKey: ['units', kind] });
    },
  });
  const fault = deletion.error ?? trial.error;
  return (
    <>
      <Button
        size="xs"
        color="red"
        variant="light"
        disabled={ids.length > MOST}
        onClick={() => {
          deletion.reset();
          trial.mutate();
          open();
        }}
      >
        {text('unit.delete')}
      </Button>
      <Modal opened={isOpen} onClose={close} title={text('unit.delete_title', { smart_count: ids.length })}>
        <Stack>
          <Paragraph size="sm">{text('unit.delete_text')}</Paragraph>
          {fault && (
            <Alert color="red" title={text('unit.delete_refused')} role="alert">
              <List size="sm">
                {fault.message.split('\n').map((line) => (
                  <List.Item key={line}>{line}</List.Item>
                ))}
              </List>
            </Alert>
          )}
          <Group justify="end">
            <Button variant="default" onClick={close} data-autofocus>
              {text('app.cancel')}
            </Button>
            <Button
              color="red"
              disabled={trial.isError}
              loading={trial.isPending || deletion.isPending}
              onClick={() => deletion.mutate()}
            >
              {text('unit.delete')}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
