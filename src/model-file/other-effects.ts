/** What webhooks, identity providers and settings of a model file let somebody do that could not before, and what they lose. */
import type { Executor } from '../database/database.js';
import type { ProjectSettings } from '../database/entities/project.entity.js';
import type { Model } from '../model/model.js';
import { passkeyUse } from '../model/passkeys.js';
import { jsonEqual, type Json } from '../shared/json.js';
import { countIdentitiesStatement } from '../sql/member/identity.sql.js';
import { countPasskeysStatement } from '../sql/member/passkey.sql.js';
import type { Definition, ModelChanges } from './definitions.js';
import { defaultOf, type FileObject } from './sections.js';

interface OpenedStep {
  readonly name: string;
  readonly who: string;
  readonly what: string;
}

/** A setting that a file gives another value, as it is shown. */
export interface ChangedSetting {
  readonly name: string;
  readonly was: Json;
  readonly is: Json;
}

/** @param before the model before the change */
export function openedByOthers(
  { creates, edits }: ModelChanges,
  settings: readonly ChangedSetting[],
  before: Model,
): OpenedStep[] {
  const written = [
    ...creates.map((definition) => ({ definition, was: undefined, is: definition.values })),
    ...edits.map(({ definition, values, before: was }) => ({ definition, was, is: { ...was, ...values } })),
  ];
  const ofUnits = written.flatMap(({ definition, was, is }): OpenedStep[] => {
    const name = `${definition.section}.${definition.id}`;
    const [old, now] = [was && valuesOf(definition, was), valuesOf(definition, is)];
    if (definition.section === 'webhooks')
      return openedByHook(old, now, before).map((what) => ({ name, who: 'receiver', what }));
    if (definition.section !== 'identity_providers') return [];
    return openedByProvider(old, now).map((what) => ({ name, who: 'anyone', what }));
  });
  const opened = settings.filter(({ name, was, is }) => OPENS[name]?.(was, is));
  return [...ofUnits, ...opened.map(({ name }) => ({ name: `settings.${name}`, who: 'anyone', what: name }))];
}

/** All values, with the defaults of those that are left out. */
function valuesOf(definition: Definition, values: FileObject): (name: string) => Json {
  return (name) => values[name] ?? defaultOf(definition, name);
}

type Values = (name: string) => Json;

/** What it is sent that it was not: a new one all that is there already. */
function openedByHook(was: Values | undefined, is: Values, before: Model): string[] {
  if (is('active') === false) return [];
  const kinds = is('kinds') as readonly string[] | null;
  if (!was) {
    const isSent = [...before.kinds.values()].some(({ id, builtIn }) => (kinds ? kinds.includes(id) : !builtIn));
    return isSent ? ['url'] : [];
  }
  const added = (name: string) => {
    const [old, now] = [was(name), is(name)] as (readonly string[] | null)[];
    return old !== null && old !== undefined && !now?.every((each) => old.includes(each));
  };
  const differs = (name: string) => !jsonEqual(was(name), is(name));
  return [
    ...(was('active') === false ? ['active'] : []),
    ...['url', 'member'].filter(differs),
    ...['kinds', 'operations'].filter(added),
    // One that had none was sent more.
    ...(was('filter') !== null && differs('filter') ? ['filter'] : []),
  ];
}

/** A new one, or one that becomes active, lets in whom it links, and whom it signs up. */
function openedByProvider(was: Values | undefined, is: Values): string[] {
  if (is('active') === false) return [];
  const isNew = was === undefined || was('active') === false;
  const more = (name: string, value: Json) => is(name) === value && (isNew || was(name) !== value);
  const differs = (name: string) => !isNew && !jsonEqual(was(name), is(name));
  return [
    ...['issuer', 'member_kind'].filter(differs),
    ...(more('signup', true) ? ['signup'] : []),
    ...(more('link', 'verified') ? ['link'] : []),
    ...(more('trust_email', true) ? ['trust_email'] : []),
  ];
}

type Opens = (was: Json, is: Json) => boolean;

const becomes =
  (value: 'on' | 'off'): Opens =>
  (_, is) =>
    is === value;
const adds: Opens = (was, is) => {
  const [old, now] = [was, is].map((list) => (typeof list === 'string' && list !== 'off' ? list.split(',') : []));
  return now?.some((each) => !old?.includes(each)) === true;
};
const SECOND_STEPS: readonly Json[] = ['optional', 'administrators', 'everyone'];

/** Of the settings that let somebody do more, but for the access where none is set. */
const OPENS: Readonly<Record<string, Opens>> = {
  otp: becomes('off'),
  mail_sign_in: becomes('on'),
  verify_email: becomes('off'),
  second_step: (was, is) => SECOND_STEPS.indexOf(is) < SECOND_STEPS.indexOf(was),
  redirects: adds,
  passkey_origins: adds,
  passkey_domain: (_, is) => is !== 'off',
  originals: (_, is) => is === 'all',
};

/** The accounts at providers that go, and the passkeys for a domain that is no longer that of the project. */
export async function lostByOthers(
  executor: Executor,
  schema: string,
  { deletes }: ModelChanges,
  settings: { readonly was: ProjectSettings; readonly is: ProjectSettings },
): Promise<{ readonly name: string; readonly count: number }[]> {
  const lost: { name: string; count: number }[] = [];
  for (const { section, id } of deletes) {
    if (section !== 'identity_providers') continue;
    const [row] = await executor.run<{ count: number }>(countIdentitiesStatement(schema, id));
    lost.push({ name: `${section}.${id}`, count: row?.count ?? 0 });
  }
  const domain = passkeyUse(settings.was)?.domain;
  if (domain !== undefined && passkeyUse(settings.is)?.domain !== domain) {
    const [row] = await executor.run<{ count: number }>(countPasskeysStatement(schema, domain));
    const isDomain = settings.was.passkeyDomain !== settings.is.passkeyDomain;
    lost.push({ name: `settings.${isDomain ? 'passkey_domain' : 'passkey_origins'}`, count: row?.count ?? 0 });
  }
  return lost.filter(({ count }) => count > 0);
}
