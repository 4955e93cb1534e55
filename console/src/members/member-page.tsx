/** A member: where it is signed in, its API keys, a mail to set its password, and its end. */
import { Anchor, Badge, Button, Group, Stack, Text as Paragraph, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { Link, useNavigate, useParams } from 'react-router';
import { ApiError } from '../api/errors.js';
import { sendPasswordMail } from '../api/members.js';
import { selectionsOf } from '../api/selected.js';
import { getUnit, type ReadUnit } from '../api/units.js';
import { DeleteUnits } from '../data/delete-units.js';
import { addressOf } from '../data/grid-row.js';
import { useRefusal } from '../data/use-refusal.js';
import { shownInstant } from '../fields/shown-time.js';
import { useText } from '../i18n/text.js';
import { Empty, EmptyPage, PageError, Waiting } from '../shell/page-states.js';
import { useMe } from '../shell/use-me.js';
import { KeyList } from './key-list.js';
import { NoMailNotice, useAreMailsSent } from './mail.js';
import { SessionList } from './session-list.js';
import { useMemberKinds } from './use-member-kinds.js';

export function MemberPage() {
  const text = useText();
  const { kind = '', id = '' } = useParams();
  const me = useMe();
  const { data, error, refetch } = useQuery({
    queryKey: ['unit', kind, id],
    queryFn: ({ signal }) => getUnit(kind, id, signal),
    retry: false,
  });
  const isGone = error instanceof ApiError && error.status === 404;
  const fault = error ?? me.error;
  if (fault) {
    return (
      <EmptyPage title={text('members.title')}>
        {isGone ? (
          <Empty>{text('members.gone')}</Empty>
        ) : (
          <PageError error={fault} onRetry={() => void Promise.all([refetch(), me.refetch()])} />
        )}
      </EmptyPage>
    );
  }
  if (!data || !me.data) return <Waiting />;
  const isMe = me.data.id === data.id;
  return (
    <div className="page" style={{ overflow: 'auto' }}>
      <MemberHead key={data.id} member={data} isMe={isMe} isAdministrator={me.data.administrator} />
      {me.data.administrator ? (
        <Stack gap="xl" pb="xl">
          <SessionList member={data.id} name={nameOf(data)} />
          <KeyList member={data.id} />
        </Stack>
      ) : (
        !isMe && <Paragraph size="sm">{text('members.admins_only')}</Paragraph>
      )}
    </div>
  );
}

function nameOf(member: ReadUnit): string {
  return typeof member['username'] === 'string' ? member['username'] : member.id;
}

interface MemberHeadProps {
  readonly member: ReadUnit;
  readonly isMe: boolean;
  readonly isAdministrator: boolean;
}

function MemberHead({ member, isMe, isAdministrator }: MemberHeadProps) {
  const text = useText();
  const navigate = useNavigate();
  const refusalOf = useRefusal();
  const { labelOf } = useMemberKinds();
  const { kind_id: kind, id } = member;
  const names = [member['first_name'], member['last_name']].filter((each) => typeof each === 'string' && each !== '');
  const email = typeof member['email'] === 'string' ? member['email'] : '';
  const accessed = shownInstant(member['last_access_time']);
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Group gap="sm">
          <Title order={1} size="h3" className="text-of-tenant">
            {nameOf(member)}
          </Title>
          {isMe && <Badge variant="default">{text('members.you')}</Badge>}
          {isMe && (
            <Anchor component={Link} size="sm" to="/account">
              {text('members.to_account')}
            </Anchor>
          )}
        </Group>
        <Group gap="xs">
          <Button component={Link} size="xs" variant="default" to={addressOf(kind, id)}>
            {text('members.edit')}
          </Button>
          {isAdministrator && email !== '' && <MailButton email={email} />}
          {isAdministrator && (
            <DeleteUnits
              label={text('unit.delete')}
              name={nameOf(member)}
              reason={refusalOf('delete', [kind])}
              selections={selectionsOf([{ kind_id: kind, id }])}
              onDone={() => void navigate('/members')}
            />
          )}
        </Group>
      </Group>
      <Paragraph size="sm" className="text-of-tenant">
        {[names.join(' '), text('members.facts', { kind: labelOf(kind), email })].filter(Boolean).join(' · ')}
      </Paragraph>
      <Paragraph size="sm" c="dimmed">
        {accessed === '' ? text('members.never_accessed') : text('members.accessed', { time: accessed })}
      </Paragraph>
      {isAdministrator && <NoMailNotice />}
    </Stack>
  );
}

function MailButton({ email }: { email: string }) {
  const text = useText();
  const notify = useNotify();
  const isSent = useAreMailsSent();
  const mail = useMutation({
    mutationFn: () => sendPasswordMail(email),
    onSuccess: () => {
      const message = isSent === false ? 'members.mail_written' : 'members.mail_sent';
      notify(text(message, { email }), { type: isSent === false ? 'warning' : 'success' });
    },
    onError: (error) => notify(error.message, { type: 'error' }),
  });
  return (
    <Button size="xs" variant="default" loading={mail.isPending} onClick={() => mail.mutate()}>
      {text('members.send_mail')}
    </Button>
  );
}
