/** The list of a kind's parameters: in order, with new ones that are defined here. */
import { ActionIcon, Button, Group, Paper, Select, Stack, Text as Paragraph, TextInput, Anchor } from '@mantine/core';
import { Link } from 'react-router';
import { FILE_KIND } from '../../../src/model/built-in-traits.js';
import { isReference } from '../../../src/model/parameter-type/parameter-type.js';
import { PARAMETER_TYPES } from '../../../src/model/parameter-type/type-by-id.js';
import { identifierFromLabel } from '../../../src/shared/identifiers.js';
import type { ParameterDefinition } from '../api/definitions.js';
import type { FieldType } from '../api/types.js';
import { fieldOfType } from '../fields/fields.js';
import { useText } from '../i18n/text.js';
import { definitionAddress } from './addresses.js';
import { IdInput } from './form-parts.js';
import { idOf, keyOf, newParameter, type NewParameter, type ParameterDraft } from './parameter-drafts.js';
import { ALL_SETTINGS, inputsOf } from './parameter-settings.js';
import { SettingFields, type SettingFaults } from './parameter-setting-fields.js';
import { TypeSelect } from './type-select.js';
import { parameterOf } from './parameter-of.js';
import type { Model } from './use-model.js';

interface ParameterListEditorProps {
  readonly model: Model;
  /** The id of the kind or link type; empty while it has none. */
  readonly owner: string;
  readonly drafts: readonly ParameterDraft[];
  /** By the position of the parameter. */
  readonly faults: ReadonlyMap<number, SettingFaults>;
  readonly onChange: (drafts: readonly ParameterDraft[]) => void;
  /** Links have values, which can be neither references nor keys. */
  readonly ofLinks?: boolean;
}

const NOT_OF_LINKS = ALL_SETTINGS.filter(({ isNotForLinks }) => isNotForLinks).map(({ id }) => id);

function isReferenceType(id: FieldType): boolean {
  const type = PARAMETER_TYPES.get(id);
  return type !== undefined && isReference(type);
}

export function ParameterListEditor({
  model,
  owner,
  drafts,
  faults,
  onChange,
  ofLinks = false,
}: ParameterListEditorProps) {
  const text = useText();
  const known = (id: string) => parameterOf(model, ofLinks ? undefined : owner, id);
  const used = new Set(drafts.filter((draft) => typeof draft === 'string'));
  const others = [...model.parameters.values()].filter(
    ({ id, kind_id: type, own }) => own !== true && !used.has(id) && !(ofLinks && isReferenceType(type)),
  );
  // Of files, the service has parameters that no definition can change.
  const isFixed = (draft: ParameterDraft): draft is string =>
    owner === FILE_KIND && typeof draft === 'string' && known(draft) === undefined;
  const fixed = drafts.filter(isFixed);
  const replace = (at: number, ...by: readonly ParameterDraft[]) => onChange(drafts.toSpliced(at, 1, ...by));
  const move = (at: number, to: number) => {
    const draft = drafts[at];
    if (draft !== undefined) onChange(drafts.toSpliced(at, 1).toSpliced(to, 0, draft));
  };
  const types = ofLinks ? model.types.filter((type) => !isReferenceType(type)) : model.types;
  return (
    <Stack gap="xs">
      {fixed.length > 0 && (
        <Paragraph size="sm" c="dimmed">
          {text('model.fixed_parameters', { names: fixed.join(', ') })}
        </Paragraph>
      )}
      {drafts.map((draft, at) => {
        if (isFixed(draft)) return null;
        const name = typeof draft === 'string' ? (known(draft)?.label ?? draft) : String(draft.inputs['label']);
        return (
          <Paper
            key={keyOf(draft)}
            withBorder
            p="xs"
            component="section"
            aria-label={name || text('model.new_parameter')}
          >
            <div className="model-draft-row" data-new={typeof draft !== 'string'}>
              <div className="model-draft">
                {typeof draft === 'string' ? (
                  <KnownParameter
                    id={draft}
                    parameter={known(draft)}
                    fault={Object.values(faults.get(at) ?? {}).join('\n')}
                  />
                ) : (
                  <NewParameterFields
                    draft={draft}
                    owner={owner}
                    model={model}
                    types={types}
                    faults={faults.get(at) ?? {}}
                    without={ofLinks ? NOT_OF_LINKS : []}
                    onChange={(next) => replace(at, next)}
                  />
                )}
              </div>
              <Group gap={4} wrap="nowrap">
                <ActionIcon
                  variant="default"
                  disabled={at === fixed.length}
                  aria-label={text('model.move_up', { name })}
                  onClick={() => move(at, at - 1)}
                >
                  ↑
                </ActionIcon>
                <ActionIcon
                  variant="default"
                  disabled={at === drafts.length - 1}
                  aria-label={text('model.move_down', { name })}
                  onClick={() => move(at, at + 1)}
                >
                  ↓
                </ActionIcon>
                <ActionIcon variant="default" aria-label={text('model.remove', { name })} onClick={() => replace(at)}>
                  ✕
                </ActionIcon>
              </Group>
            </div>
          </Paper>
        );
      })}
      <Group gap="xs" align="end">
        <Button size="xs" variant="light" onClick={() => onChange([...drafts, newParameter(types[0] ?? 'string')])}>
          {text('model.add_new')}
        </Button>
        {others.length > 0 && (
          <Select
            size="xs"
            searchable
            aria-label={text('model.add_known')}
            placeholder={text('model.add_known')}
            data={others.map(({ id, label, kind_id: type }) => ({
              value: id,
              label: `${label} (${fieldOfType(type).label})`,
            }))}
            value={null}
            onChange={(id) => id !== null && onChange([...drafts, id])}
          />
        )}
      </Group>
    </Stack>
  );
}

