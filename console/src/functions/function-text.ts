/** What a function is called, takes and returns, as text. */
import type { DeclaredFunction } from '../api/functions.js';
import type { Field } from '../api/types.js';
import type { Text } from '../i18n/text.js';

export function addressOfFunction({ kind_id: kind, of_unit: ofUnit, name }: DeclaredFunction): string {
  return `/functions/${kind}/${ofUnit ? 'unit' : 'kind'}/${name}`;
}

/** For example `greet(name: string, times?: integer)`. */
export function signatureOf({ name, parameters, returns }: DeclaredFunction): string {
  const listed = parameters.map((field) => `${field.id}${field.required ? '' : '?'}: ${typeText(field)}`);
  return `${name}(${listed.join(', ')})${returns ? `: ${returnedText(returns)}` : ''}`;
}

function returnedText({ kind_id: kind, parameters }: NonNullable<DeclaredFunction['returns']>): string {
  if (kind !== null) return kind;
  return `{ ${(parameters ?? []).map((field) => `${field.id}: ${typeText(field)}`).join(', ')} }`;
}

function typeText({ type, multiple, reference_kind: kind }: Field): string {
  return `${kind ?? type}${multiple ? '[]' : ''}`;
}

export function typeName({ type, multiple, reference_kind: kind }: Field, text: Text): string {
  const one = kind ? text('functions.reference', { kind }) : type;
  return multiple ? text('functions.several', { type: one }) : one;
}

/** Levels that the console knows a sentence for. */
const LEVELS = ['anyone', 'member', 'admin', 'nobody', 'self'] as const;

export function whoMayCall({ access, open }: DeclaredFunction, text: Text): string {
  if (access === null) return text(open ? 'functions.who_open' : 'functions.who_you');
  if (typeof access !== 'string') return text('functions.who_rules', { rules: access.join(', ') });
  const level = LEVELS.find((each) => each === access);
  return level ? text(`functions.levels.${level}`) : access;
}

interface Told {
  readonly text: string | null;
  readonly file: string | null;
  readonly line: number | null;
}

/** Why something failed, with its place in the module. */
export function whyOf({ text, file, line }: Told): string {
  if (text === null) return '–';
  return file === null ? text : `${file}${line === null ? '' : `:${line}`}: ${text}`;
}
