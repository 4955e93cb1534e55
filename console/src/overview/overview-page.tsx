/** The page that the console begins with: what there is, what changed lately, and how the project is doing. */
import { Anchor, Table, Text as Paragraph, Title } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { Link } from 'react-router';
import type { Kind } from '../api/types.js';
import { useKinds } from '../data/use-kinds.js';
import { shownInstant } from '../fields/shown-time.js';
import { useText } from '../i18n/text.js';
import { definitionAddress } from '../model/addresses.js';
import { PageError, Waiting } from '../shell/page-states.js';
import { useMe } from '../shell/use-me.js';
import { NoKinds } from './no-kinds.js';
import { useChanges, type Change, type Changes } from './use-changes.js';
import './overview.css';

const LoadSection = lazy(async () => ({ default: (await import('./load-section.js')).LoadSection }));

export function OverviewPage() {
  const text = useText();
  const { own, isPending, error, refetch } = useKinds();
  const { data: me } = useMe();
  const changes = useChanges(own);
  // Every project has the kind of files.
  const isNew = own.every(({ id }) => id === 'file');
  const retry = () => void Promise.all([refetch(), changes.refetch()]);
  return (
    <div className="page overview">
      <Title order={1} size="h3">
        {text('overview.title')}
      </Title>
      {error && <PageError error={error} onRetry={retry} />}
      {isPending && <Waiting />}
      {!isPending && !error && isNew && <NoKinds isAdministrator={me?.administrator === true} />}
      {!isNew && (
        <>
          {changes.error && <PageError error={changes.error} onRetry={retry} />}
          {changes.isLoading && <Waiting />}
          {changes.data && (
            <div className="overview-columns">
              <KindSection changes={changes.data} own={own} />
              <ChangeSection changes={changes.data} own={own} />
            </div>
          )}
        </>
      )}
      {me?.administrator === true && (
        <Suspense fallback={<Waiting />}>
          <LoadSection />
        </Suspense>
      )}
    </div>
  );
}

interface ChangesProps {
  readonly changes: Changes;
  readonly own: readonly Kind[];
}

function KindSection({ changes: { facts, last }, own }: ChangesProps) {
  const text = useText();
  const active = own.filter((kind) => kind.active);
  return (
    <section aria-label={text('overview.kinds')}>
      <Title order={2} size="h5">
        {text('overview.kinds')}
      </Title>
      {facts.length === 0 && <Paragraph size="sm">{text('overview.none_readable')}</Paragraph>}
      {facts.length > 0 && (
        <Table className="overview-table">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{text('grid.kind')}</Table.Th>
              <Table.Th ta="right">{text('overview.units')}</Table.Th>
              <Table.Th>{text('overview.last_change')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {facts.map(({ kind, count }) => (
              <Table.Tr key={kind}>
                <Table.Td className="overview-name">
                  <Anchor component={Link} size="sm" to={`/data/${kind}`} title={labelOf(kind, own)}>
                    {labelOf(kind, own)}
                  </Anchor>
                </Table.Td>
                <Table.Td ta="right">{count.toLocaleString()}</Table.Td>
                <Table.Td>
                  {last.has(kind) ? <Time at={last.get(kind)} /> : count > 0 && text('overview.too_many')}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {active.length > facts.length && facts.length > 0 && (
        <Paragraph size="sm" c="dimmed">
          {text('overview.some_kinds', { shown: facts.length, count: active.length })}
        </Paragraph>
      )}
    </section>
  );
}

function ChangeSection({ changes: { latest }, own }: ChangesProps) {
  const text = useText();
  return (
    <section aria-label={text('overview.changed')}>
      <Title order={2} size="h5">
        {text('overview.changed')}
      </Title>
      <Table className="overview-table">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{text('overview.when')}</Table.Th>
            <Table.Th>{text('overview.what')}</Table.Th>
            <Table.Th>{text('grid.kind')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {latest.map((change) => (
            <Table.Tr key={`${change.kind} ${change.id ?? ''}`}>
              <Table.Td>
                <Time at={change.at} />
              </Table.Td>
              <Table.Td className="overview-name">
                <Anchor component={Link} size="sm" to={addressOf(change)} title={change.name}>
                  {change.name}
                </Anchor>
              </Table.Td>
              <Table.Td className="overview-kind">
                {change.id === undefined ? text('overview.definition') : labelOf(change.kind, own)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

function addressOf({ kind, id }: Change): string {
  return id === undefined ? definitionAddress('kind', kind) : `/data/${kind}/unit/${encodeURIComponent(id)}`;
}

function labelOf(kind: string, own: readonly Kind[]): string {
  return own.find(({ id }) => id === kind)?.label ?? kind;
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const calendar = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** In short: the time of today, or else the day. All of it is in the title. */
function Time({ at }: { at: string | undefined }) {
  if (at === undefined) return null;
  const time = new Date(at);
  const isToday = time.toDateString() === new Date().toDateString();
  return (
    <time dateTime={at} title={shownInstant(at)}>
      {(isToday ? clock : calendar).format(time)}
    </time>
  );
}
