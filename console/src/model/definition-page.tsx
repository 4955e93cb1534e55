/** Makes, edits and deletes a kind, a link type or a group. */
import {
  Alert,
  Button,
  Checkbox,
  Group,
  MultiSelect,
  Stack,
  Text as Paragraph,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { useMemo, useRef, useState, type FormEvent } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import { accessAddress } from '../access/addresses.js';
import { getDefinitions } from '../api/definitions.js';
import { ApiError } from '../api/errors.js';
import type { Field, Unit } from '../api/types.js';
import { Conflict, type Choice } from '../data/conflict.js';
import { COMMON } from '../data/source.js';
import { useText } from '../i18n/text.js';
import { Empty, EmptyPage, PageError, Waiting } from '../shell/page-states.js';
import { useFaultFocus } from '../shell/use-fault-focus.js';
import {
  bodyOf,
  draftOf,
  listedParameters,
  ownerOf,
  settingsOfDraft,
  type Definition,
  type Draft,
  type Edited,
} from './definition-draft.js';
import { faultsOf, NO_FAULTS } from './faults.js';
import { FixedId, FormFault, IdInput, ReviewButtons, RightsNote } from './form-parts.js';
import { FormPreview } from './form-preview.js';
import { LeaveWarning } from './leave-warning.js';
import { ParameterListEditor } from './parameter-list-editor.js';
import { ParameterSets } from './parameter-sets.js';
import { useReview } from './review.js';
import { settingLabels } from './setting-names.js';
import { isBuiltInId, modelOf, useModel, type Model } from './use-model.js';
import './model.css';

export function DefinitionPage() {
  const text = useText();
  const { of = 'kind', id } = useParams() as { of?: Edited; id?: string };
  const { model, error, refetch } = useModel();
  if (error) {
    return (
      <EmptyPage title={text('model.title')}>
        <PageError error={error} onRetry={() => void refetch()} />
      </EmptyPage>
    );
  }
  if (!model) return <Waiting />;
  const definition = id === undefined ? undefined : findDefinition(model, of, id);
  if (id !== undefined && !definition) {
    return (
      <EmptyPage title={id}>
        <Empty>{text('model.gone')}</Empty>
      </EmptyPage>
    );
  }
  // What is typed stays, whatever is read meanwhile.
  return <DefinitionForm key={`${of} ${id ?? ''}`} of={of} model={model} definition={definition} />;
}

function findDefinition(model: Model, of: Edited, id: string): Definition | undefined {
  return { kind: model.kinds, link: model.linkTypes, group: model.groups }[of].get(id);
}

interface DefinitionFormProps {
  readonly of: Edited;
  readonly model: Model;
  /** Undefined for a new one. */
  readonly definition: Definition | undefined;
}

function DefinitionForm({ of, model, definition }: DefinitionFormProps) {
  const text = useText();
  const navigate = useNavigate();
  /** The version that is edited. */
  const [base, setBase] = useState(definition);
  const before = useMemo(() => draftOf(base), [base]);
  const [draft, setDraft] = useState(before);
  const [faults, setFaults] = useState(NO_FAULTS);
  const [theirs, setTheirs] = useState<Definition>();
  const saved = useRef(false);
  const form = useFaultFocus<HTMLFormElement>(faults === NO_FAULTS ? undefined : faults);
  const isNew = base === undefined;
  const body = bodyOf(of, draft, before, isNew, model);
  const isChanged = isNew ? draft !== before : Object.keys(body).length > 0;
  const change = (values: Partial<Draft>) => setDraft((known) => ({ ...known, ...values }));

  const review = useReview({
    onDone: (stored) => {
      saved.current = true;
      const to = stored && isNew && of === 'kind' ? `/data/${stored.id}` : '/model';
      void navigate(to);
    },
    onFault: async (fault) => {
      if (base && fault instanceof ApiError && fault.status === 412) {
        setTheirs(findDefinition(modelOf(await getDefinitions()), of, base.id));
        return;
      }
      setFaults(faultsOf(fault, settingsOfDraft(of), settingLabels(text), text));
    },
  });
  const send = (values: object, version = base): void => {
    setFaults(NO_FAULTS);
    const versioned = version ? { ...values, updated_at: version.updated_at } : values;
    void review.start({ of, id: version?.id, body: versioned });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    send(body);
  };
  const resolve = (choice: Choice): void => {
    if (!theirs) return;
    const kept = draftOf(theirs);
    const mine = Object.fromEntries(Object.keys(choice).map((name) => [name, draft[name as keyof Draft]]));
    setBase(theirs);
    setDraft({ ...kept, ...mine });
    setTheirs(undefined);
    send(choice, theirs);
  };
  const { own } = faults;
  const title = base ? base.label : text(`model.new_${of}`);
  return (
    <div className="page model-page">
      <Group justify="space-between">
        <Title order={1} size="h3" className="model-name">
          {title}
        </Title>
        <Group gap="xs">
          {base && of === 'kind' && (
            <Button component={Link} size="xs" variant="default" to={`/data/${base.id}`}>
              {text('model.units')}
            </Button>
          )}
          {base && of !== 'group' && (
            <Button
              component={Link}
              size="xs"
              variant="default"
              to={accessAddress(of, base.id, of === 'kind' ? 'read' : 'create')}
            >
              {text('access.title')}
            </Button>
          )}
          {base && !isBuiltInId(base.id) && (
            <Button
              size="xs"
              color="red"
              variant="light"
              onClick={() => void review.start({ of, id: base.id, body: undefined })}
            >
              {text('model.delete')}
            </Button>
          )}
        </Group>
      </Group>
      {isNew && <Paragraph size="sm">{text(`model.what_${of}`)}</Paragraph>}
      <div className="model-editor">
        <form onSubmit={submit} noValidate ref={form}>
          <Stack>
            <RightsNote />
            <FormFault fault={own['']} />
            <TextInput
              label={text('model.name')}
              description={isNew ? text(`model.name_help_${of}`) : undefined}
              maxLength={500}
              autoFocus={isNew}
              value={draft.label}
              error={own['label']}
              onChange={({ currentTarget: { value } }) => change({ label: value })}
            />
            {isNew ? (
              <IdInput value={ownerOf(draft)} fault={own['id']} onChange={(id) => change({ id })} />
            ) : (
              <FixedId id={base.id} />
            )}
            {of === 'group' ? (
              <GroupFields draft={draft} model={model} fault={own['kind_list']} onChange={change} />
            ) : (
              <section aria-label={text('model.parameters')}>
                <Title order={2} size="h5">
                  {text(of === 'link' ? 'model.values_of_links' : 'model.parameters')}
                </Title>
                {own['parameters'] !== undefined && (
                  <Alert color="red" role="alert">
                    {own['parameters']}
                  </Alert>
                )}
                <ParameterListEditor
                  model={model}
                  owner={ownerOf(draft)}
                  drafts={draft.parameters}
                  faults={faults.parameters}
                  ofLinks={of === 'link'}
                  onChange={(parameters) => change({ parameters })}
                />
              </section>
            )}
            {of === 'kind' && <KindFields draft={draft} model={model} faults={own} onChange={change} />}
            <ReviewButtons isBusy={review.isBusy} isChanged={isChanged} />
          </Stack>
        </form>
        {of === 'kind' && <FormPreview drafts={draft.parameters} owner={ownerOf(draft)} model={model} />}
      </div>
      {review.dialog}
      {theirs && (
        <Conflict
          of="definition"
          fields={conflictFields(of, text)}
          mine={body}
          theirs={theirs as unknown as Unit}
          onChoose={resolve}
          onClose={() => setTheirs(undefined)}
        />
      )}
      <LeaveWarning when={isChanged} saved={saved} />
    </div>
  );
}

interface FieldsProps {
  readonly draft: Draft;
  readonly model: Model;
  readonly onChange: (values: Partial<Draft>) => void;
}

function KindFields({ draft, model, faults, onChange }: FieldsProps & { faults: Readonly<Record<string, string>> }) {
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
    </>
  );
}

function GroupFields({ draft, model, fault, onChange }: FieldsProps & { fault: string | undefined }) {
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
function conflictFields(of: Edited, text: ReturnType<typeof useText>): readonly Field[] {
  const names = settingLabels(text);
  return settingsOfDraft(of).flatMap((id) => {
    const label = names.get(id);
    if (label === undefined || id === 'id') return [];
    return [{ ...COMMON, id, label, type: id === 'label' || id === 'description' ? 'string' : 'json' } as const];
  });
}
