/**
 * What the console needs of a parameter type, beside what the service knows of it (`src/model/parameter-type/`). Each type
 * is one file in this folder; `fields.ts` lists them, and nothing else in the console tells types apart. Nearly all may be
 * left out: values are then shown, typed and sent as text.
 */
import type { Period } from '../../../src/filter/aggregate.ast.js';
import type { ReactNode, Ref } from 'react';
import type { Field, FieldType } from '../api/types.js';
import type { Text } from '../i18n/text.js';

export interface ConsoleField {
  /** What people call the type. */
  readonly label: string;
  /** What it is for, in a sentence. */
  readonly help: string;
  /** Of a column, in pixels, in which values are seen whole, texts as far as they are usual. */
  readonly width: number;

  /** A value as text, for people. */
  readonly show?: (value: unknown, text: Text) => string;
  /** Values are shown otherwise than they are typed: who pastes them sees how they were read. */
  readonly isFormatted?: true;

  /** A value as it is typed into its control. */
  readonly typed?: (value: unknown, field: Pick<Field, 'multiple'>) => string;
  /** The value that is meant. @throws InputError */
  readonly parse?: (typed: string, text: Text) => unknown;
  /** What is typed into an input for a cell of a spreadsheet; left out: the same without white space around it. */
  readonly pasted?: (cell: string) => string;
  /** What a value has to be. */
  readonly expected?: (text: Text) => string;
  /** What is wrong with a value; left out: what its type says, and the limits of the field. */
  readonly check?: (value: unknown, field: Field, text: Text) => string | undefined;

  /** The control of one value. */
  readonly control?: (props: ControlProps) => ReactNode;
  /** The values that there are, one of which is chosen instead. */
  readonly choices?: (text: Text) => readonly { readonly value: string; readonly label: string }[];
  /** What stands in an empty control. */
  readonly hint?: (text: Text) => string;
  /** Values, or only lists of them, have no control of their own: they are typed as JSON. */
  readonly asJson?: 'always' | 'lists';
  /** What ends an element of a list that is typed: nothing that may be part of it. Left out: white space, `,` and `;`. */
  readonly separators?: readonly string[];
  /** A key that is pressed on a cell begins to type in place of its value; so it is with numbers. */
  readonly isTypedOver?: true;

  /** The type whose control takes the values of filters. */
  readonly filteredAs?: FieldType;
  /** A value of a filter as the API writes it elsewhere. */
  readonly ofFilter?: (written: string) => string;

  /** The value of a setting, such as the default, that was typed; as text if it cannot be understood. */
  readonly ofSetting?: (typed: string) => unknown;

  /** Charts make a group of each value, also of the elements of lists unless it is `single`. */
  readonly groups?: 'all' | 'single';
  /** Charts put values into these periods. */
  readonly time?: TimeGroups;
}

export type { Period };

interface TimeGroups {
  readonly periods: readonly Period[];
  /** The period where none is chosen; left out: each value is a group. */
  readonly first?: Period;
  /** Values are days, in no time zone. */
  readonly isDay?: true;
}

export interface ControlProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onBlur?: (() => void) | undefined;
  readonly ref?: Ref<HTMLInputElement & HTMLTextAreaElement> | undefined;
  readonly placeholder?: string | undefined;
  readonly error?: string | undefined;
}

/** The same for an input in which text is typed. */
export function typing({ onChange, ...props }: ControlProps) {
  return {
    spellCheck: false,
    ...props,
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => onChange(currentTarget.value),
  };
}

/** Says what is wrong with what was typed, and what would be right. */
export class InputError extends Error {}

/** The input of a date or time that is typed in half. */
export const INCOMPLETE = '\0';

/** What strings, and values of a type that is newer than the console, are as text. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