interface KnownParameterProps {
  readonly id: string;
  readonly parameter: ParameterDefinition | undefined;
  readonly fault: string;
}

function KnownParameter({ id, parameter, fault }: KnownParameterProps) {
  return (
    <>
      <Group gap="xs">
        {parameter ? (
          <Anchor component={Link} size="sm" to={definitionAddress(parameter.kind_id, parameter.id)}>
            {parameter.label}
          </Anchor>
        ) : (
          <span>{id}</span>
        )}
        <Paragraph size="sm" c="dimmed">
          {parameter && fieldOfType(parameter.kind_id).label}
        </Paragraph>
      </Group>
      {fault !== '' && (
        <Paragraph size="sm" c="red" role="alert">
          {fault}
        </Paragraph>
      )}
    </>
  );
}

interface NewParameterFieldsProps {
  readonly draft: NewParameter;
  readonly owner: string;
  readonly model: Model;
  readonly types: Model['types'];
  readonly faults: SettingFaults;
  readonly without: readonly string[];
  readonly onChange: (draft: ParameterDraft) => void;
}

function NewParameterFields({ draft, owner, model, types, faults, without, onChange }: NewParameterFieldsProps) {
  const text = useText();
  const { inputs, type } = draft;
  const id = idOf(draft, owner, model);
  const known = model.parameters.get(identifierFromLabel(String(inputs['label'])) ?? '');
  const { label: fault, id: idFault, kind_id: typeFault } = faults;
  return (
    <Stack gap="xs">
      <div className="model-two">
        <TextInput
          label={text('model.name')}
          data-autofocus
          autoFocus
          maxLength={500}
          value={String(inputs['label'])}
          error={fault ?? faults['']}
          onChange={({ currentTarget: { value } }) => onChange({ ...draft, inputs: { ...inputs, label: value } })}
        />
        <TypeSelect
          types={types}
          value={type}
          error={typeFault}
          onChange={(next) => {
            const kept = Object.entries(inputs).filter(([name]) => name !== 'default' && name !== 'values');
            onChange({ ...draft, type: next, inputs: { ...inputsOf(next), ...Object.fromEntries(kept) } });
          }}
        />
      </div>
      <IdInput
        size="xs"
        name={String(inputs['label'])}
        value={id}
        fault={idFault}
        onChange={(next) => onChange({ ...draft, id: next })}
      />
      {known && (
        <Group gap="xs">
          <Paragraph size="sm">
            {text('model.known_parameter', { name: known.label, type: fieldOfType(known.kind_id).label })}
          </Paragraph>
          <Button size="xs" variant="default" onClick={() => onChange(known.id)}>
            {text('model.use_known')}
          </Button>
        </Group>
      )}
      <SettingFields
        key={type}
        type={type}
        inputs={inputs}
        faults={faults}
        model={model}
        without={without}
        onChange={(next) => onChange({ ...draft, inputs: next })}
      />
    </Stack>
  );
}
