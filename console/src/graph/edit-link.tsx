import { Button, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNotify } from 'ra-core';
import { updateLink, type LinkAddress, type LinkRecord } from '../api/links.js';
import type { Field } from '../api/types.js';
import { faultsOf, type FieldErrors } from '../data/faults.js';
import { UnitForm } from '../data/unit-form.js';
import { useText } from '../i18n/text.js';

interface EditLinkProps {
  readonly link: LinkAddress;
  readonly record: LinkRecord;
  readonly fields: readonly Field[];
  readonly name: string;
  readonly onDone: () => void;
}

/** A button that edits the values of a link. */
export function EditLink({ link, record, fields, name, onDone }: EditLinkProps) {
  const text = useText();
  const notify = useNotify();
  const [isOpen, { open, close }] = useDisclosure();
  const save = async (values: object): Promise<FieldErrors | undefined> => {
    try {
      await updateLink(link, values);
      notify(text('unit.saved'), { type: 'success' });
      close();
      onDone();
      return undefined;
    } catch (fault) {
      return faultsOf(fault, fields, text);
    }
  };
  return (
    <>
      <Button size="compact-xs" variant="subtle" onClick={open} aria-label={text('graph.edit_link', { name })}>
        {text('graph.edit')}
      </Button>
      <Modal opened={isOpen} onClose={close} title={name}>
        <UnitForm fields={fields} unit={{ id: '', kind_id: '', ...record }} isNew={false} onSave={save} />
      </Modal>
    </>
  );
}
