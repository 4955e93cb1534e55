/** The members of all kinds, or of one: found by name or e-mail. The address has the choices. */
import { Anchor, Button, Group, Menu, Select, Text as Paragraph, TextInput, Title } from '@mantine/core';
import { useMemo, useState, type FormEvent } from 'react';
import { Link, useSearchParams } from 'react-router';
import { MEMBER_GROUP } from '../api/members.js';
import { selectionsOf } from '../api/selected.js';
import type { Field, Unit } from '../api/types.js';
import { literal } from '../api/units.js';
import { Conflict } from '../data/conflict.js';
import { DeleteUnits } from '../data/delete-units.js';
import { parseOrder } from '../data/grid-columns.js';
import { useReferenceLabels } from '../data/reference-labels.js';
import { ID, keyOf, useColumnsOf, type Source } from '../data/source.js';
import { UnitGrid } from '../data/unit-grid.js';
import { useCellEdits } from '../data/use-cell-edits.js';
import { useUnits } from '../data/use-units.js';
import { useText } from '../i18n/text.js';
import { definitionAddress } from '../model/addresses.js';
import { Empty, PageError, Waiting } from '../shell/page-states.js';
import { useMe } from '../shell/use-me.js';
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
  const { data: me } = useMe();
  const { kinds, hasOwn, labelOf } = useMemberKinds();
  const [parameters, setParameters] = useSearchParams();
  const [find, order] = [parameters.get('find') ?? '', parameters.get('order') ?? ''];
  const source: Source = kind === '' ? { type: 'group', id: MEMBER_GROUP } : { type: 'kind', id: kind };
  const struct = useColumnsOf(source);
  const all = struct.fields;
  const fields = useMemo(() => all && shownFields(all, text('members.last_access')), [all, text]);
  const filter = find === '' ? '' : `or(${SEARCHED.map((id) => `icontains(${id},${literal(find)})`).join(',')})`;
  const { units, rows, count, more } = useUnits(source, { filter, search: '', order });
  const labels = useReferenceLabels(fields ?? [], units.data?.pages ?? []);
  const edits = useCellEdits(fields ?? []);
  const [selected, setSelected] = useState<ReadonlyMap<string, Unit>>(new Map());
  const selectedKeys = useMemo(() => new Set(selected.keys()), [selected]);
  const [toggle] = useState(() => (unit: Unit, to: boolean) => {
    setSelected((before) => {
      const others = [...before].filter(([key]) => key !== keyOf(unit));
      return new Map(to ? [...others, [keyOf(unit), unit]] : others);
    });
  });
  const change = (name: string, value: string): void => {
    setSelected(new Map());
    setParameters((before) => {
      if (value === '') before.delete(name);
      else before.set(name, value);
      return before;
    });
  };
  const error = units.error ?? struct.error;
  return (
    <div className="page">
      <Group justify="space-between">
        <Group gap="sm" align="baseline">
          <Title order={1} size="h3">
            {text('members.title')}
          </Title>
          <Paragraph c="dimmed" size="sm" aria-live="polite">
            {count.data && text('members.count', { smart_count: count.data.count })}
          </Paragraph>
        </Group>
        <Group gap="xs">
          {selected.size > 0 && (
            <DeleteUnits
              label={text('unit.delete')}
              selections={selectionsOf([...selected.values()])}
              onDone={() => setSelected(new Map())}
            />
          )}
          {me?.administrator && <NewMember kinds={kinds} labelOf={labelOf} />}
        </Group>
      </Group>
      {me && !me.administrator && <Paragraph size="sm">{text('members.of_others')}</Paragraph>}
      {me?.administrator && kinds.length > 0 && !hasOwn && (
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
      {error && <PageError error={error} onRetry={() => void Promise.all([units.refetch(), struct.refetch()])} />}
      {!error && (units.isPending || !fields) && <Waiting />}
      {units.data && rows.length === 0 && <Empty>{text(find === '' ? 'members.none_readable' : 'members.none')}</Empty>}
      {fields && rows.length > 0 && (
        <UnitGrid
          label={text('members.title')}
          fields={fields}
          units={rows}
          labels={labels}
          total={count.data?.isEstimate ? undefined : count.data?.count}
          order={parseOrder(order)}
          onOrder={(next) => change('order', next ? `${next.field};${next.direction}` : '')}
          selected={selectedKeys}
          onToggle={toggle}
          onEdit={edits.edit}
          hasMore={units.hasNextPage}
          isLoadingMore={units.isFetchingNextPage}
          onMore={more}
          pageOf={addressOfMember}
          linkField="username"
        />
      )}
      {edits.conflict && (
        <Conflict
          fields={fields ?? []}
          mine={edits.conflict.values}
          theirs={edits.conflict.theirs}
          onChoose={(choice) => void edits.choose(choice)}
          onClose={edits.close}
        />
      )}
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
  readonly kinds: readonly string[];
  readonly labelOf: (kind: string) => string;
}

function NewMember({ kinds, labelOf }: NewMemberProps) {
  const text = useText();
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
