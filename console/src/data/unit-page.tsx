/** One unit: read, edited, duplicated, deleted; or a new one. */
import { Anchor, Button, Group, Title } from '@mantine/core';
import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { lazy, Suspense, useState } from 'react';
import { Link, Navigate, useNavigate, useParams, useSearchParams } from 'react-router';
import { ApiError } from '../api/errors.js';
import { asFile } from '../api/files.js';
import type { Field } from '../api/types.js';
import { selectionsOf } from '../api/selected.js';
import { createUnit, ETAG, getUnit, literal, updateUnit, type ReadUnit } from '../api/units.js';
import { useText } from '../i18n/text.js';
import { useLiveList } from '../live/use-live-list.js';
import { useMemberKinds } from '../members/use-member-kinds.js';
import { CallbackAddress } from '../settings/callback-address.js';
import { ActionButton } from '../shell/action.js';
import { Empty, EmptyPage, PageError, Waiting } from '../shell/page-states.js';
import { useRights } from '../shell/use-rights.js';
import { Conflict, type Choice } from './conflict.js';
import { DeleteUnits } from './delete-units.js';
import { faultsOf, type FieldErrors } from './faults.js';
import { UNITS } from './source.js';
import { UnitContent } from './unit-content.js';
import { UnitHistory } from './unit-history.js';
import { useCan } from './use-can.js';
import { useIsFiles } from './use-files.js';
import { labelField, nameOf } from './unit-names.js';
import { useKinds, useStruct } from './use-kinds.js';
import { useRefusal } from './use-refusal.js';

const FileSection = lazy(async () => ({ default: (await import('../files/file-section.js')).FileSection }));

export function UnitPage() {
  const { kind = '', id } = useParams();
  const [parameters] = useSearchParams();
  const copyOf = parameters.get('copy') ?? undefined;
  return <UnitOfKind key={`${kind} ${id ?? ''} ${copyOf ?? ''}`} kind={kind} id={id} copyOf={copyOf} />;
}

const NO_FIELDS: readonly Field[] = [];
const PROVIDER_KIND = 'identity_provider';
const NO_UNITS: readonly ReadUnit[] = [];

interface UnitOfKindProps {
  readonly kind: string;
  /** Undefined for a new unit. */
  readonly id: string | undefined;
  /** The unit whose values a new one gets. */
  readonly copyOf: string | undefined;
}

