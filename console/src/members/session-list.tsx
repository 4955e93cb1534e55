/** Where a member is signed in, and ways to end that. */
import { Badge, Button, Table, Text as Paragraph } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { useState } from 'react';
import { endSession, endSessions, listSessions, type MemberSession } from '../api/members.js';
import { WriteDialog } from '../data/write-dialog.js';
import { shownInstant } from '../fields/shown-time.js';
import { useText, type Text } from '../i18n/text.js';
import { RowButton } from '../shell/row-button.js';
import { WideTable } from '../shell/wide-table.js';
import { clientName } from './client-name.js';
import { ListSection } from './list-section.js';

/** @param member another one; undefined for oneself */
export function SessionList({ member, name }: { member: string | undefined; name: string }) {
  const text = useText();
  const notify = useNotify();
  const queries = useQueryClient();
  const queryKey = ['sessions', member];
  const { data, error, refetch } = useQuery({ queryKey, queryFn: () => listSessions(member), retry: false });
  const [isAsking, setAsking] = useState(false);
  const done = async (message: string): Promise<void> => {
    notify(message, { type: 'success' });
    await queries.invalidateQueries({ queryKey });
  };
  const end = useMutation({
    mutationFn: (id: string) => endSession(id, member),
    onSuccess: () => done(text('sessions.ended')),
    onError: (fault) => {
      notify(fault.message, { type: 'error' });
      void refetch();
    },
  });
  const endAll = useMutation({
    mutationFn: () => endSessions(member),
    onSuccess: () => {
      setAsking(false);
      return done(text('sessions.all_ended'));
    },
  });
  return (
    <ListSection
      title={text('sessions.title')}
      action={
        <Button
          size="xs"
          variant="default"
          loading={endAll.isPending}
          onClick={() => {
            endAll.reset();
            if (member === undefined) endAll.mutate();
            else setAsking(true);
          }}
        >
          {text(member === undefined ? 'sessions.end_others' : 'sessions.end_all')}
        </Button>
      }
      error={error ?? (member === undefined ? endAll.error : null)}
      onRetry={() => void refetch()}
      count={data?.items.length}
      none={text('sessions.none')}
      table={
        <SessionTable
          sessions={data?.items ?? []}
          endsCurrent={member !== undefined}
          busy={end.isPending ? end.variables : undefined}
          onEnd={(id) => end.mutate(id)}
        />
      }
    >
      {data && data.count > data.items.length && (
        <Paragraph size="sm">{text('sessions.more', { shown: data.items.length, count: data.count })}</Paragraph>
      )}
      <WriteDialog
        isOpen={isAsking}
        title={text('sessions.end_all_title', { name })}
        refusedTitle={text('sessions.refused')}
        fault={endAll.error}
        isBusy={endAll.isPending}
        canConfirm
        confirm={text('sessions.end_all')}
        color="red"
        onConfirm={() => endAll.mutate()}
        onClose={() => setAsking(false)}
      >
        <Paragraph size="sm">{text('sessions.end_all_text')}</Paragraph>
      </WriteDialog>
    </ListSection>
  );
}

interface SessionTableProps {
  readonly sessions: readonly MemberSession[];
  /** Whether the session of this page can be ended here. */
  readonly endsCurrent: boolean;
  readonly busy: string | undefined;
  readonly onEnd: (id: string) => void;
}

function SessionTable({ sessions, endsCurrent, busy, onEnd }: SessionTableProps) {
  const text = useText();
  return (
    <WideTable minWidth={560} label={text('sessions.title')}>
      <Table.Thead>
        <Table.Tr>
          {(['client', 'address', 'made_at', 'last_used_at'] as const).map((name) => (
            <Table.Th key={name}>{text(`sessions.${name}`)}</Table.Th>
          ))}
          <Table.Td />
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {sessions.map(({ id, user_agent: client, address, made_at: madeAt, last_used_at: usedAt, current }) => (
          <Table.Tr key={id}>
            <Table.Td className="text-of-tenant" title={client ?? undefined}>
              {nameOf(client, text)} {current && <Badge variant="default">{text('sessions.current')}</Badge>}
            </Table.Td>
            <Table.Td>{address ?? text('sessions.unknown')}</Table.Td>
            <Table.Td>{shownInstant(madeAt)}</Table.Td>
            <Table.Td>{shownInstant(usedAt)}</Table.Td>
            <Table.Td>
              {(!current || endsCurrent) && (
                <RowButton
                  loading={busy === id}
                  label={text('sessions.end_of', { client: nameOf(client, text) })}
                  onClick={() => onEnd(id)}
                >
                  {text('sessions.end')}
                </RowButton>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}

function nameOf(agent: string | null, text: Text): string {
  const name = clientName(agent ?? '');
  return typeof name === 'string' ? name || text('sessions.unknown') : text('sessions.client_name', { ...name });
}
