/** A form made of a struct. Values are checked before they are sent, and the faults of the answer are shown at their fields. */
import { Alert, Button, Group, Stack, Text as Paragraph } from '@mantine/core';
import { Form } from 'ra-core';
import { useMemo, useState, type ReactNode } from 'react';
import { useFormContext } from 'react-hook-form';
import type { Field, Unit } from '../api/types.js';
import { InputError } from '../fields/console-field.js';
import { FieldInput, inputName } from '../fields/field-input.js';
import { shownInstant } from '../fields/shown-time.js';
import { valueOf } from '../fields/typed-value.js';
import { inputOf } from '../fields/values.js';
import { useText } from '../i18n/text.js';
import { useFaultFocus } from '../shell/use-fault-focus.js';
import { FIELD_OF_FORM, type FieldErrors } from './faults.js';

interface UnitFormProps {
  readonly fields: readonly Field[];
  /** The unit that is edited or copied. */
  readonly unit: Unit | undefined;
  readonly isNew: boolean;
  /** What the button says; by default that it creates or saves. */
  readonly submitLabel?: string;
  /** Shown above the fields. */
  readonly children?: ReactNode;
  /** Whether what is chosen above the fields is complete; it is by default. */
  readonly isReady?: boolean;
  /** Whether it asks before changed values are left; it does by default. */
  readonly keeps?: boolean;
  /** Shown beside the button, where it moves nothing. */
  readonly hint?: ReactNode;
  /** Gets the values that have changed; answers the faults, if there are any. */
  readonly onSave: (values: Readonly<Record<string, unknown>>) => Promise<FieldErrors | undefined>;
}

/** By `inputName`. */
type Inputs = Readonly<Record<string, unknown>>;

export function UnitForm(props: UnitFormProps) {
  const { fields, unit, isNew, submitLabel, keeps = true, isReady = true, children, hint, onSave } = props;
  const text = useText();
  const [refused, setRefused] = useState<FieldErrors>();
  const place = useFaultFocus(refused);
  const formFault = refused?.[FIELD_OF_FORM];
  const initial = useMemo(
    () =>
      Object.fromEntries(
        fields.map((field) => [inputName(field), inputOf(field, unit ? unit[field.id] : field.default)]),
      ),
    [fields, unit],
  );
  const isInitial = (field: Field, inputs: Inputs): boolean =>
    JSON.stringify(inputs[inputName(field)]) === JSON.stringify(initial[inputName(field)]);
  const submit = async (inputs: Inputs): Promise<FieldErrors | undefined> => {
    setRefused(undefined);
    const changed = fields.filter((field) => {
      const { id, default: given } = field;
      const isSame = isInitial(field, inputs);
      return isNew ? !isSame || (unit !== undefined && (unit[id] ?? null) !== null && unit[id] !== given) : !isSame;
    });
    const values = Object.fromEntries(
      changed.map((field) => [field.id, valueOf(field, inputs[inputName(field)], text)]),
    );
    const faults = await onSave(values);
    // Nothing at all is what a newer version of somebody else says.
    if (faults && Object.keys(faults).length > 0) setRefused(faults);
    return faults && Object.fromEntries(Object.entries(faults).map(([id, fault]) => [inputName({ id }), fault]));
  };
  const validate = (inputs: Inputs): Record<string, string> => {
    const faults: Record<string, string> = {};
    for (const field of fields) {
      // Values that were stored before a limit was set are sent only if they are changed.
      if (!isNew && isInitial(field, inputs)) continue;
      try {
        valueOf(field, inputs[inputName(field)], text);
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        faults[inputName(field)] = error.message;
      }
    }
    return faults;
  };
  return (
    <Form
      defaultValues={initial}
      validate={(inputs: Inputs) => validate(inputs)}
      onSubmit={(inputs: Inputs) => submit(inputs)}
      warnWhenUnsavedChanges={keeps}
      disableInvalidFormNotification
      noValidate
    >
      <Stack maw={720} gap="md" pb="xl" ref={place}>
        {formFault !== undefined && (
          <Alert color="red" role="alert" style={{ whiteSpace: 'pre-line' }}>
            {formFault}
          </Alert>
        )}
        {children}
        {fields.map((field) => (
          <FieldInput key={field.id} field={field} isStored={!isNew} />
        ))}
        {!isNew && unit?.['updated_at'] !== undefined && <Times unit={unit} />}
        <SaveButton isReady={isReady} isNew={isNew} label={submitLabel ?? text(isNew ? 'unit.create' : 'unit.save')}>
          {hint}
        </SaveButton>
      </Stack>
    </Form>
  );
}

interface SaveButtonProps {
  readonly isReady: boolean;
  readonly isNew: boolean;
  readonly label: string;
  readonly children: ReactNode;
}

function SaveButton({ isReady, isNew, label, children }: SaveButtonProps) {
  const { formState } = useFormContext();
  return (
    <Group className="form-end">
      <Button type="submit" loading={formState.isSubmitting} disabled={!isReady || (!isNew && !formState.isDirty)}>
        {label}
      </Button>
      {children}
    </Group>
  );
}

function Times({ unit }: { unit: Unit }) {
  const text = useText();
  const time = (name: string) => shownInstant(unit[name]);
  return (
    <Paragraph size="sm" c="dimmed">
      {text('unit.times', { id: unit.id, inserted: time('inserted_at'), updated: time('updated_at') })}
    </Paragraph>
  );
}