function UnitOfKind({ kind, id, copyOf }: UnitOfKindProps) {
  const text = useText();
  const notify = useNotify();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { own, labelOf } = useKinds();
  const { administrator, isPending, to } = useRights();
  const refusalOf = useRefusal();
  const struct = useStruct(kind);
  const read = id ?? copyOf;
  const unit = useQuery({
    queryKey: ['unit', kind, read],
    queryFn: read === undefined ? skipToken : ({ signal }) => getUnit(kind, read, signal),
    retry: false,
    // What is typed must not be replaced.
    refetchOnWindowFocus: false,
  });
  const live = useLiveList({
    kind,
    filter: `eq(id,${literal(id ?? '')})`,
    units: unit.data ? [unit.data] : NO_UNITS,
    isWhole: true,
    isRead: id !== undefined && unit.isSuccess && !unit.isRefetching,
  });
  const [conflict, setConflict] = useState<{ values: object; theirs: ReadUnit }>();
  const isFiles = useIsFiles(kind);
  const { kinds: memberKinds } = useMemberKinds();
  const { can } = useCan(kind, id === undefined ? undefined : unit.data, struct.data ?? NO_FIELDS);
  const [isOpen, setOpen] = useState(false);
  const kindLabel = labelOf(kind);
  const list = `/data/${kind}`;

  if (unit.error instanceof ApiError && unit.error.status === 404) {
    return (
      <EmptyPage title={kindLabel}>
        <Empty>{text('unit.gone')}</Empty>
      </EmptyPage>
    );
  }
  const error = unit.error ?? struct.error;
  if (error) {
    return (
      <EmptyPage title={kindLabel}>
        <PageError error={error} onRetry={() => void (unit.error ? unit.refetch() : struct.refetch())} />
      </EmptyPage>
    );
  }
  // Files are made by uploads alone.
  if (isFiles && id === undefined) return <Navigate to={list} replace />;
  if (!struct.data || isPending || (read !== undefined && !unit.data)) return <Waiting />;
  const fields = struct.data.filter(
    ({ persistence, type }) => persistence !== 'run_time' || id === undefined || type === 'json',
  );
  const isProvider = kind === PROVIDER_KIND;

  /** Sends the changed values; a newer version of somebody else is shown beside them. */
  const save = async (values: object, etag = unit.data?.[ETAG]): Promise<FieldErrors | undefined> => {
    try {
      if (id === undefined) {
        const created = await createUnit(kind, values);
        notify(text('unit.created'), { type: 'success' });
        await queries.invalidateQueries({ queryKey: [UNITS] });
        void navigate(`${list}/unit/${encodeURIComponent(created.id)}`, { replace: true });
      } else {
        queries.setQueryData(['unit', kind, id], await updateUnit(kind, id, values, etag));
        await queries.invalidateQueries({ queryKey: [UNITS] });
        await queries.invalidateQueries({ queryKey: ['history', kind, id] });
        setConflict(undefined);
        notify(text('unit.saved'), { type: 'success' });
      }
      return undefined;
    } catch (fault) {
      if (fault instanceof ApiError && fault.status === 412 && id !== undefined) {
        setConflict({ values, theirs: await getUnit(kind, id) });
        return {};
      }
      return faultsOf(fault, fields, text);
    }
  };
  const saveChoice = async (choice: Choice): Promise<void> => {
    if (!conflict) return;
    const faults = await save(choice, conflict.theirs[ETAG]);
    if (faults) notify(Object.values(faults).join('\n'), { type: 'error' });
  };

  const updateRefusal =
    refusalOf('update', [kind]) ?? (can?.update === false ? text('rights.no_update_unit') : undefined);
  const label = labelField(fields);
  const title = id === undefined ? text('unit.new', { kind: kindLabel }) : unit.data ? nameOf(unit.data, label) : id;
  return (
    <div className="page" style={{ overflow: 'auto' }}>
      <Group justify="space-between" align="end">
        <div className="text-of-tenant">
          <Anchor component={Link} size="sm" to={list}>
            {text('unit.to_list', { kind: kindLabel })}
          </Anchor>
          <Title order={1} size="h3" lineClamp={3} title={title}>
            {title}
          </Title>
        </div>
        {id !== undefined && (
          <Group gap="xs">
            {own.some((each) => each.id === kind) && (
              <Button component={Link} size="xs" variant="default" to={`/links/${kind}/${encodeURIComponent(id)}`}>
                {text('graph.of_unit')}
              </Button>
            )}
            {administrator === true && (
              <Button component={Link} size="xs" variant="default" to={`/why/${kind}/${encodeURIComponent(id)}`}>
                {text('access.of_unit')}
              </Button>
            )}
            {!isFiles && (
              <ActionButton
                size="xs"
                variant="default"
                reason={refusalOf('create', [kind])}
                to={`${list}/new?copy=${encodeURIComponent(id)}`}
              >
                {text('unit.duplicate')}
              </ActionButton>
            )}
            <DeleteUnits
              label={text('unit.delete')}
              name={title}
              reason={
                refusalOf('delete', [kind]) ?? (can?.delete === false ? text('rights.no_delete_unit') : undefined)
              }
              selections={selectionsOf([{ kind_id: kind, id }])}
              onDone={() => void navigate(list)}
            />
          </Group>
        )}
      </Group>
      {isFiles && unit.data && (
        <Suspense fallback={<Waiting />}>
          <FileSection file={asFile(unit.data)} refusal={updateRefusal} onChanged={() => void unit.refetch()} />
        </Suspense>
      )}
      {isProvider && administrator === true && <CallbackAddress id={id} />}
      <UnitContent
        kind={kind}
        fields={isProvider ? providerFields(fields, memberKinds) : fields}
        unit={unit.data}
        isNew={id === undefined}
        onSave={save}
        change={live.changes[0]}
        onShow={() => void unit.refetch()}
      />
      {id !== undefined && to('history', kind) !== 'none' && (
        <section aria-label={text('history.title')}>
          <Button size="xs" variant="default" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {text('history.title')}
          </Button>
          {isOpen && (
            <UnitHistory
              kind={kind}
              id={id}
              fields={fields}
              refusal={updateRefusal}
              onReverted={async () => {
                await unit.refetch();
                await queries.invalidateQueries({ queryKey: [UNITS] });
              }}
            />
          )}
        </section>
      )}
      {conflict && unit.data && (
        <Conflict
          fields={fields}
          mine={conflict.values as Readonly<Record<string, unknown>>}
          theirs={conflict.theirs}
          onChoose={(choice) => void saveChoice(choice)}
          onClose={() => setConflict(undefined)}
        />
      )}
    </div>
  );
}

/** The kind of its members is one of those that there are. */
function providerFields(fields: readonly Field[], memberKinds: readonly string[]): readonly Field[] {
  return fields.map((field) => (field.id === 'member_kind' ? { ...field, values: memberKinds } : field));
}
