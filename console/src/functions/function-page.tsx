/** A function: what its module says of it, a form to call it, and the answer. */
import { Alert, Anchor, Code, Group, SegmentedControl, Stack, Table, Text as Paragraph, Title } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Link, useParams } from 'react-router';
import { ApiError } from '../api/errors.js';
import { callFunction, type DeclaredFunction, type FunctionAnswer, type Method } from '../api/functions.js';
import type { Field } from '../api/types.js';
import { ReferenceInput } from '../data/reference-input.js';
import { faultsOf, type FieldErrors } from '../data/faults.js';
import { UnitForm } from '../data/unit-form.js';
import { useText } from '../i18n/text.js';
import { useFaultFocus } from '../shell/use-fault-focus.js';
import { DocumentLink } from '../shell/document-link.js';
import { Empty, EmptyPage, PageError, Waiting } from '../shell/page-states.js';
import { WithCode } from '../shell/with-code.js';
import { WideTable } from '../shell/wide-table.js';
import { signatureOf, typeName, whoMayCall } from './function-text.js';
import { ScheduleSection } from './schedule-section.js';
import { useFunctionsOf } from './use-functions.js';

/** Characters of an answer that are shown. */
const MOST_SHOWN = 100_000;

export function FunctionPage() {
  const text = useText();
  const { kind = '', scope = '', name = '' } = useParams();
  const { data, error, refetch } = useFunctionsOf(kind);
  const declared = data?.find((each) => each.name === name && each.of_unit === (scope === 'unit'));
  if (error) {
    return (
      <EmptyPage title={name}>
        <PageError error={error} onRetry={() => void refetch()} />
      </EmptyPage>
    );
  }
  if (!data) return <Waiting />;
  const list = (
    <Anchor component={Link} size="sm" to="/functions">
      {text('functions.to_list')}
    </Anchor>
  );
  if (!declared) {
    return (
      <EmptyPage title={name}>
        <Empty>
          {text('functions.gone')}
          {list}
        </Empty>
      </EmptyPage>
    );
  }
  return (
    <div className="page" style={{ overflow: 'auto' }}>
      <Group justify="space-between">
        <Title order={1} size="h3">
          {declared.name}
        </Title>
        <Group gap="xs">
          {list}
          <DocumentLink>{text('functions.document')}</DocumentLink>
        </Group>
      </Group>
      <Documentation declared={declared} />
      {declared.schedule && <ScheduleSection declared={declared} schedule={declared.schedule} />}
      {declared.access !== 'nobody' && <CallForm key={`${kind} ${scope} ${name}`} declared={declared} />}
    </div>
  );
}

function Documentation({ declared }: { declared: DeclaredFunction }) {
  const text = useText();
  const { description, parameters, returns, methods, timeout } = declared;
  return (
    <Stack gap="xs" maw={900}>
      <Paragraph className="text-of-tenant">{description}</Paragraph>
      <Code block tabIndex={0} role="group" aria-label={text('functions.signature')} className="text-of-tenant">
        {signatureOf(declared)}
      </Code>
      <Fact name={text('functions.methods')}>{methods.join(', ')}</Fact>
      <Fact name={text('functions.who')}>{whoMayCall(declared, text)}</Fact>
      {timeout !== null && (
        <Fact name={text('functions.timeout')}>{text('functions.timeout_ms', { count: timeout })}</Fact>
      )}
      <Title order={2} size="h4">
        {text('functions.parameters')}
      </Title>
      <FieldTable fields={parameters} label={text('functions.parameters')} />
      <Title order={2} size="h4">
        {text('functions.returns')}
      </Title>
      {returns?.parameters ? (
        <FieldTable fields={returns.parameters} label={text('functions.returns')} />
      ) : (
        <Paragraph size="sm">
          {returns?.kind_id
            ? text('functions.returns_unit', { kind: returns.kind_id })
            : text('functions.returns_unknown')}
        </Paragraph>
      )}
    </Stack>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Paragraph size="sm" className="text-of-tenant">
      <b>{name}</b>: {children}
    </Paragraph>
  );
}

