import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { deleteLink, type LinkAddress } from '../api/links.js';
import { WriteDialog } from '../data/write-dialog.js';
import { useText } from '../i18n/text.js';

/** A button that deletes a link, after a question. */
export function RemoveLink({ link, name, onDone }: { link: LinkAddress; name: string; onDone: () => void }) {
  const text = useText();
  const [isOpen, { open, close }] = useDisclosure();
  const deletion = useMutation({
    mutationFn: () => deleteLink(link),
    onSuccess: () => {
      close();
      onDone();
    },
  });
  return (
    <>
      <Button size="compact-xs" variant="subtle" onClick={open} aria-label={text('graph.remove_link', { name })}>
        {text('graph.remove')}
      </Button>
      <WriteDialog
        isOpen={isOpen}
        title={text('graph.remove_title')}
        refusedTitle={text('graph.remove_refused')}
        fault={deletion.error}
        isBusy={deletion.isPending}
        canConfirm
        confirm={text('graph.remove')}
        color="red"
        onConfirm={() => deletion.mutate()}
        onClose={close}
      >
        {name}
      </WriteDialog>
    </>
  );
}
