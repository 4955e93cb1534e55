/** Edits who may do one operation: checks rules as they are typed, and shows whom they let see what. */
import { Anchor, Button, Group, Stack, Text as Paragraph, TextInput, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type FormEvent } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import { previewAccess, type AccessSetting } from '../api/access.js';
import { tryDefinition } from '../api/definitions.js';
import { ApiError } from '../api/errors.js';
import type { Unit } from '../api/types.js';
import { getUnit } from '../api/units.js';
import { Conflict, type Choice } from '../data/conflict.js';
import { COMMON } from '../data/source.js';
import { useText, type Text } from '../i18n/text.js';
import { FixedId, FormFault } from '../model/form-parts.js';
import { LeaveWarning } from '../model/leave-warning.js';
import { useReview } from '../model/review.js';
import { useModel, usersOf, type Model } from '../model/use-model.js';
import { Empty, EmptyPage, Waiting } from '../shell/page-states.js';
import { useFaultFocus } from '../shell/use-fault-focus.js';
import { useRights } from '../shell/use-rights.js';
import { AccessFault } from './access-fault.js';
import type { AccessOf } from './addresses.js';
import {
  acceptedOf,
  bodyOf,
  draftOf,
  faultsOf,
  settingOf,
  settingOfDraft,
  type Draft,
  type Edited,
} from './edited-access.js';
import { PreviewUnits } from './preview-units.js';
import { SettingInput } from './setting-input.js';
import { settingText } from './setting.js';
import '../model/model.css';
import './access.css';

export function AccessEditorPage() {
  const text = useText();
  const { of = 'kind', id = '', operation = '' } = useParams() as { of?: AccessOf; id?: string; operation?: string };
  const { administrator, isPending } = useRights();
  const { model, error: modelError } = useModel();
  const type = of === 'field' ? model?.parameters.get(id)?.kind_id : of;
  const edited = type && { of, definition: type, id, operation };
  const { data, error, refetch } = useQuery({
    queryKey: ['access-of', type, id],
    queryFn: edited ? ({ signal }) => getUnit(edited.definition, id, signal) : skipToken,
    retry: false,
    // What is typed must not be replaced.
    refetchOnWindowFocus: false,
  });
  if (administrator === false) {
    // A member may read the definition, and not what its access is.
    return (
      <EmptyPage title={text('access.title')}>
        <Empty>{text('access.administrators')}</Empty>
      </EmptyPage>
    );
  }
  const isGone = (model && !type) || (error instanceof ApiError && error.status === 404);
  const fault = error ?? modelError;
  if (isGone || fault) {
    return (
      <EmptyPage title={text('access.title')}>
        {isGone ? <Empty>{text('model.gone')}</Empty> : <AccessFault error={fault} onRetry={() => void refetch()} />}
      </EmptyPage>
    );
  }
  if (!data || !edited || isPending) return <Waiting />;
  return <Editor key={`${of} ${id} ${operation}`} edited={edited} definition={data} />;
}

/** Until a rule is checked after the last key. */
const TYPING_MS = 350;

