/** A button for each value that a parameter with transitions may have next, as the service tells this member. */
import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { useState } from 'react';
import { useFormContext } from 'react-hook-form';
import type { Field } from '../api/types.js';
import { ETAG, getNextValues, type ReadUnit } from '../api/units.js';
import { useText } from '../i18n/text.js';
import type { FieldErrors } from './faults.js';

interface TransitionButtonsProps {
  readonly kind: string;
  readonly fields: readonly Field[];
  readonly unit: ReadUnit;
  readonly onSave: (values: object) => Promise<FieldErrors | undefined>;
}

/** Disabled until the changes of the form are saved. */
export function TransitionButtons({ kind, fields, unit, onSave }: TransitionButtonsProps) {
  const text = useText();
  const notify = useNotify();
  const { formState } = useFormContext();
  const [moving, setMoving] = useState(false);
  const possible = fields.filter(({ type, values }) => type === 'string' && values !== null);
  const { data } = useQuery({
    queryKey: ['next-values', kind, unit.id, unit[ETAG]],
    queryFn: ({ signal }) => getNextValues(kind, unit.id, signal),
    enabled: possible.length > 0,
    retry: false,
  });
  const moves = possible.flatMap(({ id, label }) => (data?.[id] ?? []).map((value) => ({ id, label, value })));
  const others = moves.filter(({ id, value }) => unit[id] !== value);
  const move = async (id: string, value: string): Promise<void> => {
    setMoving(true);
    const faults = await onSave({ [id]: value });
    setMoving(false);
    const texts = Object.values(faults ?? {});
    if (texts.length > 0) notify(texts.join('\n'), { type: 'error' });
  };
  if (others.length === 0) return null;
  return (
    <Group gap="xs">
      {others.map(({ id, label, value }) => (
        <Button
          key={`${id} ${value}`}
          size="xs"
          variant="light"
          disabled={formState.isDirty || moving}
          onClick={() => void move(id, value)}
        >
          {text('unit.move', { field: label, value })}
        </Button>
      ))}
    </Group>
  );
}