function FieldTable({ fields, label }: { fields: readonly Field[]; label: string }) {
  const text = useText();
  if (fields.length === 0) return <Paragraph size="sm">{text('functions.no_parameters')}</Paragraph>;
  return (
    <WideTable minWidth={480} label={label}>
      <Table.Thead>
        <Table.Tr>
          {(['parameter', 'type', 'default', 'about'] as const).map((name) => (
            <Table.Th key={name}>{text(`functions.${name}`)}</Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {fields.map((field) => (
          <Table.Tr key={field.id}>
            <Table.Td>
              {field.id}
              {field.required && ` (${text('functions.required')})`}
            </Table.Td>
            <Table.Td>{typeName(field, text)}</Table.Td>
            <Table.Td>{field.default === null ? '–' : JSON.stringify(field.default)}</Table.Td>
            <Table.Td>{field.helper_text === null ? '–' : <WithCode>{field.helper_text}</WithCode>}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}

function CallForm({ declared }: { declared: DeclaredFunction }) {
  const text = useText();
  const { methods, parameters, of_unit: ofUnit, kind_id: kind } = declared;
  const [method, setMethod] = useState<Method>(methods[0] ?? 'GET');
  const [unit, setUnit] = useState('');
  const [answer, setAnswer] = useState<FunctionAnswer>();
  const [lack, setLack] = useState<object>();
  const place = useFaultFocus<HTMLElement>(lack);
  const lacksUnit = ofUnit && unit === '';
  const call = async (values: Readonly<Record<string, unknown>>): Promise<FieldErrors | undefined> => {
    if (lacksUnit) return {};
    try {
      const given = await callFunction(declared, { method, unit: ofUnit ? unit : undefined, values });
      setAnswer(given);
      if (given.messages.length === 0) return undefined;
      return faultsOf(new ApiError(given.status, '', given.messages), parameters, text);
    } catch (error) {
      return faultsOf(error, parameters, text);
    }
  };
  const unitError = lack ? { error: text('functions.unit_needed') } : {};
  const unitInput = { label: text('functions.unit'), withAsterisk: true, maw: 720, ...unitError };
  return (
    // Whether or not what is typed below is right.
    <section aria-label={text('functions.try')} ref={place} onSubmitCapture={() => setLack(lacksUnit ? {} : undefined)}>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {text('functions.try')}
        </Title>
        <Paragraph size="sm" c="dimmed">
          {text('functions.writes')}
        </Paragraph>
        {methods.length > 1 && (
          <SegmentedControl
            aria-label={text('functions.method')}
            size="xs"
            w="fit-content"
            data={[...methods]}
            value={method}
            onChange={(next) => setMethod(next)}
          />
        )}
        {ofUnit && (
          <ReferenceInput
            {...unitInput}
            kind={kind}
            value={unit}
            onChange={(id) => {
              setUnit(id);
              setLack(undefined);
            }}
          />
        )}
        <UnitForm
          fields={parameters}
          unit={undefined}
          isNew
          submitLabel={text('functions.call')}
          keeps={false}
          onSave={call}
        />
        <div aria-live="polite">{answer && <Answer answer={answer} />}</div>
      </Stack>
    </section>
  );
}

function Answer({ answer: { status, duration, timing, content, messages } }: { answer: FunctionAnswer }) {
  const text = useText();
  const isDone = messages.length === 0;
  const shown = JSON.stringify(isDone ? content : messages, undefined, 2);
  return (
    <Alert color={isDone ? 'green' : 'red'} variant="outline" title={text('functions.answer')} mb="xl">
      <Stack gap="xs">
        <Paragraph size="sm">{text('functions.answered', { status, duration })}</Paragraph>
        {timing !== null && <Paragraph size="sm">{text('functions.timing', { timing })}</Paragraph>}
        {shown.length > MOST_SHOWN && (
          <Paragraph size="sm">{text('functions.cut', { shown: MOST_SHOWN, count: shown.length })}</Paragraph>
        )}
        <Code block className="answer" tabIndex={0} role="region" aria-label={text('functions.answer')}>
          {shown.slice(0, MOST_SHOWN)}
        </Code>
      </Stack>
    </Alert>
  );
}
