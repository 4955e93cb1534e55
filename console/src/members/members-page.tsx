/** The members of all kinds, or of one: found by name or e-mail. The address has the choices. */
import { Anchor, Button, Group, Menu, Select, Text as Paragraph, TextInput, Title } from '@mantine/core';
import { useMemo, useState, type FormEvent } from 'react';
import { Link, useSearchParams } from 'react-router';
import { MEMBER_GROUP } from '../api/members.js';
import type { Field } from '../api/types.js';
import { literal } from '../api/units.js';
import { LoadAgain } from '../data/load-again.js';
import { SelectedUnits } from '../data/selected-units.js';
import { ID, useColumnsOf, type Source } from '../data/source.js';
import { UnitList } from '../data/unit-list.js';
import { useSelection } from '../data/use-selection.js';
import { useUnits } from '../data/use-units.js';
import { useText } from '../i18n/text.js';
import { definitionAddress } from '../model/addresses.js';
import { ActionButton } from '../shell/action.js';
import { Empty } from '../shell/page-states.js';
import { useRights } from '../shell/use-rights.js';
import { useAddress } from '../shell/use-address.js';
import { addressOfMember } from './addresses.js';
import { useMemberKinds } from './use-member-kinds.js';

const SEARCHED = ['username', 'email', 'first_name', 'last_name'] as const;
/** What the struct of a sign-up has, but no list shows. */
const NOT_SHOWN: ReadonlySet<string> = new Set(['kind_system_user', 'metadata', 'updated_at']);

export function MembersPage() {
  const [parameters] = useSearchParams();
  const kind = parameters.get('kind') ?? '';
  return <MembersOf key={kind} kind={kind} />;
}

function MembersOf({ kind }: { kind: string }) {
  const text = useText();
  const { administrator, to } = useRights();
  const { kinds, hasOwn, labelOf } = useMemberKinds();
  const [parameters, setAddress] = useAddress();
  const [find, order] = [parameters.get('find') ?? '', parameters.get('order') ?? ''];
  const source: Source = kind === '' ? { type: 'group', id: MEMBER_GROUP } : { type: 'kind', id: kind };
  const struct = useColumnsOf(source);
  const all = struct.fields;
  const fields = useMemo(() => all && shownFields(all, text('members.last_access')), [all, text]);
  const filter = find === '' ? '' : `or(${SEARCHED.map((id) => `icontains(${id},${literal(find)})`).join(',')})`;
  const list = useUnits(source, { filter, search: '', order });
  const selection = useSelection();
  const change = (name: string, value: string): void => {
    selection.clear();
    setAddress({ [name]: value });
  };
  return (
    <div className="page">
      <Group justify="space-between">
        <Group gap="sm" align="baseline">
          <Title order={1} size="h3">
            {text('members.title')}
          </Title>
          <Paragraph c="dimmed" size="sm" aria-live="polite">
            {list.count.data && text('members.count', { smart_count: list.count.data.count })}
          </Paragraph>
        </Group>
        <Group gap="xs">
          <LoadAgain changed={list.changed} isLoading={list.units.isRefetching} onLoad={list.loadAgain} />
          <NewMember kinds={kinds.filter((each) => to('create', each) !== 'none')} labelOf={labelOf} />
        </Group>
      </Group>
      {administrator === false && <Paragraph size="sm">{text('members.of_others')}</Paragraph>}
      {administrator && kinds.length > 0 && !hasOwn && (
        <Paragraph size="sm">
          {text('members.only_administrators')}{' '}
          <Anchor component={Link} to={definitionAddress('group', MEMBER_GROUP)}>
            {text('members.to_group')}
          </Anchor>
        </Paragraph>
      )}
      <Group gap="xs" align="end">
        <FindForm key={find} find={find} onFind={(next) => change('find', next)} />
        <Select
          size="xs"
          label={text('members.kind')}
          placeholder={text('members.all_kinds')}
          data={kinds.map((id) => ({ value: id, label: labelOf(id) }))}
          value={kind === '' ? null : kind}
          onChange={(next) => change('kind', next ?? '')}
          clearable
        />
      </Group>
      {selection.units.length > 0 && <SelectedUnits selection={selection} />}
      <UnitList
        label={text('members.title')}
        list={list}
        fields={fields}
        shown={fields ?? []}
        fault={struct.error}
        onRetry={() => struct.refetch()}
        order={order}
        onOrder={(next) => change('order', next)}
        selection={selection}
        empty={<Empty>{text(find === '' ? 'members.none_readable' : 'members.none')}</Empty>}
        pageOf={addressOfMember}
        linkField="username"
      />
    </div>
  );
}

function shownFields(fields: readonly Field[], lastAccess: string): readonly Field[] {
  const access: Field = { ...ID, id: 'last_access_time', label: lastAccess, type: 'datetime' };
  const shown = fields.filter(({ id }) => !NOT_SHOWN.has(id));
  return [...shown.filter(({ id }) => id !== 'inserted_at'), access, ...shown.filter(({ id }) => id === 'inserted_at')];
}

function FindForm({ find, onFind }: { find: string; onFind: (find: string) => void }) {
  const text = useText();
  const [typed, setTyped] = useState(find);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onFind(typed.trim());
  };
  return (
    <form onSubmit={submit} role="search">
      <Group gap="xs" align="end">
        <TextInput
          type="search"
          size="xs"
          label={text('members.find')}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <Button type="submit" size="xs" variant="default">
          {text('grid.search')}
        </Button>
      </Group>
    </form>
  );
}

interface NewMemberProps {
  /** Those of which the member may create some. */
  readonly kinds: readonly string[];
  readonly labelOf: (kind: string) => string;
}

function NewMember({ kinds, labelOf }: NewMemberProps) {
  const text = useText();
  if (kinds.length === 0)
    return (
      <ActionButton size="xs" reason={text('rights.no_members')}>
        {text('members.new')}
      </ActionButton>
    );
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button size="xs">{text('members.new')}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {kinds.map((kind) => (
          <Menu.Item key={kind} component={Link} to={`/members/${kind}/new`}>
            {labelOf(kind)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