function Editor({ edited, definition }: { edited: Edited; definition: Unit }) {
  const text = useText();
  const navigate = useNavigate();
  const queries = useQueryClient();
  /** The version that is edited. */
  const [base, setBase] = useState(definition);
  const [draft, setDraft] = useState(() => draftOf(settingOf(edited, definition)));
  const [refused, setRefused] = useState<{ readonly fault: unknown; readonly draft: Draft }>();
  const [theirs, setTheirs] = useState<Unit>();
  const saved = useRef(false);
  const form = useFaultFocus<HTMLFormElement>(refused);
  const before = settingOf(edited, base);
  const setting = settingOfDraft(draft);
  const acceptedBefore = acceptedOf(edited, base);
  const [accepted, setAccepted] = useState(acceptedBefore);
  const isChanged = !isSame(setting, before) || accepted !== acceptedBefore;
  const check = useCheck(edited, base, draft, isChanged);

  const review = useReview({
    onDone: () => {
      saved.current = true;
      queries.removeQueries({ queryKey: ['access-of'] });
      void navigate('/access');
    },
    onFault: async (fault) => {
      if (!(fault instanceof ApiError) || fault.status !== 412) return setRefused({ fault, draft });
      const now = await getUnit(edited.definition, edited.id);
      // Somebody else has changed another setting.
      if (isSame(settingOf(edited, now), before)) return send(now);
      setTheirs(now);
    },
  });
  const send = (version: Unit): void => {
    if (setting === undefined) return;
    setBase(version);
    setRefused(undefined);
    void review.start({ of: edited.definition, id: edited.id, body: bodyOf(edited, version, setting, accepted) });
  };
  const resolve = (choice: Choice): void => {
    if (!theirs) return;
    setTheirs(undefined);
    if ('setting' in choice) return send(theirs);
    setBase(theirs);
    setDraft(draftOf(settingOf(edited, theirs)));
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    send(base);
  };
  const messages = refused?.draft === draft ? messagesOf(refused.fault) : check.messages;
  const faults = faultsOf(messages, draft);
  const { model } = useModel();
  const previewed = previewedKinds(edited, model);
  const operation = text(`operation.${edited.operation.replace('_access', '') as 'read'}`);
  const label = typeof base['label'] === 'string' ? base['label'] : edited.id;
  return (
    <div className="page access">
      <Title order={1} size="h3" className="access-names">
        {text('access.edit', { label, operation })}
      </Title>
      <FixedId id={edited.id} />
      {edited.of === 'field' && <Paragraph size="sm">{text('access.field_help')}</Paragraph>}
      <div className="model-editor">
        <form onSubmit={submit} noValidate ref={form}>
          <Stack>
            <FormFault fault={faults.others.length > 0 ? faults.others.join('\n') : undefined} />
            <SettingInput
              of={edited.of}
              label={text('access.who_may')}
              draft={draft}
              faults={faults}
              onChange={setDraft}
            />
            {edited.of === 'kind' && (
              <TextInput
                label={text('access.accepted_label')}
                description={text('access.accepted_help')}
                value={accepted}
                onChange={(event) => setAccepted(event.currentTarget.value)}
              />
            )}
            <Paragraph size="sm" c="dimmed" role="status">
              {check.isRight && draft.who === 'rules' ? text('access.rules_right') : ''}
            </Paragraph>
            <Group>
              <Button type="submit" loading={review.isBusy} disabled={!isChanged || setting === undefined}>
                {text('model.review')}
              </Button>
              <Anchor component={Link} to="/access" size="sm">
                {text('app.cancel')}
              </Anchor>
            </Group>
          </Stack>
        </form>
        {previewed.length > 0 && (
          <PreviewUnits
            kinds={previewed}
            parameter={edited.of === 'field' ? edited.id : undefined}
            operation={previewedOperation(edited)}
            setting={isChanged ? check.checked : before}
          />
        )}
      </div>
      {review.dialog}
      {theirs && (
        <Conflict
          of="definition"
          fields={[{ ...COMMON, id: 'setting', label: operation, type: 'text' }]}
          mine={{ setting: settingText(setting ?? undefined, text) }}
          theirs={{ id: edited.id, kind_id: edited.definition, setting: shown(settingOf(edited, theirs), text) }}
          onChoose={resolve}
          onClose={() => setTheirs(undefined)}
        />
      )}
      <LeaveWarning when={isChanged} saved={saved} />
    </div>
  );
}

/** The kinds with whose units the setting can be tried. */
function previewedKinds({ of, id, operation }: Edited, model: Model | undefined) {
  if (of === 'kind') return operation === 'signup' ? [] : [{ id, label: id }];
  if (of !== 'field' || !model) return [];
  return usersOf(model, id).filter((user) => 'remote' in user && !user.remote);
}

/** A parameter is written by who updates its unit. */
function previewedOperation({ of, operation }: Edited): string {
  if (of !== 'field') return operation;
  return operation === 'read_access' ? 'read' : 'update';
}

/** Asks the service whether what is typed could be stored. */
function useCheck(edited: Edited, base: Unit, draft: Draft, isChanged: boolean) {
  const [asked] = useDebouncedValue(draft, TYPING_MS);
  const setting = settingOfDraft(asked);
  const { of, id, operation } = edited;
  const { data, error } = useQuery({
    queryKey: ['access-check', of, id, operation, setting, base['updated_at']],
    queryFn:
      setting === undefined || !isChanged
        ? skipToken
        : async ({ signal }): Promise<true> => {
            await checkSetting(edited, base, setting, signal);
            return true;
          },
    retry: false,
  });
  // What was asked is what is typed by now.
  const isCurrent = asked === draft;
  const isRight = isCurrent && data === true;
  const isStale = error instanceof ApiError && error.status === 412;
  return {
    isRight,
    checked: isRight ? setting : undefined,
    // A newer version of somebody else is shown when this one is saved.
    messages: isCurrent && error && !isStale ? messagesOf(error) : [],
  };
}

/** @throws ApiError 400 if the setting cannot be stored */
async function checkSetting(edited: Edited, base: Unit, setting: AccessSetting, signal: AbortSignal): Promise<void> {
  const { of, definition, id, operation } = edited;
  if (of === 'kind' && operation !== 'signup') {
    try {
      const query = { operation, access: setting, member: null, limit: 1, include: ['id'], counted: false };
      return void (await previewAccess(id, query, signal));
    } catch (error) {
      // Nobody may read the units, or the kind is inactive: what is typed may be right.
      if (!(error instanceof ApiError) || error.status !== 403) throw error;
    }
  }
  await tryDefinition({ of: definition, id, body: bodyOf(edited, base, setting) });
}

function messagesOf(fault: unknown): readonly { readonly text: string }[] {
  return fault instanceof ApiError ? fault.messages : [{ text: (fault as Error).message }];
}

function isSame(one: AccessSetting | undefined, other: AccessSetting): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function shown(setting: AccessSetting, text: Text): string {
  return settingText(setting ?? undefined, text);
}
