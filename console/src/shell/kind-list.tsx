import { ActionIcon, Box, Group, NavLink, ScrollArea, Title } from '@mantine/core';
import { useState } from 'react';
import { Link, NavLink as RouterLink } from 'react-router';
import type { Kind } from '../api/types.js';
import { hasFiles } from '../data/known-kinds.js';
import { useKinds } from '../data/use-kinds.js';
import { useText } from '../i18n/text.js';
import { FindInput } from './find-input.js';
import { PageError } from './page-states.js';
import { useRights } from './use-rights.js';

/** The more kinds there are, the more useful is a field to find one. */
const FIND_FROM = 10;
const AREAS = ['model', 'access', 'members', 'functions', 'webhooks', 'settings'] as const;
const FOR_ADMINISTRATORS: ReadonlySet<string> = new Set<(typeof AREAS)[number]>(['access', 'webhooks', 'settings']);

export function KindList() {
  const text = useText();
  const [find, setFind] = useState('');
  const { own, builtIn, groups, error, refetch } = useKinds();
  const { administrator, to, toAny } = useRights();
  if (error) return <PageError error={error} onRetry={() => void refetch()} />;
  const wanted = find.trim().toLowerCase();
  // An inactive kind cannot be used by anybody.
  const usable = (kinds: readonly Kind[]) => kinds.filter(({ id, active }) => !active || toAny(id));
  const matching = <T extends Named>(named: readonly T[]) =>
    named.filter(({ id, label }) => `${label}\n${id}`.toLowerCase().includes(wanted));
  const shownGroups = matching(groups.filter(({ kind_list: members }) => members.some(toAny)));
  const areas = AREAS.filter(
    (area) => (administrator === true || !FOR_ADMINISTRATORS.has(area)) && (area !== 'settings' || hasFiles(own)),
  );
  const isOpen = wanted !== '' && { opened: true };
  return (
    <>
      <RouterLink to="/" end className="kind-link">
        {({ isActive }) => (
          <NavLink component="span" label={text('overview.title')} variant="filled" active={isActive} fw={600} />
        )}
      </RouterLink>
      {areas.map((area) => (
        <RouterLink key={area} to={`/${area}`} className="kind-link">
          {({ isActive }) => (
            <NavLink component="span" label={text(`menu.${area}`)} variant="filled" active={isActive} fw={600} />
          )}
        </RouterLink>
      ))}
      <Group justify="space-between" px="sm" pt="sm" pb={4}>
        <Title order={2} size="xs" c="dimmed">
          {text('menu.kinds')}
        </Title>
        {to('create', 'kind') !== 'none' && (
          <ActionIcon
            component={Link}
            to="/model/kind/new"
            variant="default"
            size="sm"
            aria-label={text('menu.add_kind')}
            title={text('menu.add_kind')}
          >
            +
          </ActionIcon>
        )}
      </Group>
      {own.length >= FIND_FROM && (
        <Box mb="xs">
          <FindInput label={text('menu.find')} value={find} onChange={setFind} />
        </Box>
      )}
      <ScrollArea>
        {matching(usable(own)).map((kind) => (
          <KindLink key={kind.id} kind={kind} />
        ))}
        {shownGroups.length > 0 && (
          <NavLink component="button" label={text('menu.groups')} childrenOffset="sm" {...isOpen}>
            {shownGroups.map((group) => (
              <KindLink key={group.id} kind={{ ...group, active: true }} to={`/group/${group.id}`} />
            ))}
          </NavLink>
        )}
        <NavLink component="button" label={text('menu.built_in')} childrenOffset="sm" {...isOpen}>
          {matching(usable(builtIn)).map((kind) => (
            <KindLink key={kind.id} kind={kind} />
          ))}
        </NavLink>
      </ScrollArea>
    </>
  );
}

type Named = Pick<Kind, 'id' | 'label'>;

function KindLink({ kind, to = `/data/${kind.id}` }: { kind: Named & Pick<Kind, 'active'>; to?: string }) {
  return (
    <RouterLink to={to} className="kind-link">
      {({ isActive }) => (
        <NavLink
          component="span"
          label={kind.label}
          variant="filled"
          active={isActive}
          disabled={!kind.active}
          title={kind.id}
        />
      )}
    </RouterLink>
  );
}
