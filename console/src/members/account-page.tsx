/** The account of the member that is signed in: name, API keys, and the way to how it signs in. */
import { Alert, Anchor, Badge, Group, Stack, Text as Paragraph, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { Link } from 'react-router';
import type { Member } from '../api/types.js';
import { ETAG, getUnit, updateUnit } from '../api/units.js';
import { faultsOf, type FieldErrors } from '../data/faults.js';
import { UnitForm } from '../data/unit-form.js';
import { useStruct } from '../data/use-kinds.js';
import { useText } from '../i18n/text.js';
import { EmptyPage, PageError, Waiting } from '../shell/page-states.js';
import { useMe } from '../shell/use-me.js';
import { KeyList } from './key-list.js';
import { useMemberKinds } from './use-member-kinds.js';

const OWN_FIELDS: ReadonlySet<string> = new Set(['first_name', 'last_name']);

export function AccountPage() {
  const text = useText();
  const { data: me, error, refetch } = useMe();
  const { labelOf } = useMemberKinds();
  if (error) {
    return (
      <EmptyPage title={text('members.account')}>
        <PageError error={error} onRetry={() => void refetch()} />
      </EmptyPage>
    );
  }
  if (!me) return <Waiting />;
  return (
    <div className="page" style={{ overflow: 'auto' }}>
      <Group gap="sm">
        <Title order={1} size="h3">
          {text('members.account')}
        </Title>
        <Badge variant="default" className="text-of-tenant">
          {labelOf(me.kind_id)}
        </Badge>
      </Group>
      <Paragraph className="text-of-tenant">{me.username}</Paragraph>
      {me.administrator && <Paragraph size="sm">{text('members.administrator')}</Paragraph>}
      <Stack gap="xl" pb="xl">
        <NameForm me={me} />
        <section aria-label={text('ways.title')}>
          <Title order={2} size="h4" mb="xs">
            {text('ways.title')}
          </Title>
          <Anchor component={Link} to="/account/sign-in">
            {text('ways.to_page')}
          </Anchor>
        </section>
        <KeyList member={me.id} />
      </Stack>
    </div>
  );
}

function NameForm({ me: { kind_id: kind, id } }: { me: Member }) {
  const text = useText();
  const notify = useNotify();
  const queries = useQueryClient();
  const struct = useStruct(kind);
  const queryKey = ['unit', kind, id];
  const unit = useQuery({
    queryKey,
    queryFn: ({ signal }) => getUnit(kind, id, signal),
    retry: false,
    // What is typed must not be replaced.
    refetchOnWindowFocus: false,
  });
  const fields = struct.data?.filter((field) => OWN_FIELDS.has(field.id));
  const save = async (values: object): Promise<FieldErrors | undefined> => {
    try {
      queries.setQueryData(queryKey, await updateUnit(kind, id, values));
      notify(text('unit.saved'), { type: 'success' });
      return undefined;
    } catch (fault) {
      return faultsOf(fault, fields ?? [], text);
    }
  };
  const refused = struct.error ?? unit.error;
  return (
    <section aria-label={text('members.name')}>
      <Title order={2} size="h4" mb="xs">
        {text('members.name')}
      </Title>
      {refused && <Alert color="yellow">{text('members.name_refused', { reason: refused.message })}</Alert>}
      {!refused && (!fields || !unit.data) && <Waiting />}
      {fields && unit.data && (
        <UnitForm key={unit.data[ETAG]} fields={fields} unit={unit.data} isNew={false} onSave={save} />
      )}
    </section>
  );
}
