/** Which units a chosen member would see, or could change, under what is typed; and how many it is now. */
import { Anchor, List, Paper, Stack, Text as Paragraph, Title } from '@mantine/core';
import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { previewAccess, type AccessSetting } from '../api/access.js';
import { nameOf } from '../data/reference-input.js';
import { labelField, useStruct } from '../data/use-kinds.js';
import { useText } from '../i18n/text.js';
import { PageError } from '../shell/page-states.js';
import { memberId, MemberInput, STRANGER } from './member-input.js';

/** Units that are shown. */
const SHOWN = 10;

interface PreviewUnitsProps {
  readonly kind: string;
  readonly operation: string;
  /** What is typed; undefined as long as it has faults. */
  readonly setting: AccessSetting | undefined;
}

export function PreviewUnits({ kind, operation, setting }: PreviewUnitsProps) {
  const text = useText();
  const [chosen, setChosen] = useState(STRANGER);
  const member = memberId(chosen);
  const { data: fields } = useStruct(kind);
  const name = fields ? labelField(fields) : 'id';
  const now = usePreview({ kind, operation, member, setting: undefined, name, limit: 1 }, true);
  const then = usePreview({ kind, operation, member, setting, name, limit: SHOWN }, setting !== undefined);
  return (
    <Paper withBorder p="sm" component="section" aria-label={text('access.preview')}>
      <Stack gap="xs">
        <Title order={2} size="h5">
          {text('access.preview')}
        </Title>
        <MemberInput value={chosen} onChange={setChosen} />
        <div role="status">
          {member === undefined && <Paragraph size="sm">{text('access.pick_member')}</Paragraph>}
          {member !== undefined && setting === undefined && (
            <Paragraph size="sm">{text('access.preview_faults')}</Paragraph>
          )}
          {then.data && now.data && member !== undefined && setting !== undefined && (
            <Paragraph size="sm">
              {text('access.preview_count', { smart_count: then.data.count, now: now.data.count })}
            </Paragraph>
          )}
        </div>
        {setting !== undefined && then.error && <PageError error={then.error} onRetry={() => void then.refetch()} />}
        {then.data && member !== undefined && setting !== undefined && (
          <List size="sm">
            {then.data.items.map((unit) => (
              <List.Item key={unit.id}>
                <Anchor component={Link} size="sm" to={`/data/${kind}/unit/${encodeURIComponent(unit.id)}`}>
                  {nameOf(unit, name)}
                </Anchor>
              </List.Item>
            ))}
          </List>
        )}
      </Stack>
    </Paper>
  );
}

interface Asked {
  readonly kind: string;
  readonly operation: string;
  readonly member: string | null | undefined;
  readonly setting: AccessSetting | undefined;
  readonly name: string;
  readonly limit: number;
}

function usePreview({ kind, operation, member, setting, name, limit }: Asked, isReady: boolean) {
  return useQuery({
    queryKey: ['access-preview', kind, operation, member, setting, name, limit],
    queryFn:
      !isReady || member === undefined
        ? skipToken
        : ({ signal }) => {
            const asked = { operation, access: setting, member, limit, include: ['id', name], counted: true };
            return previewAccess(kind, asked, signal);
          },
    retry: false,
    placeholderData: keepPreviousData,
  });
}
