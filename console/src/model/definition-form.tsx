/** The form of a kind, a link type or a group: what is changed is shown before it is stored. */
import { Alert, Button, Group, Text as Paragraph, TextInput, Title } from '@mantine/core';
import { useMemo, useRef, useState, type FormEvent } from 'react';
import { Link, useNavigate } from 'react-router';
import { accessAddress } from '../access/addresses.js';
import { getDefinitions, type KindDefinition } from '../api/definitions.js';
import { ApiError } from '../api/errors.js';
import type { Unit } from '../api/types.js';
import { Conflict, type Choice } from '../data/conflict.js';
import { useText } from '../i18n/text.js';
import { ActionButton } from '../shell/action.js';
import { useFaultFocus } from '../shell/use-fault-focus.js';
import { useRights } from '../shell/use-rights.js';
import {
  bodyOf,
  draftOf,
  findDefinition,
  ownerOf,
  settingsOfDraft,
  type Definition,
  type Draft,
  type Edited,
} from './definition-draft.js';
import { conflictFields, GroupFields, KindFields } from './definition-fields.js';
import { faultsOf, NO_FAULTS } from './faults.js';
import { FormFault, IdInput, MayWrite, ReviewButtons, StoredId, useDefinitionRefusals } from './form-parts.js';
import { FormPreview } from './form-preview.js';
import { LeaveWarning } from './leave-warning.js';
import { ParameterListEditor } from './parameter-list-editor.js';
import { useReview } from './review.js';
import { settingLabels } from './setting-names.js';
import { isBuiltInId, modelOf, type Model } from './use-model.js';

interface DefinitionFormProps {
  readonly of: Edited;
  readonly model: Model;
  /** Undefined for a new one. */
  readonly definition: Definition | undefined;
}

export function DefinitionForm({ of, model, definition }: DefinitionFormProps) {
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
  const { administrator } = useRights();
  const refusals = useDefinitionRefusals(of);
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
          {administrator === true && base && of !== 'group' && (
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
            <ActionButton
              size="xs"
              color="red"
              variant="light"
              reason={refusals.delete}
              onClick={() => void review.start({ of, id: base.id, body: undefined })}
            >
              {text('model.delete')}
            </ActionButton>
          )}
        </Group>
      </Group>
      {isNew && <Paragraph size="sm">{text(`model.what_${of}`)}</Paragraph>}
      <div className="model-editor">
        <form onSubmit={submit} noValidate ref={form}>
          <MayWrite refusal={isNew ? refusals.create : refusals.update}>
            <FormFault fault={own['']} />
            <TextInput
              label={text('model.name')}
              description={text(isNew ? `model.name_help_${of}` : 'model.name_fixed')}
              maxLength={500}
              autoFocus={isNew}
              value={draft.label}
              error={own['label']}
              onChange={({ currentTarget: { value } }) => change({ label: value })}
            />
            {isNew ? (
              <IdInput name={draft.label} value={ownerOf(draft)} fault={own['id']} onChange={(id) => change({ id })} />
            ) : (
              <StoredId
                id={base.id}
                value={draft.rename_to ?? base.id}
                fault={own['rename_to']}
                help={text(`model.other_id_${of}`)}
                onChange={(id) => change({ rename_to: id })}
              />
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
            {of === 'kind' && (
              <KindFields
                draft={draft}
                model={model}
                stored={base as KindDefinition | undefined}
                faults={own}
                onChange={change}
              />
            )}
            <ReviewButtons isBusy={review.isBusy} isChanged={isChanged} />
          </MayWrite>
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
