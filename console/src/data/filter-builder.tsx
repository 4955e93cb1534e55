/** Shows a filter as conditions, and writes the filter that they mean as they are changed. */
import {
  ActionIcon,
  Alert,
  Button,
  Code,
  Group,
  SegmentedControl,
  Select,
  Stack,
  Text as Paragraph,
} from '@mantine/core';
import { useState } from 'react';
import { KindError } from '../../../src/shared/errors.js';
import type { Field } from '../api/types.js';
import { InputError } from '../fields/console-field.js';
import { FieldControl } from '../fields/field-control.js';
import { inputOf } from '../fields/values.js';
import { useText, type Text } from '../i18n/text.js';
import {
  conditionsOf,
  needsValue,
  newTest,
  operatorsOf,
  testText,
  textOf,
  valueField,
  type Condition,
  type Conditions,
  type ShownOperator,
  type TestCondition,
} from './conditions.js';

interface FilterBuilderProps {
  readonly fields: readonly Field[];
  readonly filter: string;
  readonly onChange: (filter: string) => void;
}

interface State {
  /** The text that the conditions were read from, or that they mean. */
  readonly filter: string;
  readonly conditions: Conditions;
  /** What is wrong with the text. */
  readonly fault: string | undefined;
}

export function FilterBuilder({ fields, filter, onChange }: FilterBuilderProps) {
  const text = useText();
  const [state, setState] = useState(() => read(filter, fields));
  // The text was changed by hand.
  if (state.filter !== filter) setState(read(filter, fields));
  const { conditions, fault } = state;
  const { mode, all } = conditions;
  const write = (next: Conditions): void => {
    // As long as a value is missing, the text stays as it is.
    const written = textIfValid(next, fields, text) ?? filter;
    setState({ filter: written, conditions: next, fault: undefined });
    onChange(written);
  };
  const replace = (before: Condition, after: readonly Condition[]): void =>
    write({ mode, all: all.flatMap((each) => (each.key === before.key ? after : [each])) });
  const add = (): void => {
    const [field] = fields;
    if (field) write({ mode, all: [...all, withField(field)] });
  };

  if (fault !== undefined) {
    return (
      <Alert color="yellow" role="alert" title={text('filter.not_read')}>
        {fault}
      </Alert>
    );
  }
  return (
    <Stack gap="xs" role="group" aria-label={text('filter.builder')}>
      {all.length > 1 && (
        <SegmentedControl
          size="xs"
          w="fit-content"
          aria-label={text('filter.mode')}
          data={[
            { value: 'and', label: text('filter.and') },
            { value: 'or', label: text('filter.or') },
          ]}
          value={mode}
          onChange={(value) => write({ mode: value === 'or' ? 'or' : 'and', all })}
        />
      )}
      {all.map((each) => (
        <Group key={each.key} gap="xs" align="start" wrap="wrap">
          {each.type === 'text' ? (
            <Stack gap={0} flex={1}>
              <Code>{each.text}</Code>
              <Paragraph size="xs" c="dimmed">
                {text('filter.only_text')}
              </Paragraph>
            </Stack>
          ) : (
            <Test test={each} fields={fields} onChange={(after) => replace(each, [after])} />
          )}
          <ActionIcon
            variant="default"
            size="input-xs"
            aria-label={text('filter.remove')}
            onClick={() => replace(each, [])}
          >
            ×
          </ActionIcon>
        </Group>
      ))}
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={add}>
          {text('filter.add')}
        </Button>
        {textIfValid(conditions, fields, text) === undefined && (
          <Paragraph size="xs" c="dimmed" role="status">
            {text('filter.incomplete')}
          </Paragraph>
        )}
      </Group>
    </Stack>
  );
}

interface TestProps {
  readonly test: TestCondition;
  readonly fields: readonly Field[];
  readonly onChange: (test: TestCondition) => void;
}

function Test({ test, fields, onChange }: TestProps) {
  const text = useText();
  const [isLeft, setLeft] = useState(false);
  const field = fields.find(({ id }) => id === test.field);
  if (!field) return null;
  const target = valueField(field, test.operator);
  const fault = isLeft ? faultOf(test, fields, text) : undefined;
  const setOperator = (operator: ShownOperator): void => {
    const isSame = valueField(field, operator).multiple === target.multiple;
    onChange({ ...test, operator, input: isSame ? test.input : inputOf(valueField(field, operator), null) });
  };
  return (
    <>
      <Select
        size="xs"
        w={180}
        aria-label={text('filter.field')}
        data={fields.map(({ id, label }) => ({ value: id, label }))}
        value={test.field}
        limit={100}
        searchable
        allowDeselect={false}
        onChange={(id) => {
          const next = fields.find((each) => each.id === id);
          if (next) onChange({ ...withField(next), key: test.key });
        }}
      />
      <Select
        size="xs"
        w={170}
        aria-label={text('filter.operator')}
        data={operatorsOf(field).map((value) => ({ value, label: text(`filter.operators.${value}`) }))}
        value={test.operator}
        allowDeselect={false}
        onChange={(value) => value !== null && setOperator(value)}
      />
      {needsValue(test.operator) && (
        <div className="filter-value">
          <FieldControl
            key={`${test.field} ${test.operator}`}
            field={target}
            size="xs"
            aria-label={text('filter.value')}
            value={test.input}
            onChange={(input) => onChange({ ...test, input })}
            onBlur={() => setLeft(true)}
            error={fault}
          />
        </div>
      )}
    </>
  );
}

function withField(field: Field): TestCondition {
  const [first = 'eq'] = operatorsOf(field);
  const operator = field.multiple ? 'contains' : first;
  return newTest(field, operator, inputOf(valueField(field, operator), null));
}

function read(filter: string, fields: readonly Field[]): State {
  try {
    return { filter, conditions: conditionsOf(filter, fields), fault: undefined };
  } catch (error) {
    if (!(error instanceof KindError)) throw error;
    return { filter, conditions: { mode: 'and', all: [] }, fault: error.messages.map((each) => each.text).join('\n') };
  }
}

function textIfValid(conditions: Conditions, fields: readonly Field[], text: Text): string | undefined {
  try {
    return textOf(conditions, fields, text);
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

function faultOf(test: TestCondition, fields: readonly Field[], text: Text): string | undefined {
  try {
    testText(test, fields, text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
