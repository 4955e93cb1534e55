/** Who may do what: kinds and their operations, link types, fields and functions. */
import { Alert, Button, Group, Stack, Text as Paragraph, Title } from '@mantine/core';
import { useDeferredValue, useMemo, useState } from 'react';
import { OPERATIONS, type AccessEntry } from '../api/access.js';
import { endpointAddress } from '../api/functions.js';
import { useText, type Text } from '../i18n/text.js';
import { useModel, type Model } from '../model/use-model.js';
import { FindInput } from '../shell/find-input.js';
import { Waiting } from '../shell/page-states.js';
import { AccessFault } from './access-fault.js';
import { AccessTable, Nothing, type AccessRow, type AccessTableProps } from './access-table.js';
import { accessAddress } from './addresses.js';
import { useReport, type Entries, type Report } from './use-report.js';
import './access.css';

export function AccessPage() {
  const text = useText();
  const { report, error, refetch } = useReport();
  const { model, error: modelError } = useModel();
  return (
    <div className="page access">
      <Title order={1} size="h3">
        {text('access.title')}
      </Title>
      <AccessFault error={error ?? modelError} onRetry={() => void refetch()} />
      {!error && !modelError && (!report || !model) && <Waiting />}
      {!error && report && model && <Tables report={report} model={model} />}
    </div>
  );
}

function Tables({ report, model }: { report: Report; model: Model }) {
  const text = useText();
  const [typed, setTyped] = useState('');
  const find = useDeferredValue(typed.trim().toLowerCase());
  const [showsBuiltIn, setShowsBuiltIn] = useState(false);
  const all = useMemo(() => rowsOf(report, model, text), [report, model, text]);
  const found = useMemo(() => {
    const matching = (rows: readonly AccessRow[]) =>
      rows.filter(({ id, label }) => `${label}\n${id}`.toLowerCase().includes(find));
    const { own, builtIn, links, fields, functions, endpoints } = all;
    return {
      own: matching(own),
      builtIn: matching(builtIn),
      links: matching(links),
      fields: matching(fields),
      functions: matching(functions),
      endpoints: matching(endpoints),
    };
  }, [all, find]);
  const nothing = text(find === '' ? 'access.none' : 'access.none_found');
  const others = [
    {
      of: 'links',
      operations: LINK_OPERATIONS,
      rows: found.links,
      addressOf: linkAddress,
      otherwise: text('access.as_parent'),
    },
    {
      of: 'fields',
      operations: FIELD_OPERATIONS,
      rows: found.fields,
      addressOf: fieldAddress,
      otherwise: text('access.as_kind'),
    },
    // Only modules have them.
    ...(['functions', 'endpoints'] as const)
      .filter((of) => all[of].length > 0)
      .map((of) => ({ of, operations: CALLED_OPERATIONS, rows: found[of], addressOf: () => undefined })),
  ] as const;
  return (
    <>
      <Summary report={report} />
      <Group justify="space-between">
        <Paragraph size="sm">{text('access.help')}</Paragraph>
        <FindInput label={text('access.find')} value={typed} onChange={setTyped} />
      </Group>
      <Section title={text('access.kinds')}>
        <TableOrNothing
          label={text('access.kinds')}
          operations={OPERATIONS}
          rows={found.own}
          addressOf={kindAddress}
          nothing={nothing}
        />
        <Button
          size="xs"
          variant="default"
          aria-expanded={showsBuiltIn}
          onClick={() => setShowsBuiltIn(!showsBuiltIn)}
          style={{ alignSelf: 'start' }}
        >
          {text(showsBuiltIn ? 'access.hide_built_in' : 'access.show_built_in')}
        </Button>
        {showsBuiltIn && (
          <TableOrNothing
            label={text('access.built_in')}
            operations={OPERATIONS}
            rows={found.builtIn}
            addressOf={kindAddress}
            nothing={nothing}
          />
        )}
      </Section>
      {others.map(({ of, ...table }) => (
        <Section key={of} title={text(`access.${of}`)}>
          {of === 'endpoints' && <Paragraph size="sm">{text('functions.endpoints_help')}</Paragraph>}
          <TableOrNothing label={text(`access.${of}`)} nothing={nothing} {...table} />
        </Section>
      ))}
    </>
  );
}

