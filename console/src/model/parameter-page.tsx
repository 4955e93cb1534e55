/** Makes, edits and deletes a parameter, which several kinds can have. */
import { Group, Text as Paragraph, TextInput, Title } from '@mantine/core';
import { useMemo, useRef, useState, type FormEvent } from 'react';
import { useNavigate, useParams } from 'react-router';
import { settingName } from '../../../src/model/parameter-setting/parameter-settings.js';
import { identifierFromLabel, namedByRecord } from '../../../src/shared/identifiers.js';
import { getDefinitions, type ParameterDefinition } from '../api/definitions.js';
import { ApiError } from '../api/errors.js';
import type { Field, FieldType } from '../api/types.js';
import { Conflict } from '../data/conflict.js';
import { COMMON } from '../data/source.js';
import { useText } from '../i18n/text.js';
import { ActionButton } from '../shell/action.js';
import { useFaultFocus } from '../shell/use-fault-focus.js';
import { faultsOf, NO_FAULTS } from './faults.js';
import { Fixed, FormFault, IdInput, MayWrite, ReviewButtons, StoredId, useDefinitionRefusals } from './form-parts.js';
import { LeaveWarning } from './leave-warning.js';
import { OfModel } from './of-model.js';
import { useReview } from './review.js';
import { settingLabels, typeName } from './setting-names.js';
import { changedSettings, inputsOf, settingsOf } from './parameter-settings.js';
import { SettingFields } from './parameter-setting-fields.js';
import { TypeSelect } from './type-select.js';
import { modelOf, usersOf, type Model } from './use-model.js';
import './model.css';

/** Settings of parameters that are defined with their kind. */
const IN_KINDS: readonly string[] = ['own'];

export function ParameterPage() {
  const { id } = useParams();
  return (
    <OfModel id={id} find={({ parameters }, known) => parameters.get(known)}>
      {(model, definition) => <ParameterForm key={id ?? ''} model={model} definition={definition} />}
    </OfModel>
  );
}

interface ParameterFormProps {
  readonly model: Model;
  readonly definition: ParameterDefinition | undefined;
}

function ParameterForm({ model, definition }: ParameterFormProps) {
  const text = useText();
  const navigate = useNavigate();
  const [base, setBase] = useState(definition);
  const [type, setType] = useState<FieldType>(definition?.kind_id ?? 'string');
  const [givenId, setId] = useState<string>();
  const present = base && namedByRecord(base.id).id;
  const [newId, setNewId] = useState(present ?? '');
  const [inputs, setInputs] = useState(() => inputsOf(type, definition));
  const [faults, setFaults] = useState(NO_FAULTS);
  const [theirs, setTheirs] = useState<ParameterDefinition>();
  const saved = useRef(false);
  const form = useFaultFocus<HTMLFormElement>(faults === NO_FAULTS ? undefined : faults);
  const labels = useMemo(() => settingLabels(text), [text]);
  const changed = {
    ...changedSettings(type, inputsOf(type, base), inputs),
    ...(present !== undefined && newId !== present && { rename_to: newId }),
  };
  const isChanged = Object.keys(changed).length > 0;
  const id = givenId ?? identifierFromLabel(String(inputs['label'])) ?? '';
  const names = ['id', 'rename_to', 'label', ...settingsOf(type).map((setting) => settingName(setting.id, type))];
  const review = useReview({
    onDone: () => {
      saved.current = true;
      void navigate('/model');
    },
    onFault: async (fault) => {
      if (base && fault instanceof ApiError && fault.status === 412) {
        setTheirs(modelOf(await getDefinitions()).parameters.get(base.id));
      } else setFaults(faultsOf(fault, names, labels, text));
    },
  });
  const send = (values: object, version = base): void => {
    setFaults(NO_FAULTS);
    const body = version ? { ...values, updated_at: version.updated_at } : { ...(id !== '' && { id }), ...values };
    void review.start({ of: type, id: version?.id, body });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    send(changed);
  };
  const { own } = faults;
  const refusals = useDefinitionRefusals(type);
  const users = base ? usersOf(model, base.id) : [];
  return (
    <div className="page model-page">
      <Group justify="space-between">
        <Title order={1} size="h3" className="model-name">
          {base ? base.label : text('model.new_parameter')}
        </Title>
        {base && (
          <ActionButton
            size="xs"
            color="red"
            variant="light"
            reason={refusals.delete}
            onClick={() => void review.start({ of: type, id: base.id, body: undefined })}
          >
            {text('model.delete')}
          </ActionButton>
        )}
      </Group>
      <Paragraph size="sm">{text('model.what_parameter')}</Paragraph>
      {users.length > 0 && (
        <Paragraph size="sm" c="dimmed">
          {text('model.changes_all', { users: users.map(({ label }) => label).join(', ') })}
        </Paragraph>
      )}
      <form onSubmit={submit} noValidate className="model-editor-one" ref={form}>
        <MayWrite refusal={base ? refusals.update : refusals.create}>
          <FormFault fault={own['']} />
          <TextInput
            label={text('model.name')}
            description={text(base ? 'model.name_fixed' : 'model.name_help_parameter')}
            maxLength={500}
            autoFocus={!base}
            value={String(inputs['label'])}
            error={own['label']}
            onChange={({ currentTarget: { value } }) => setInputs({ ...inputs, label: value })}
          />
          {base ? (
            <>
              <StoredId
                id={namedByRecord(base.id).id}
                value={newId}
                fault={own['rename_to']}
                help={text('model.other_id_parameter')}
                onChange={setNewId}
              />
              <Fixed name={text('model.type')} value={typeName(type)} why={text('model.fixed_type')} />
            </>
          ) : (
            <>
              <IdInput name={String(inputs['label'])} value={id} fault={own['id']} onChange={setId} />
              <TypeSelect
                types={model.types}
                value={type}
                onChange={(next) => {
                  setType(next);
                  setInputs({ ...inputsOf(next), label: inputs['label'] ?? '' });
                }}
              />
            </>
          )}
          <SettingFields
            key={type}
            type={type}
            inputs={inputs}
            faults={own}
            model={model}
            isStored={base !== undefined}
            without={base ? [] : IN_KINDS}
            onChange={setInputs}
          />
          <ReviewButtons isBusy={review.isBusy} isChanged={isChanged} />
        </MayWrite>
      </form>
      {review.dialog}
      {theirs && (
        <Conflict
          of="definition"
          fields={names.map((each) => conflictField(each, labels.get(each) ?? each))}
          mine={changed}
          theirs={theirs}
          onChoose={(choice) => {
            setBase(theirs);
            setTheirs(undefined);
            send(choice, theirs);
          }}
          onClose={() => setTheirs(undefined)}
        />
      )}
      <LeaveWarning when={isChanged} saved={saved} />
    </div>
  );
}

function conflictField(id: string, label: string): Field {
  return { ...COMMON, id, label, type: 'json' };
}
