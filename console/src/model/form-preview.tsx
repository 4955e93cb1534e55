import { Paper, Stack, Text as Paragraph } from '@mantine/core';
import { Form } from 'ra-core';
import { FieldInput, inputName } from '../fields/field-input.js';
import { isNumbered } from '../fields/made.js';
import { inputOf } from '../fields/values.js';
import { useText } from '../i18n/text.js';
import { idOf, type ParameterDraft } from './parameter-drafts.js';
import { inputsOf, previewField } from './parameter-settings.js';
import { parameterOf } from './parameter-of.js';
import type { Model } from './use-model.js';

interface FormPreviewProps {
  readonly drafts: readonly ParameterDraft[];
  readonly owner: string;
  readonly model: Model;
}

/** The form for a unit of the kind, as the struct will make it. */
export function FormPreview({ drafts, owner, model }: FormPreviewProps) {
  const text = useText();
  const fields = drafts.flatMap((draft) => {
    if (typeof draft !== 'string') {
      const id = idOf(draft, owner, model);
      return id === '' ? [] : [previewField(id, draft.type, draft.inputs)];
    }
    const known = parameterOf(model, owner, draft);
    return known ? [previewField(draft, known.kind_id, inputsOf(known.kind_id, known))] : [];
  });
  // Nobody fills in what is numbered.
  const [numbered, asked] = [fields.filter(isNumbered), fields.filter((field) => !isNumbered(field))];
  const defaults = Object.fromEntries(asked.map((field) => [inputName(field), inputOf(field, field.default)]));
  return (
    <Paper withBorder p="md" component="section" aria-label={text('model.preview')}>
      <Paragraph fw={600}>{text('model.preview')}</Paragraph>
      <Paragraph size="sm" c="dimmed" mb="sm">
        {text('model.preview_text')}
      </Paragraph>
      {/* Another form for other fields, so that it has their defaults. */}
      <Form key={JSON.stringify(fields)} defaultValues={defaults} onSubmit={() => undefined} noValidate>
        <Stack gap="sm">
          {fields.length === 0 && <Paragraph size="sm">{text('model.no_parameters')}</Paragraph>}
          {asked.map((field) => (
            <FieldInput key={field.id} field={field} isPreview />
          ))}
          {numbered.map(({ id, label, helper_text: help }) => (
            <Paragraph key={id} size="sm">
              {`${label}: ${help ?? ''}`}
            </Paragraph>
          ))}
        </Stack>
      </Form>
    </Paper>
  );
}
