import { Group, Select, Stack, Switch, Text as Paragraph } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { useState } from 'react';
import type { Field } from '../api/types.js';
import { MOST_AFFECTED, updateSelected, type Selection } from '../api/selected.js';
import { InputError } from '../fields/console-field.js';
import { FieldControl } from '../fields/field-control.js';
import { valueOf } from '../fields/typed-value.js';
import { inputOf } from '../fields/values.js';
import { useText } from '../i18n/text.js';
import { faultsOf, FIELD_OF_FORM } from './faults.js';
import { ActionButton } from '../shell/action.js';
import { useRights } from '../shell/use-rights.js';
import { isEditable, UNITS } from './source.js';
import { WriteDialog } from './write-dialog.js';

interface Edit {
  /** The name of the dialog. */
  readonly label: string;
  readonly fields: readonly Field[];
  readonly selections: readonly Selection[];
  readonly onDone: () => void;
}

interface NewValue {
  readonly field: Field;
  readonly input: unknown;
  readonly isCleared: boolean;
}

/** A button that sets fields of several units. */
export function EditUnits({ reason, ...about }: Edit & { reason: string | undefined }) {
  const { start, dialog } = useEdit(about);
  return (
    <>
      <ActionButton size="xs" variant="default" reason={reason} onClick={start}>
        {about.label}
      </ActionButton>
      {dialog}
    </>
  );
}

/** Sets fields of several units to the same values, after it has tried it. */
export function useEdit({ label, fields, selections, onDone }: Edit) {
  const text = useText();
  const notify = useNotify();
  const queries = useQueryClient();
  const [isOpen, { open, close }] = useDisclosure();
  const [values, setValues] = useState<readonly NewValue[]>([]);
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const trial = useMutation({ mutationFn: (body: object) => updateSelected(selections, body, { dryRun: true }) });
  const edit = useMutation({
    mutationFn: (body: object) =>
      updateSelected(selections, body, { most: Math.min(Math.max(trial.data ?? 1, 1), MOST_AFFECTED) }),
    onSuccess: async (changed) => {
      notify(text('edit.done', { smart_count: changed }), { type: 'success' });
      close();
      setValues([]);
      onDone();
      await queries.invalidateQueries({ queryKey: [UNITS] });
      await queries.invalidateQueries({ queryKey: ['unit'] });
    },
  });
  const { readOnly } = useRights();
  const isSettable = (field: Field) =>
    isEditable(field) && selections.every(({ kind }) => !readOnly(kind).has(field.id));
  const change = (next: readonly NewValue[]): void => {
    setValues(next);
    setFaults({});
    trial.reset();
    edit.reset();
  };
  const bodyOf = (): object | undefined => {
    const found: Record<string, string> = {};
    const body: Record<string, unknown> = {};
    for (const { field, input, isCleared } of values) {
      try {
        body[field.id] = isCleared ? null : valueOf({ ...field, required: true }, input, text);
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        found[field.id] = error.message;
      }
    }
    setFaults(found);
    return Object.keys(found).length === 0 ? body : undefined;
  };
  const refusal = edit.error ?? trial.error;
  const refused = refusal
    ? faultsOf(
        refusal,
        values.map(({ field }) => field),
        text,
      )
    : {};
  const confirm = (): void => {
    const body = bodyOf();
    if (body) (trial.isSuccess ? edit : trial).mutate(body);
  };
  const others = fields.filter((field) => isSettable(field) && values.every((each) => each.field.id !== field.id));
  const dialog = (
    <WriteDialog
      isOpen={isOpen}
      title={label}
      refusedTitle={text('edit.refused')}
      fault={refusal}
      faultText={refused[FIELD_OF_FORM] ?? ''}
      faults={Object.keys(faults).length > 0 ? faults : undefined}
      isBusy={trial.isPending || edit.isPending}
      canConfirm={values.length > 0 && trial.data !== 0}
      confirm={trial.isSuccess ? text('edit.confirm', { smart_count: trial.data }) : text('edit.try')}
      onConfirm={confirm}
      onClose={close}
    >
      {values.map((each) => (
        <Group key={each.field.id} align="end" wrap="nowrap">
          <Stack flex={1} gap={0}>
            {each.isCleared ? (
              <Paragraph size="sm">{text('edit.cleared', { name: each.field.label })}</Paragraph>
            ) : (
              <FieldControl
                field={each.field}
                label={each.field.label}
                value={each.input}
                error={faults[each.field.id] ?? refused[each.field.id]}
                onChange={(input) => change(values.map((other) => (other === each ? { ...each, input } : other)))}
              />
            )}
          </Stack>
          <Switch
            label={text('edit.clear')}
            checked={each.isCleared}
            onChange={() =>
              change(values.map((other) => (other === each ? { ...each, isCleared: !each.isCleared } : other)))
            }
          />
        </Group>
      ))}
      <Select
        label={text('edit.field')}
        data={others.map(({ id, label: name }) => ({ value: id, label: name }))}
        value={null}
        searchable
        limit={100}
        onChange={(id) => {
          const field = others.find((each) => each.id === id);
          if (field) change([...values, { field, input: inputOf(field, null), isCleared: false }]);
        }}
      />
      {trial.isSuccess && (
        <Paragraph size="sm" role="status">
          {text('edit.tried', { smart_count: trial.data })}
        </Paragraph>
      )}
    </WriteDialog>
  );
  return { start: open, dialog };
}
