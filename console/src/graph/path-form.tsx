/** Asks for the unit to which the shortest path is wanted. */
import { Button, Group, Select } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { ReferenceInput } from '../data/reference-input.js';
import { useText } from '../i18n/text.js';
import type { Model } from '../model/use-model.js';

interface PathFormProps {
  readonly model: Model;
  readonly kind: string;
  readonly isBusy: boolean;
  readonly onFind: (to: { kind: string; id: string }) => Promise<void>;
}

export function PathForm({ model, kind, isBusy, onFind }: PathFormProps) {
  const text = useText();
  const [to, setTo] = useState({ kind, id: '' });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void onFind(to);
  };
  const reference = { label: text('graph.path_to'), size: 'xs' };
  return (
    <form onSubmit={submit}>
      <Group gap="xs" align="end">
        <Select
          size="xs"
          w={140}
          label={text('graph.path_kind')}
          allowDeselect={false}
          searchable
          data={[...model.kinds.values()].map(({ id, label }) => ({ value: id, label }))}
          value={to.kind}
          onChange={(next) => next !== null && setTo({ kind: next, id: '' })}
        />
        <ReferenceInput
          key={to.kind}
          {...reference}
          kind={to.kind}
          value={to.id}
          onChange={(id) => setTo({ ...to, id })}
        />
        <Button size="xs" variant="default" type="submit" disabled={to.id === ''} loading={isBusy}>
          {text('graph.find_path')}
        </Button>
      </Group>
    </form>
  );
}
