/** Kinds, link types, groups and parameters, one after the other, as far as their names match. */
import { Anchor, Badge, Group, Table, Text as Paragraph, Title } from '@mantine/core';
import { useMemo, type ReactNode } from 'react';
import { Link } from 'react-router';
import type { KindDefinition, ParameterDefinition } from '../api/definitions.js';
import { fieldOfType } from '../fields/fields.js';
import { useText } from '../i18n/text.js';
import { ActionButton } from '../shell/action.js';
import { useRights } from '../shell/use-rights.js';
import { InParts } from '../shell/in-parts.js';
import { Empty } from '../shell/page-states.js';
import { definitionAddress } from './addresses.js';
import { ALL_SETTINGS } from './parameter-settings.js';
import { useLockedModel } from './use-locked-model.js';
import { parametersOf, usersOf, type Model } from './use-model.js';

/** What is rendered at once. */
const MOST_KINDS = 25;
const MOST_PARAMETERS = 100;

export function ModelList({ model, find }: { model: Model; find: string }) {
  const text = useText();
  const wanted = find.trim().toLowerCase();
  const found = useMemo(() => {
    const matches = ({ id, label }: { id: string; label: string }) => `${label}\n${id}`.toLowerCase().includes(wanted);
    const matchingOf = <T extends { id: string; label: string; parameters?: readonly string[] }>(
      all: ReadonlyMap<string, T>,
    ) =>
      [...all.values()].filter(
        (each) =>
          matches(each) ||
          parametersOf(model, each.parameters ?? [], 'remote' in each ? each.id : undefined).some(matches),
      );
    return {
      kinds: matchingOf(model.kinds),
      links: matchingOf(model.linkTypes),
      groups: matchingOf(model.groups),
      parameters: [...model.parameters.values()].filter(matches),
    };
  }, [model, wanted]);
  if (wanted !== '' && Object.values(found).every(({ length }) => length === 0)) {
    return <Empty>{text('model.none_found')}</Empty>;
  }
  return (
    <div className="model-list">
      <Section title={text('model.kinds')} about={text('model.what_kind')} of="kind" create={text('model.new_kind')}>
        {found.kinds.length > 0 && (
          <InParts key={wanted} items={found.kinds} size={MOST_KINDS}>
            {(kinds) => kinds.map((kind) => <KindItem key={kind.id} kind={kind} model={model} />)}
          </InParts>
        )}
      </Section>
      <Section title={text('model.links')} about={text('model.what_link')} of="link" create={text('model.new_link')}>
        {found.links.map(({ id, label, parameters }) => (
          <Item key={id} of="link" id={id} label={label}>
            {parameters.length > 0 && <ParameterTable parameters={parametersOf(model, parameters)} model={model} />}
          </Item>
        ))}
      </Section>
      <Section
        title={text('model.groups')}
        about={text('model.what_group')}
        of="group"
        create={text('model.new_group')}
      >
        {found.groups.map(({ id, label, description, kind_list: kinds }) => (
          <Item key={id} of="group" id={id} label={label}>
            {description !== '' && <Paragraph size="sm">{description}</Paragraph>}
            <Paragraph size="sm">{kinds.map((kind) => model.kinds.get(kind)?.label ?? kind).join(', ')}</Paragraph>
          </Item>
        ))}
      </Section>
      <Section
        title={text('model.parameters')}
        about={text('model.what_parameter')}
        of="parameter"
        created={model.types}
        create={text('model.new_parameter')}
      >
        {found.parameters.length > 0 && (
          <InParts key={wanted} items={found.parameters} size={MOST_PARAMETERS}>
            {(parameters) => <ParameterTable parameters={parameters} model={model} showUsers />}
          </InParts>
        )}
      </Section>
    </div>
  );
}

interface SectionProps {
  readonly title: string;
  readonly about: string;
  readonly of: string;
  /** The kinds of which one is created. */
  readonly created?: readonly string[];
  readonly create: string;
  readonly children: ReactNode;
}

function Section({ title, about, of, created = [of], create, children }: SectionProps) {
  const text = useText();
  const { to } = useRights();
  const isLocked = useLockedModel();
  const mayCreate = created.some((each) => to('create', each) !== 'none');
  const refusal = mayCreate ? undefined : text('rights.new_definition');
  const isEmpty = Array.isArray(children) ? children.length === 0 : children === false;
  return (
    <section aria-label={title}>
      <Group justify="space-between" mt="md">
        <Title order={2} size="h4">
          {title}
        </Title>
        <ActionButton
          size="xs"
          variant="light"
          reason={isLocked ? text('model.locked') : refusal}
          to={`/model/${of}/new`}
        >
          {create}
        </ActionButton>
      </Group>
      <Paragraph size="sm" c="dimmed">
        {about}
      </Paragraph>
      {isEmpty ? <Paragraph size="sm">{text('model.none')}</Paragraph> : children}
    </section>
  );
}

