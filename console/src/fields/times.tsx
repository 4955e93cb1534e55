/** What the types of dates and times share. */
import { TextInput } from '@mantine/core';
import type { FocusEvent } from 'react';
import type { Text } from '../i18n/text.js';
import { INCOMPLETE, InputError, typing, type ControlProps } from './console-field.js';

interface TimeInputProps {
  readonly props: ControlProps;
  /** The type of the browser's own input, which shows values as its locale does. */
  readonly native: string;
  /** The values that it can show; others, such as years before Christ, are typed. */
  readonly shown: RegExp;
}

export function TimeInput({ props, native, shown }: TimeInputProps) {
  const { value, onChange, onBlur } = props;
  const blurred = ({ currentTarget }: FocusEvent<HTMLInputElement>): void => {
    if (currentTarget.validity.badInput) onChange(INCOMPLETE);
    onBlur?.();
  };
  const type = value === '' || shown.test(value) ? native : 'text';
  return <TextInput {...typing(props)} type={type} step="any" onBlur={blurred} />;
}

/** The only reading of what was typed. @throws InputError @param fault what to say if it is none */
export function oneDay(
  read: (typed: string) => readonly string[] | undefined,
  typed: string,
  fault: string,
  text: Text,
): string {
  if (typed === INCOMPLETE) throw new InputError(text('field.incomplete'));
  const readings = read(typed);
  if (!readings) throw new InputError(fault);
  const [reading, other] = readings;
  if (reading === undefined) throw new InputError(text('field.no_day'));
  if (other !== undefined) throw new InputError(text('field.two_days', { one: reading, other }));
  return reading;
}

/** Dates may be written `31-01-2024` in filters. */
export function dayFirst(written: string): string {
  return written.replace(/^(\d\d)-(\d\d)-(\d{4})$/, '$3-$2-$1');
}
