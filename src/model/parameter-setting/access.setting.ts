/**
 * Who may read or write a parameter: a level, or rules over the unit of which one has to match. A rule is stored as its
 * text, several as a JSON list of texts. The form of values: `parameter-type/field-access.ts`.
 */
import type { Json } from '../../shared/json.js';
import { LEVELS, type Level } from '../access-levels.js';
import type { ParameterSetting } from './parameter-setting.js';

export type FieldAccess = Level | readonly string[];

export function isRules(access: FieldAccess | undefined): access is readonly string[] {
  return Array.isArray(access);
}

/** An unknown level, from a record that a newer release has written, stays as it is: nobody passes it. */
export function fieldAccessOf(stored: string | null | undefined): FieldAccess | undefined {
  if (stored === null || stored === undefined) return undefined;
  if (stored.startsWith('[')) return rulesIn(stored);
  return stored.includes('(') ? [stored] : (stored as FieldAccess);
}

/** The rules in a stored list. */
export function rulesIn(text: string): string[] {
  const list: unknown = JSON.parse(text);
  return Array.isArray(list) ? list.filter((rule) => typeof rule === 'string') : [];
}

const textOf = (stored: Json | undefined) => (typeof stored === 'string' ? stored : undefined);
const shared = {
  unset: undefined,
  stored: { revealing: 'rights' },
  parse: (given: Json) => fieldAccessOf(textOf(given)),
} as const;
const helperText = `${LEVELS.join(', ')}, a rule over the unit, or a list of rules`;

export const readAccess: ParameterSetting<'readAccess', FieldAccess | undefined> = {
  ...shared,
  key: 'readAccess',
  field: { type: 'access', label: 'Read access', helperText },
  read: (record) => fieldAccessOf(textOf(record['read_access'])),
};

export const writeAccess: ParameterSetting<'writeAccess', FieldAccess | undefined> = {
  ...shared,
  key: 'writeAccess',
  field: { type: 'access', label: 'Write access', helperText },
  read: (record) => fieldAccessOf(textOf(record['write_access'])),
};
