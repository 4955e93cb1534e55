/** The fields that only a kind or only a group has, and what two versions of a definition are compared by. */
import { Alert, Checkbox, MultiSelect, NumberInput, Select, Textarea } from '@mantine/core';
import { CHANGES, MOST_DAYS } from '../../../src/model/changes.js';
import type { KindDefinition } from '../api/definitions.js';
import type { Field } from '../api/types.js';
import { COMMON } from '../data/source.js';
import { useText, type Text } from '../i18n/text.js';
import { listedParameters, settingsOfDraft, type Draft, type Edited } from './definition-draft.js';
import { Checks } from './checks.js';
import { ParameterSets } from './parameter-sets.js';
import { settingLabels } from './setting-names.js';
import type { Model } from './use-model.js';

interface FieldsProps {
  readonly draft: Draft;
  readonly model: Model;
  readonly onChange: (values: Partial<Draft>) => void;
}

interface KindFieldsProps extends FieldsProps {
  /** The stored kind; undefined for a new one. */
  readonly stored: Pick<KindDefinition, 'changes'> | undefined;
  readonly faults: Readonly<Record<string, string>>;
}

export function KindFields({ draft, model, stored, faults, onChange }: KindFieldsProps) {
  const text = useText();
  const parameters = listedParameters(draft, model);
  return (
    <>
      <ParameterSets
        label={text('model.unique_label')}
        description={text('model.unique_help')}
        sets={draft.unique}
        parameters={parameters}
        error={faults['unique']}
        onChange={(unique) => onChange({ unique })}
      />
      <ParameterSets
        label={text('model.indexes_label')}
        description={text('model.indexes_help')}
        sets={draft.indexes}
        parameters={parameters}
        error={faults['indexes']}
        onChange={(indexes) => onChange({ indexes })}
      />
      <Checks checks={draft.checks ?? []} faults={faults} onChange={(checks) => onChange({ checks })} />
      <Checkbox
        label={text('model.active_label')}
        description={text('model.active_help')}
        checked={draft.active}
        error={faults['active']}
        onChange={(event) => onChange({ active: event.currentTarget.checked })}
      />
      <Checkbox
        label={text('model.public_label')}
        description={text('model.public_help')}
        checked={draft.public}
        error={faults['public']}
        onChange={(event) => onChange({ public: event.currentTarget.checked })}
      />
      <Checkbox
        label={text('model.remote_label')}
        description={text('model.remote_help')}
        checked={draft.remote}
        error={faults['remote']}
        onChange={(event) => onChange({ remote: event.currentTarget.checked })}
      />
      <ChangesFields draft={draft} stored={stored} faults={faults} onChange={onChange} />
    </>
  );
}

/** What is recorded of changes, and for how long. */
function ChangesFields({ draft, stored, faults, onChange }: Omit<KindFieldsProps, 'model'>) {
  const text = useText();
  return (
    <>
      <Select
        label={text('model.changes_label')}
        description={text('model.changes_help')}
        data={CHANGES.map((value) => ({ value, label: text(`model.changes.${value}`) }))}
        allowDeselect={false}
        value={draft.changes}
        error={faults['changes']}
        onChange={(value) => onChange({ changes: value ?? 'none' })}
      />
      {stored?.changes === 'history' && draft.changes !== 'history' && (
        <Alert color="yellow">{text('model.history_left')}</Alert>
      )}
      {draft.changes === 'history' && (
        <NumberInput
          label={text('model.history_keep_label')}
          description={text('model.history_keep_help')}
          allowDecimal={false}
          min={1}
          max={MOST_DAYS}
          value={draft.history_keep ?? ''}
          error={faults['history_keep']}
          onChange={(value) => onChange({ history_keep: typeof value === 'number' ? value : null })}
        />
      )}
    </>
  );
}

export function GroupFields({ draft, model, fault, onChange }: FieldsProps & { fault: string | undefined }) {
  const text = useText();
  const known = [...model.kinds.values()].map(({ id, label }) => ({ value: id, label }));
  // A group can have built-in kinds too.
  const others = draft.kind_list.filter((id) => !model.kinds.has(id)).map((id) => ({ value: id, label: id }));
  return (
    <>
      <Textarea
        label={text('model.description')}
        autosize
        value={draft.description}
        onChange={({ currentTarget: { value } }) => onChange({ description: value })}
      />
      <MultiSelect
        label={text('model.kinds')}
        searchable
        data={[...known, ...others]}
        value={[...draft.kind_list]}
        error={fault}
        onChange={(kinds) => onChange({ kind_list: kinds })}
      />
    </>
  );
}

/** What both versions are compared by, when somebody else has changed the definition. */
export function conflictFields(of: Edited, text: Text): readonly Field[] {
  const names = settingLabels(text);
  return settingsOfDraft(of).flatMap((id) => {
    const label = names.get(id);
    if (label === undefined || id === 'id') return [];
    return [{ ...COMMON, id, label, type: id === 'label' || id === 'description' ? 'string' : 'json' } as const];
  });
}
