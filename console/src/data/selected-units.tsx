/** What can be done with the units that are selected in a grid. */
import { Button, Group, Text as Paragraph } from '@mantine/core';
import { selectionsOf } from '../api/selected.js';
import type { Field } from '../api/types.js';
import { useText } from '../i18n/text.js';
import { DeleteUnits } from './delete-units.js';
import { EditUnits } from './edit-units.js';
import { useRefusal } from './use-refusal.js';
import type { UnitSelection } from './use-selection.js';

/** @param fields those that can be set together; without them, nothing is edited here */
export function SelectedUnits({ selection, fields }: { selection: UnitSelection; fields?: readonly Field[] }) {
  const text = useText();
  const refusalOf = useRefusal();
  const { units, clear } = selection;
  const kinds = [...new Set(units.map(({ kind_id: kind }) => kind))];
  const about = { selections: selectionsOf(units), onDone: clear };
  return (
    <Group gap="xs" className="selected-units">
      <Paragraph size="sm" {...(units.length === 0 && { c: 'dimmed' })}>
        {units.length > 0 ? text('grid.selected', { smart_count: units.length }) : text('grid.none_selected')}
      </Paragraph>
      {units.length > 0 && (
        <>
          {fields && (
            <EditUnits label={text('edit.selected')} fields={fields} reason={refusalOf('update', kinds)} {...about} />
          )}
          <DeleteUnits label={text('unit.delete')} reason={refusalOf('delete', kinds)} {...about} />
          <Button size="xs" variant="subtle" onClick={clear}>
            {text('grid.select_none')}
          </Button>
        </>
      )}
    </Group>
  );
}
