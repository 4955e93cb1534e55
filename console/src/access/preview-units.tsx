/** Which units a chosen member would see, or could change, under what is typed; and how many it is now. */
import { Anchor, List, Paper, Select, Stack, Text as Paragraph, Title } from '@mantine/core';
import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { previewAccess, type AccessSetting } from '../api/access.js';
import { labelField, nameOf } from '../data/unit-names.js';
import { useStruct } from '../data/use-kinds.js';
import { useText } from '../i18n/text.js';
import { PageError } from '../shell/page-states.js';
import { memberId, MemberInput, STRANGER } from './member-input.js';

/** Units that are shown. */
const SHOWN = 10;

interface PreviewUnitsProps {
  /** The kinds to choose from: that of the setting, or those that have the parameter. */
  readonly kinds: readonly Named[];
  /** Of a parameter. */
  readonly parameter?: string | undefined;
  readonly operation: string;
  /** What is typed; undefined as long as it has faults. */
  readonly setting: AccessSetting | undefined;
}

interface Named {
  readonly id: string;
  readonly label: string;
}

export function PreviewUnits({ kinds, parameter, operation, setting }: PreviewUnitsProps) {
  const text = useText();
  const [chosenKind, setKind] = useState<string>();
  const kind = chosenKind ?? kinds[0]?.id ?? '';
  const [chosen, setChosen] = useState(STRANGER);
  const member = memberId(chosen);
  const { data: fields } = useStruct(kind);
  const name = fields ? labelField(fields) : 'id';
  const now = usePreview({ kind, parameter, operation, member, setting: undefined, name, limit: 1 }, true);
  const then = usePreview({ kind, parameter, operation, member, setting, name, limit: SHOWN }, setting !== undefined);
  return (
    <Paper withBorder p="sm" component="section" aria-label={text('access.preview')}>
      <Stack gap="xs">
        <Title order={2} size="h5">
          {text('access.preview')}
        </Title>
        {kinds.length > 1 && (
          <Select
            label={text('access.preview_kind')}
            allowDeselect={false}
            searchable
            data={kinds.map(({ id, label }) => ({ value: id, label }))}
            value={kind}
            onChange={(id) => id !== null && setKind(id)}
          />
        )}
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
  readonly parameter: string | undefined;
  readonly operation: string;
  readonly member: string | null | undefined;
  readonly setting: AccessSetting | undefined;
  readonly name: string;
  readonly limit: number;
}

function usePreview({ kind, parameter, operation, member, setting, name, limit }: Asked, isReady: boolean) {
  return useQuery({
    queryKey: ['access-preview', kind, parameter, operation, member, setting, name, limit],
    queryFn:
      !isReady || member === undefined
        ? skipToken
        : ({ signal }) => {
            const asked = {
              operation,
              parameter,
              access: setting,
              member,
              limit,
              include: ['id', name],
              counted: true,
            };
            return previewAccess(kind, asked, signal);
          },
    retry: false,
    placeholderData: keepPreviousData,
  });
}
