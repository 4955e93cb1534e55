/** Links the unit of the page with another one. */
import { Alert, Button, Group, SegmentedControl, Select } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { useState, type FormEvent } from 'react';
import { makeLink, type Direction, type UnitAddress } from '../api/links.js';
import { ReferenceInput } from '../data/reference-input.js';
import { useText } from '../i18n/text.js';
import { DEFAULT_LINK, type Model } from '../model/use-model.js';

interface LinkFormProps {
  readonly model: Model;
  readonly unit: UnitAddress;
  readonly onDone: () => void;
}

export function LinkForm({ model, unit, onDone }: LinkFormProps) {
  const text = useText();
  const notify = useNotify();
  const types = [...model.linkTypes.values()];
  const [type, setType] = useState((types.find(({ id }) => id !== DEFAULT_LINK) ?? types[0])?.id ?? DEFAULT_LINK);
  const [direction, setDirection] = useState<Direction>('child');
  const [other, setOther] = useState<UnitAddress>({ kind: unit.kind, id: '' });
  const making = useMutation({
    mutationFn: () =>
      direction === 'child'
        ? makeLink({ type, parent: unit, child: other })
        : makeLink({ type, parent: other, child: unit }),
    onSuccess: () => {
      notify(text('graph.added'), { type: 'success' });
      onDone();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    making.mutate();
  };
  const reference = { label: text('graph.path_to'), size: 'xs' };
  return (
    <form onSubmit={submit} aria-label={text('graph.add')}>
      <Group gap="xs" align="end">
        <Select
          size="xs"
          w={160}
          label={text('graph.type')}
          allowDeselect={false}
          searchable
          data={types.map(({ id, label }) => ({ value: id, label }))}
          value={type}
          onChange={(next) => next !== null && setType(next)}
        />
        <SegmentedControl
          size="xs"
          aria-label={text('graph.direction')}
          data={[
            { value: 'child', label: text('graph.to_other') },
            { value: 'parent', label: text('graph.from_other') },
          ]}
          value={direction}
          onChange={(next) => setDirection(next)}
        />
        <Select
          size="xs"
          w={140}
          label={text('graph.kind')}
          allowDeselect={false}
          searchable
          data={[...model.kinds.values()].map(({ id, label }) => ({ value: id, label }))}
          value={other.kind}
          onChange={(kind) => kind !== null && setOther({ kind, id: '' })}
        />
        <ReferenceInput
          key={other.kind}
          {...reference}
          kind={other.kind}
          value={other.id}
          onChange={(id) => setOther({ ...other, id })}
        />
        <Button size="xs" type="submit" disabled={other.id === ''} loading={making.isPending}>
          {text('graph.link')}
        </Button>
      </Group>
      {making.error && (
        <Alert mt="xs" color="red" role="alert">
          {making.error.message}
        </Alert>
      )}
    </form>
  );
}
