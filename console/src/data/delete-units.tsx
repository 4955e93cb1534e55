import { Button, List, Text as Paragraph } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { deleteSelected, MOST_AFFECTED, tryDeletion, type Selection } from '../api/selected.js';
import { useText } from '../i18n/text.js';
import { UNITS } from './source.js';
import { useKinds } from './use-kinds.js';
import { WriteDialog } from './write-dialog.js';

interface DeleteUnitsProps {
  readonly label: string;
  readonly selections: readonly Selection[];
  readonly onDone: () => void;
}

/** A button that deletes units, after it has tried whether they can be deleted, and counted what goes along. */
export function DeleteUnits({ label, selections, onDone }: DeleteUnitsProps) {
  const text = useText();
  const notify = useNotify();
  const queries = useQueryClient();
  const [isOpen, { open, close }] = useDisclosure();
  const trial = useMutation({ mutationFn: () => tryDeletion(selections) });
  const { own, builtIn } = useKinds();
  const labelOf = (kind: string): string => [...own, ...builtIn].find(({ id }) => id === kind)?.label ?? kind;
  const { count = 0, along = [] } = trial.data ?? {};
  const deletion = useMutation({
    // Not more than were asked about.
    mutationFn: () => deleteSelected(selections, { most: Math.min(Math.max(count, 1), MOST_AFFECTED) }),
    onSuccess: async (deleted) => {
      notify(text('unit.deleted', { smart_count: deleted }), { type: 'success' });
      close();
      onDone();
      await queries.invalidateQueries({ queryKey: [UNITS] });
    },
  });
  return (
    <>
      <Button
        size="xs"
        color="red"
        variant="light"
        onClick={() => {
          deletion.reset();
          trial.mutate();
          open();
        }}
      >
        {label}
      </Button>
      <WriteDialog
        isOpen={isOpen}
        title={trial.data === undefined ? text('unit.delete_title') : text('unit.delete_count', { smart_count: count })}
        refusedTitle={text('unit.delete_refused')}
        fault={deletion.error ?? trial.error}
        isBusy={trial.isPending || deletion.isPending}
        canConfirm={trial.isSuccess && count > 0}
        confirm={text('unit.delete')}
        color="red"
        onConfirm={() => deletion.mutate()}
        onClose={close}
      >
        <Paragraph size="sm">{text('unit.delete_text')}</Paragraph>
        {along.length > 0 && (
          <List size="sm">
            {along.map(({ kind, parameter = '', units }) => (
              <List.Item key={`${kind} ${parameter}`}>
                {units === null
                  ? text(parameter === '' ? 'unit.along_some' : 'unit.along_some_cleared', {
                      kind: labelOf(kind),
                      parameter,
                    })
                  : text(parameter === '' ? 'unit.along' : 'unit.along_cleared', {
                      smart_count: units,
                      kind: labelOf(kind),
                      parameter,
                    })}
              </List.Item>
            ))}
          </List>
        )}
      </WriteDialog>
    </>
  );
}
