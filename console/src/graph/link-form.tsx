/** Links the unit of the page with another one. */
import { Group, SegmentedControl, Select } from '@mantine/core';
import { useNotify } from 'ra-core';
import { useEffect, useMemo, useState } from 'react';
import { makeLink, type Direction, type UnitAddress } from '../api/links.js';
import { faultsOf, type FieldErrors } from '../data/faults.js';
import { ReferenceInput } from '../data/reference-input.js';
import { UnitForm } from '../data/unit-form.js';
import { loadPatterns } from '../fields/patterns.js';
import { useText } from '../i18n/text.js';
import { DEFAULT_LINK, type Model } from '../model/use-model.js';
import { linkFields } from './link-fields.js';

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
  const fields = useMemo(() => linkFields(model, type), [model, type]);
  useEffect(() => void loadPatterns(), []);
  const save = async (values: object): Promise<FieldErrors | undefined> => {
    const ends = direction === 'child' ? { parent: unit, child: other } : { parent: other, child: unit };
    try {
      await makeLink({ type, ...ends }, values);
      notify(text('graph.added'), { type: 'success' });
      onDone();
      return undefined;
    } catch (fault) {
      return faultsOf(fault, fields, text);
    }
  };
  const reference = { label: text('graph.path_to'), size: 'xs' };
  return (
    <section aria-label={text('graph.add')}>
      <UnitForm
        // Another type has other values.
        key={type}
        fields={fields}
        unit={undefined}
        isNew
        isReady={other.id !== ''}
        submitLabel={text('graph.link')}
        onSave={save}
      >
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
        </Group>
      </UnitForm>
    </section>
  );
}
