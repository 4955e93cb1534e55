/** What is done with all units that match a filter. It is in a menu, so that nobody does it by accident. */
import { Button, Menu } from '@mantine/core';
import type { Selection } from '../api/selected.js';
import type { Field } from '../api/types.js';
import { useText } from '../i18n/text.js';
import { ActionItem } from '../shell/action.js';
import { useDeletion } from './delete-units.js';
import { useEdit } from './edit-units.js';
import { useRefusal } from './use-refusal.js';

interface AllUnitsMenuProps {
  readonly kind: string;
  readonly fields: readonly Field[];
  readonly filter: string;
  readonly search: string;
  readonly onDone: () => void;
}

export function AllUnitsMenu({ kind, fields, filter, search, onDone }: AllUnitsMenuProps) {
  const text = useText();
  const refusalOf = useRefusal();
  const selections: readonly Selection[] = [{ kind, filter: filter || 'all()' }];
  const edit = useEdit({ label: text('edit.all'), fields, selections, onDone });
  const deletion = useDeletion({ selections, onDone, asksForCount: true });
  const unsearchable = search === '' ? undefined : text('grid.all_without_search');
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button size="xs" variant="default">
            {text(filter === '' ? 'grid.all_units' : 'grid.all_matching')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <ActionItem reason={refusalOf('update', [kind]) ?? unsearchable} onClick={edit.start}>
            {text('edit.all')}
          </ActionItem>
          <ActionItem color="red" reason={refusalOf('delete', [kind]) ?? unsearchable} onClick={deletion.start}>
            {text('unit.delete_all')}
          </ActionItem>
        </Menu.Dropdown>
      </Menu>
      {edit.dialog}
      {deletion.dialog}
    </>
  );
}
