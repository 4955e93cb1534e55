/** A button for each value that a parameter with transitions may have next, as the service tells this member. */
import { Group } from '@mantine/core';
import { useNotify } from 'ra-core';
import { useState } from 'react';
import { useFormContext } from 'react-hook-form';
import type { Field } from '../api/types.js';
import type { ReadUnit, UnitRights } from '../api/units.js';
import { useText } from '../i18n/text.js';
import { ActionButton } from '../shell/action.js';
import type { FieldErrors } from './faults.js';

interface TransitionButtonsProps {
  readonly fields: readonly Field[];
  readonly unit: ReadUnit;
  readonly can: UnitRights | undefined;
  readonly onSave: (values: object) => Promise<FieldErrors | undefined>;
}

/** They do nothing until the changes of the form are saved. */
export function TransitionButtons({ fields, unit, can, onSave }: TransitionButtonsProps) {
  const text = useText();
  const notify = useNotify();
  const { formState } = useFormContext();
  const [moving, setMoving] = useState<string>();
  const moves = fields.flatMap(({ id, label }) =>
    (can?.transitions[id] ?? []).filter((value) => unit[id] !== value).map((value) => ({ id, label, value })),
  );
  const move = async (id: string, value: string): Promise<void> => {
    setMoving(`${id} ${value}`);
    const faults = await onSave({ [id]: value });
    setMoving(undefined);
    const texts = Object.values(faults ?? {});
    if (texts.length > 0) notify(texts.join('\n'), { type: 'error' });
  };
  if (moves.length === 0) return null;
  return (
    <Group gap="xs">
      {moves.map(({ id, label, value }) => (
        <ActionButton
          key={`${id} ${value}`}
          size="xs"
          variant="light"
          reason={formState.isDirty ? text('unit.move_later') : undefined}
          loading={moving === `${id} ${value}`}
          onClick={() => moving === undefined && void move(id, value)}
        >
          {text('unit.move', { field: label, value })}
        </ActionButton>
      ))}
    </Group>
  );
}
