import { NavLink, ScrollArea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { NavLink as RouterLink } from 'react-router';
import type { Kind } from '../api/types.js';
import { useKinds } from '../data/use-kinds.js';
import { useText } from '../i18n/text.js';
import { PageError } from './page-states.js';

/** The more kinds there are, the more useful is a field to find one. */
const FIND_FROM = 10;

export function KindList() {
  const text = useText();
  const [find, setFind] = useState('');
  const { own, builtIn, error, refetch } = useKinds();
  if (error) return <PageError error={error} onRetry={() => void refetch()} />;
  const wanted = find.trim().toLowerCase();
  const matching = (kinds: readonly Kind[]) =>
    kinds.filter(({ id, label }) => `${label}\n${id}`.toLowerCase().includes(wanted));
  return (
    <>
      {own.length >= FIND_FROM && (
        <TextInput
          type="search"
          size="xs"
          mb="xs"
          aria-label={text('menu.find')}
          placeholder={text('menu.find')}
          value={find}
          onChange={(event) => setFind(event.currentTarget.value)}
        />
      )}
      <RouterLink to="/model" className="kind-link">
        {({ isActive }) => (
          <NavLink component="span" label={text('menu.model')} variant="filled" active={isActive} fw={600} />
        )}
      </RouterLink>
      <ScrollArea>
        {matching(own).map((kind) => (
          <KindLink key={kind.id} kind={kind} />
        ))}
        <NavLink
          component="button"
          label={text('menu.built_in')}
          childrenOffset="sm"
          {...(wanted !== '' && { opened: true })}
        >
          {matching(builtIn).map((kind) => (
            <KindLink key={kind.id} kind={kind} />
          ))}
        </NavLink>
      </ScrollArea>
    </>
  );
}

function KindLink({ kind }: { kind: Kind }) {
  return (
    <RouterLink to={`/data/${kind.id}`} className="kind-link">
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
