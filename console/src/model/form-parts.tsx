/** What the forms of all definitions have. */
import { Alert, Anchor, Button, Group, Text as Paragraph, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useText } from '../i18n/text.js';
import { useMe } from '../shell/use-me.js';

/** A fault of the whole form; nothing if there is none. */
export function FormFault({ fault }: { fault: string | undefined }) {
  if (fault === undefined) return null;
  return (
    <Alert color="red" role="alert" style={{ whiteSpace: 'pre-line' }}>
      {fault}
    </Alert>
  );
}

/** Says to others than administrators that a change may be refused; the service decides. */
export function RightsNote() {
  const text = useText();
  const { data: me } = useMe();
  if (me?.administrator !== false) return null;
  return <Paragraph size="sm">{text('model.may_be_refused')}</Paragraph>;
}

interface IdInputProps {
  readonly value: string;
  readonly fault: string | undefined;
  /** Undefined if it is empty: then the id follows the name. */
  readonly onChange: (id: string | undefined) => void;
}

/** The id of a new definition. */
export function IdInput({ value, fault, onChange }: IdInputProps) {
  const text = useText();
  return (
    <TextInput
      label={text('model.id')}
      description={text('model.id_help')}
      value={value}
      error={fault}
      spellCheck={false}
      onChange={({ currentTarget: { value: typed } }) => onChange(typed === '' ? undefined : typed)}
    />
  );
}

/** The id of a definition that exists, which never changes. */
export function FixedId({ id, children }: { id: string; children?: ReactNode }) {
  const text = useText();
  return (
    <Paragraph size="sm" c="dimmed">
      {text('model.id')}: <code>{id}</code>
      {children}
    </Paragraph>
  );
}

/** Ends a form. */
export function ReviewButtons({ isBusy, isChanged }: { isBusy: boolean; isChanged: boolean }) {
  const text = useText();
  return (
    <Group>
      <Button type="submit" loading={isBusy} disabled={!isChanged}>
        {text('model.review')}
      </Button>
      <Anchor component={Link} to="/model" size="sm">
        {text('app.cancel')}
      </Anchor>
    </Group>
  );
}
