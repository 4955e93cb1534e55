/** The functions of all kinds, and to administrators the modules with what is wrong in them. */
import { Alert, Anchor, Badge, Button, Code, Group, List, Stack, Table, Text as Paragraph, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from 'react-router';
import { endpointAddress, type DeclaredFunction, type FunctionModule } from '../api/functions.js';
import { useKinds } from '../data/use-kinds.js';
import { useText, type Text } from '../i18n/text.js';
import { DocumentLink } from '../shell/document-link.js';
import { Empty, PageError, Waiting } from '../shell/page-states.js';
import { WideTable } from '../shell/wide-table.js';
import { FAILURES, FailuresSection } from './failures-section.js';
import { addressOfFunction } from './function-text.js';
import { useFunctions } from './use-functions.js';

export function FunctionsPage() {
  const text = useText();
  const { data, error, refetch, isRefetching, hasNextPage, isFetchingNextPage, fetchNextPage } = useFunctions();
  const queries = useQueryClient();
  const { own } = useKinds();
  const labelOf = (id: string) => own.find((kind) => kind.id === id)?.label ?? id;
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  const [first] = data?.pages ?? [];
  const modules = first?.modules ?? undefined;
  const kinds = [...new Set(items.map(({ kind_id: kind }) => kind))];
  return (
    <div className="page" style={{ overflow: 'auto' }}>
      <Group justify="space-between">
        <Title order={1} size="h3">
          {text('functions.title')}
        </Title>
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            loading={isRefetching}
            onClick={() => void Promise.all([refetch(), queries.invalidateQueries({ queryKey: FAILURES })])}
          >
            {text('grid.refresh')}
          </Button>
          <DocumentLink>{text('functions.document')}</DocumentLink>
        </Group>
      </Group>
      {error && <PageError error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Waiting />}
      {modules && <BrokenModules modules={modules} />}
      {modules && <FailuresSection />}
      {first?.count === 0 && <Empty>{text(modules ? 'functions.none_admin' : 'functions.none')}</Empty>}
      {kinds.map((kind) => (
        <section key={kind} aria-label={text('functions.of_kind', { kind: labelOf(kind) })}>
          <Title order={2} size="h4" className="text-of-tenant">
            {labelOf(kind)}
          </Title>
          <List listStyleType="none" spacing="xs" mt="xs">
            {items
              .filter(({ kind_id: of }) => of === kind)
              .map((each) => (
                <List.Item key={`${each.of_unit} ${each.name}`}>
                  <FunctionSummary declared={each} />
                </List.Item>
              ))}
          </List>
        </section>
      ))}
      {first && hasNextPage && (
        <Group gap="xs">
          <Paragraph size="sm">{text('functions.part', { shown: items.length, count: first.count })}</Paragraph>
          <Button size="xs" variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {text('functions.more')}
          </Button>
        </Group>
      )}
      {modules && <Endpoints modules={modules} />}
      {modules && modules.length > 0 && <Modules modules={modules} labelOf={labelOf} />}
    </div>
  );
}

function FunctionSummary({ declared }: { declared: DeclaredFunction }) {
  const text = useText();
  return (
    <>
      <Group gap="xs">
        <Anchor component={Link} to={addressOfFunction(declared)} fw={600}>
          {declared.name}
        </Anchor>
        {declared.of_unit && <Badge variant="default">{text('functions.of_unit')}</Badge>}
        {declared.schedule && <Badge variant="default">{declared.schedule.cron}</Badge>}
        {declared.methods.map((method) => (
          <Badge key={method} variant="default">
            {method}
          </Badge>
        ))}
      </Group>
      <Paragraph size="sm" className="text-of-tenant">
        {declared.description}
      </Paragraph>
    </>
  );
}

function BrokenModules({ modules }: { modules: readonly FunctionModule[] }) {
  const text = useText();
  const broken = modules.filter(({ faults }) => faults.length > 0);
  if (broken.length === 0) return null;
  return (
    <Alert color="red" role="alert" title={text('functions.broken', { smart_count: broken.length })}>
      <Stack gap="xs">
        <Paragraph size="sm">{text('functions.broken_text')}</Paragraph>
        <List size="sm">
          {broken.flatMap(({ file, faults }) =>
            faults.map((fault, at) => (
              <List.Item key={`${file} ${at}`} className="text-of-tenant">
                <b>{placeOf(fault, text)}</b>: {fault.text}
              </List.Item>
            )),
          )}
        </List>
      </Stack>
    </Alert>
  );
}

function placeOf({ file, line }: FunctionModule['faults'][number], text: Text): string {
  return line === null ? file : text('functions.place', { file, line });
}

function Endpoints({ modules }: { readonly modules: readonly FunctionModule[] }) {
  const text = useText();
  const all = modules.flatMap(({ kind_id: kind, endpoints }) =>
    kind === null ? [] : endpoints.map((each) => ({ ...each, kind, address: endpointAddress(kind, each.name) })),
  );
  if (all.length === 0) return null;
  return (
    <section aria-label={text('functions.endpoints')}>
      <Title order={2} size="h4">
        {text('functions.endpoints')}
      </Title>
      <Paragraph size="sm">{text('functions.endpoints_help')}</Paragraph>
      <WideTable minWidth={480} label={text('functions.endpoints')}>
        <Table.Thead>
          <Table.Tr>
            {(['endpoint', 'methods', 'address'] as const).map((name) => (
              <Table.Th key={name}>{text(`functions.${name}`)}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {all.map(({ kind, name, methods, address }) => (
            <Table.Tr key={address}>
              <Table.Td>{`${kind}.${name}`}</Table.Td>
              <Table.Td>{methods.join(', ')}</Table.Td>
              <Table.Td className="text-of-tenant">
                <Code>{address}</Code>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </WideTable>
    </section>
  );
}

interface ModulesProps {
  readonly modules: readonly FunctionModule[];
  readonly labelOf: (kind: string) => string;
}

function Modules({ modules, labelOf }: ModulesProps) {
  const text = useText();
  return (
    <section aria-label={text('functions.modules')}>
      <Title order={2} size="h4">
        {text('functions.modules')}
      </Title>
      <WideTable minWidth={480} label={text('functions.modules')}>
        <Table.Thead>
          <Table.Tr>
            {(['module', 'kind', 'hooks', 'state'] as const).map((name) => (
              <Table.Th key={name}>{text(`functions.${name}`)}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {modules.map(({ file, kind_id: kind, hooks, remote, faults }) => (
            <Table.Tr key={file}>
              <Table.Td>{file}</Table.Td>
              <Table.Td>{kind === null ? '–' : labelOf(kind)}</Table.Td>
              <Table.Td>{[...hooks, ...(remote ? [text('functions.remote')] : [])].join(', ') || '–'}</Table.Td>
              <Table.Td>{text(faults.length > 0 ? 'functions.state_broken' : 'functions.state_ok')}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </WideTable>
    </section>
  );
}
