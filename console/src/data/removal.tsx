/** Removes a unit of a list, once that is confirmed. */
import { Text as Paragraph } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { WriteDialog } from './write-dialog.js';

interface Removal<Unit> {
  /** The unit that is asked about. */
  readonly asked: Unit | undefined;
  readonly ask: (unit: Unit) => void;
  readonly confirm: () => void;
  readonly cancel: () => void;
  readonly fault: Error | null;
  readonly isBusy: boolean;
}

export function useRemoval<Unit extends { readonly id: string }>(
  remove: (id: string) => Promise<void>,
  onRemoved: () => Promise<void>,
): Removal<Unit> {
  const [asked, setAsked] = useState<Unit>();
  const removed = useMutation({
    mutationFn: remove,
    onSuccess: async () => {
      setAsked(undefined);
      await onRemoved();
    },
  });
  return {
    asked,
    ask: (unit) => {
      removed.reset();
      setAsked(unit);
    },
    confirm: () => asked && removed.mutate(asked.id),
    cancel: () => setAsked(undefined),
    fault: removed.error,
    isBusy: removed.isPending,
  };
}

interface RemovalDialogProps {
  readonly removal: Omit<Removal<object>, 'ask'>;
  readonly title: string;
  readonly refusedTitle: string;
  readonly confirm: string;
  /** What follows from it. */
  readonly children: ReactNode;
}

export function RemovalDialog({ removal, title, refusedTitle, confirm, children }: RemovalDialogProps) {
  return (
    <WriteDialog
      isOpen={removal.asked !== undefined}
      title={title}
      refusedTitle={refusedTitle}
      fault={removal.fault}
      isBusy={removal.isBusy}
      canConfirm
      confirm={confirm}
      color="red"
      onConfirm={removal.confirm}
      onClose={removal.cancel}
    >
      <Paragraph size="sm">{children}</Paragraph>
    </WriteDialog>
  );
}
