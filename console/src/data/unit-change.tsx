/** Says that the unit of a page was changed elsewhere. What is typed stays until it is saved, or taken back. */
import { Button, Text as Paragraph } from '@mantine/core';
import { useFormContext } from 'react-hook-form';
import { useText } from '../i18n/text.js';
import type { Change } from '../live/changes.js';

export function ShowChange({ onShow }: { readonly onShow: () => void }) {
  const text = useText();
  return (
    <Button size="xs" variant="light" w="fit-content" onClick={onShow}>
      {text('unit.changed')}
    </Button>
  );
}

interface ChangeOfFormProps {
  readonly change: Change | undefined;
  readonly onShow: () => void;
}

export function ChangeOfForm({ change, onShow }: ChangeOfFormProps) {
  const text = useText();
  const { formState } = useFormContext();
  const told = text(change?.isGone === true ? 'unit.gone_unsaved' : 'unit.changed_unsaved');
  return (
    <div role="status">
      {change && (formState.isDirty ? <Paragraph size="sm">{told}</Paragraph> : <ShowChange onShow={onShow} />)}
    </div>
  );
}