interface ItemProps {
  readonly of: 'kind' | 'link' | 'group';
  readonly id: string;
  readonly label: string;
  readonly badges?: readonly string[];
  readonly children?: ReactNode;
}

function Item({ of, id, label, badges = [], children }: ItemProps) {
  return (
    <article className="model-item" aria-label={label}>
      <Group gap="xs">
        <Anchor component={Link} to={definitionAddress(of, id)} fw={600} className="model-name">
          {label}
        </Anchor>
        {label !== id && <code>{id}</code>}
        {badges.map((badge) => (
          <Badge key={badge} size="xs" variant="light" color="gray" c="inherit">
            {badge}
          </Badge>
        ))}
      </Group>
      {children}
    </article>
  );
}

function KindItem({ kind, model }: { kind: KindDefinition; model: Model }) {
  const text = useText();
  const parameters = parametersOf(model, kind.parameters, kind.id);
  const sets = (lists: KindDefinition['unique']) => lists.map((ids) => `(${ids.join(', ')})`).join(' ');
  const badges = [
    ...(kind.active ? [] : [text('model.inactive')]),
    ...(kind.remote ? [text('model.remote')] : []),
    ...(kind.public ? [text('model.public')] : []),
    ...(model.memberKinds.has(kind.id) ? [text('model.member')] : []),
  ];
  return (
    <Item of="kind" id={kind.id} label={kind.label} badges={badges}>
      {parameters.length === 0 ? (
        <Paragraph size="sm" c="dimmed">
          {text('model.no_parameters')}
        </Paragraph>
      ) : (
        <ParameterTable parameters={parameters} model={model} />
      )}
      {kind.unique.length > 0 && (
        <Paragraph size="sm">{text('model.unique_sets', { sets: sets(kind.unique) })}</Paragraph>
      )}
      {kind.indexes.length > 0 && (
        <Paragraph size="sm">{text('model.indexes', { sets: sets(kind.indexes) })}</Paragraph>
      )}
      {kind.checks !== null && kind.checks.length > 0 && (
        <Paragraph size="sm">
          {text('model.checks', { checks: kind.checks.map(({ filter }) => filter).join(' · ') })}
        </Paragraph>
      )}
    </Item>
  );
}

const WITH_WORD = ALL_SETTINGS.filter(({ word }) => word !== undefined);

interface ParameterTableProps {
  readonly parameters: readonly ParameterDefinition[];
  readonly model: Model;
  readonly showUsers?: boolean;
}

function ParameterTable({ parameters, model, showUsers = false }: ParameterTableProps) {
  const text = useText();
  return (
    <Table.ScrollContainer minWidth={0} type="native">
      <Table className="model-table">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{text('model.parameter')}</Table.Th>
            <Table.Th>{text('model.type')}</Table.Th>
            <Table.Th>{text(showUsers ? 'model.used_by' : 'model.properties')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {parameters.map((parameter) => (
            <Table.Tr key={parameter.id}>
              <Table.Td>
                <Anchor component={Link} size="sm" to={definitionAddress(parameter.kind_id, parameter.id)}>
                  {parameter.label}
                </Anchor>
              </Table.Td>
              <Table.Td>
                <TypeOf parameter={parameter} model={model} />
              </Table.Td>
              <Table.Td>
                {showUsers
                  ? usersOf(model, parameter.id)
                      .map(({ label }) => label)
                      .join(', ') || text('model.unused')
                  : WITH_WORD.filter(({ id }) => parameter[id] === true)
                      .map(({ id }) => text(`setting_word.${id}`))
                      .join(', ')}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function TypeOf({ parameter, model }: { parameter: ParameterDefinition; model: Model }) {
  const { kind_id: type, reference_kind: target } = parameter;
  if (target === undefined) return fieldOfType(type).label;
  return (
    <>
      →{' '}
      <Anchor component={Link} size="sm" to={definitionAddress('kind', target)}>
        {model.kinds.get(target)?.label ?? target}
      </Anchor>
    </>
  );
}
