import { List, Text as Paragraph, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { useState } from 'react';
import { deleteSelected, MOST_AFFECTED, tryDeletion, type Selection } from '../api/selected.js';
import { useText } from '../i18n/text.js';
import { ActionButton } from '../shell/action.js';
import { shortened } from '../shell/shortened.js';
import { UNITS } from './source.js';
import { useKinds } from './use-kinds.js';
import { WriteDialog } from './write-dialog.js';

interface Deletion {
  readonly selections: readonly Selection[];
  /** What the only unit is called. */
  readonly name?: string;
  readonly onDone: () => void;
  /** Whether the number of units has to be typed, because nobody has chosen them one by one. */
  readonly asksForCount?: boolean;
}

/** Characters of a name in a question. */
const MOST_OF_NAME = 80;

/** A button that deletes units. */
export function DeleteUnits({ label, reason, ...about }: Deletion & { label: string; reason: string | undefined }) {
  const { start, dialog } = useDeletion(about);
  return (
    <>
      <ActionButton size="xs" color="red" variant="light" reason={reason} onClick={start}>
        {label}
      </ActionButton>
      {dialog}
    </>
  );
}

/** Deletes units, after it has tried whether they can be deleted, counted what goes along, and asked. */
export function useDeletion({ selections, name, onDone, asksForCount = false }: Deletion) {
  const text = useText();
  const notify = useNotify();
  const queries = useQueryClient();
  const [isOpen, { open, close }] = useDisclosure();
  const trial = useMutation({ mutationFn: () => tryDeletion(selections) });
  const { labelOf } = useKinds();
  const [typed, setTyped] = useState('');
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
  const start = (): void => {
    setTyped('');
    deletion.reset();
    trial.mutate();
    open();
  };
  // People write thousands with or without a separator.
  const isConfirmed = !asksForCount || typed.replace(/\D/g, '') === String(count);
  const title =
    name !== undefined
      ? text('unit.delete_one', { name: shortened(name, MOST_OF_NAME) })
      : trial.data === undefined
        ? text('unit.delete_title')
        : text('unit.delete_count', { smart_count: count });
  const dialog = (
    <WriteDialog
      isOpen={isOpen}
      title={title}
      refusedTitle={text('unit.delete_refused')}
      fault={deletion.error ?? trial.error}
      isBusy={trial.isPending || deletion.isPending}
      canConfirm={trial.isSuccess && count > 0 && isConfirmed}
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
      {asksForCount && count > 0 && (
        <TextInput
          label={text('unit.delete_type', { count })}
          inputMode="numeric"
          autoComplete="off"
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      )}
    </WriteDialog>
  );
  return { start, dialog };
}
