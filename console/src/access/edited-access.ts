/** The setting of one operation while it is edited: of a kind, of a link type, or of a parameter. */
import type { AccessSetting } from '../api/access.js';
import type { DefinitionKind } from '../api/definitions.js';
import type { Unit } from '../api/types.js';
import type { AccessOf } from './addresses.js';

export interface Edited {
  readonly of: AccessOf;
  /** What the definition is a unit of. */
  readonly definition: DefinitionKind;
  readonly id: string;
  /** Of a parameter `read_access` or `write_access`. */
  readonly operation: string;
}

/** Null for the default. */
export function settingOf({ of, operation }: Edited, definition: Unit): AccessSetting {
  const settings = of === 'field' ? definition : definition['access'];
  const setting = (settings as Readonly<Record<string, AccessSetting>> | null)?.[operation];
  return setting ?? null;
}

/** Why it is wanted that strangers may do an operation of a kind; empty if that was not said. */
export function acceptedOf({ of, operation }: Edited, definition: Unit): string {
  if (of !== 'kind') return '';
  return (definition['accepted'] as Readonly<Record<string, string>> | null)?.[operation] ?? '';
}

/** What is sent to store a setting. The other operations stay as they are in the version that is edited. */
export function bodyOf(edited: Edited, definition: Unit, setting: AccessSetting, accepted?: string): object {
  const { of, operation } = edited;
  const version = { updated_at: definition['updated_at'] };
  if (of === 'field') return { ...version, [operation]: setting };
  const isChanged = accepted !== undefined && accepted !== acceptedOf(edited, definition);
  return {
    ...version,
    access: withOperation(definition['access'], operation, setting),
    ...(isChanged && { accepted: withOperation(definition['accepted'], operation, accepted === '' ? null : accepted) }),
  };
}

/** @param value null for none */
function withOperation(settings: unknown, operation: string, value: AccessSetting): object {
  const others = Object.entries(settings ?? {}).filter(([name]) => name !== operation);
  return { ...Object.fromEntries(others), ...(value !== null && { [operation]: value }) };
}

/** What is typed. */
export interface Draft {
  readonly who: Choice;
  /** Kept while another choice is made. */
  readonly rules: readonly string[];
}

export const CHOICES = ['default', 'anyone', 'member', 'admin', 'nobody', 'rules'] as const;
export type Choice = (typeof CHOICES)[number];

export function draftOf(setting: AccessSetting): Draft {
  if (setting === null) return { who: 'default', rules: [''] };
  const level = CHOICES.find((choice) => choice === setting);
  if (level) return { who: level, rules: [''] };
  return { who: 'rules', rules: typeof setting === 'string' ? [setting] : setting };
}

/** Undefined if no rule is typed yet. */
export function settingOfDraft({ who, rules }: Draft): AccessSetting | undefined {
  if (who === 'default') return null;
  if (who !== 'rules') return who;
  const typed = rules.filter((rule) => rule.trim() !== '');
  return typed.length > 1 ? typed : typed[0];
}

/** The faults of a setting: of its rules, by their position in what is typed, and others. */
export interface SettingFaults {
  readonly rules: ReadonlyMap<number, string>;
  readonly others: readonly string[];
}

/** Messages begin with the place of the rule: `access.read[1]: …`, where there is only one without its position. */
const PLACE = /^(?:access\.\w+|read_access|write_access)(?:\[(\d+)\])?: (.*)$/su;

export function faultsOf(messages: readonly { readonly text: string }[], { who, rules }: Draft): SettingFaults {
  const typed = rules.flatMap((rule, at) => (rule.trim() === '' ? [] : [at]));
  const found = new Map<number, string>();
  const others: string[] = [];
  for (const { text } of messages) {
    const [, at, message] = PLACE.exec(text) ?? [];
    const rule = at === undefined && typed.length > 1 ? undefined : typed[Number(at ?? 0)];
    if (who !== 'rules' || rule === undefined || message === undefined) others.push(text);
    else found.set(rule, [found.get(rule) ?? [], message].flat().join('\n'));
  }
  return { rules: found, others };
}

/** Where in the rule a fault is, from 0; undefined if it does not say. */
export function placeOf(fault: string): number | undefined {
  const [, character] = /at character (\d+)/.exec(fault) ?? [];
  return character === undefined ? undefined : Number(character) - 1;
}