const LINK_OPERATIONS = ['create', 'delete'];
const FIELD_OPERATIONS = ['read', 'write'];
const CALLED_OPERATIONS = ['call'];

const kindAddress = (id: string, operation: string) => accessAddress('kind', id, operation);
const linkAddress = (id: string, operation: string) => accessAddress('link', id, operation);
const fieldAddress = (id: string, operation: string) => accessAddress('field', placeOf(id)[1], `${operation}_access`);

/** A table, or a sentence in its place. */
function TableOrNothing({ nothing, ...table }: AccessTableProps & { readonly nothing: string }) {
  return table.rows.length === 0 ? <Nothing>{nothing}</Nothing> : <AccessTable {...table} />;
}

function Section({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <section aria-label={title}>
      <Stack gap="xs">
        <Title order={2} size="h4">
          {title}
        </Title>
        {children}
      </Stack>
    </section>
  );
}

/** What strangers may do, in words. */
function Summary({ report }: { report: Report }) {
  const text = useText();
  const { access_default: fallback, sign_up: signUp } = report;
  const namesOf = (entries: readonly AccessEntry[]) => [...new Set(entries.map((entry) => writtenName(entry, text)))];
  const [written, accepted] = [namesOf(report.written), namesOf(report.accepted)];
  const otherwise =
    accepted.length > 0
      ? text('access.strangers_write_accepted', { names: named(accepted, text) })
      : text('access.strangers_write_nothing');
  return (
    <Alert
      color={written.length > 0 ? 'red' : 'green'}
      variant="light"
      title={
        written.length > 0 ? (
          <>
            <span aria-hidden>⚠</span> {text('access.strangers_write', { names: named(written, text) })}
          </>
        ) : (
          otherwise
        )
      }
    >
      <Paragraph size="sm" className="access-names">
        {text(signUp.length > 0 ? 'access.sign_up' : 'access.no_sign_up', { kinds: named(signUp, text) })}{' '}
        {text(`access.default_${fallback}`)}
      </Paragraph>
    </Alert>
  );
}

function writtenName(entry: AccessEntry, text: Text): string {
  for (const of of ['link_type', 'function', 'endpoint', 'field'] as const) {
    const name = entry[of];
    if (name !== undefined) return text(`access.named.${of}`, { name });
  }
  return entry.kind ?? '';
}

/** The most names in a sentence. */
const NAMED = 10;

function named(names: readonly string[], text: Text): string {
  const more = names.length - NAMED;
  const shown = names.slice(0, NAMED).join(', ');
  return more > 0 ? text('access.and_more', { names: shown, smart_count: more }) : shown;
}

function rowsOf(report: Report, model: Model, text: Text) {
  const kinds = [...report.kinds].map(([id, entries]): AccessRow => {
    const kind = model.kinds.get(id);
    const notes = [
      ...(kind && !kind.active ? [text('model.inactive')] : []),
      ...(kind?.public ? [text('model.public')] : []),
      ...(model.memberKinds.has(id) ? [text('model.member')] : []),
    ];
    return { id, label: kind?.label ?? id, notes, entries };
  });
  const named = (entries: ReadonlyMap<string, Entries>): AccessRow[] =>
    [...entries].map(([id, each]) => ({ id, label: id, notes: [], entries: each })).sort(byLabel);
  return {
    own: kinds.filter(({ id }) => model.kinds.has(id)).sort(byLabel),
    builtIn: kinds.filter(({ id }) => !model.kinds.has(id)).sort(byLabel),
    links: [...model.linkTypes.values()].map(({ id, label }): AccessRow => ({
      id,
      label,
      notes: [],
      entries: report.linkTypes.get(id),
    })),
    fields: named(report.fields),
    functions: named(report.functions),
    endpoints: named(report.endpoints).map((row) => ({ ...row, notes: [endpointAddress(...placeOf(row.id))] })),
  };
}

/** Kind and name of `order.stripe`. */
function placeOf(id: string): [kind: string, name: string] {
  const dot = id.indexOf('.');
  return [id.slice(0, dot), id.slice(dot + 1)];
}

function byLabel(a: AccessRow, b: AccessRow): number {
  return a.label.localeCompare(b.label) || a.id.localeCompare(b.id);
}
