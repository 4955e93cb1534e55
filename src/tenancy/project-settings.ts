/**
 * The settings of projects, each in one place: its name for people, how its text is read, how its value is shown, and
 * who may set it. Commands, the audit log, manifests and administrators of projects (`/settings`) use this list.
 */
import { size, wholeNumber } from '../config/variable-reader.js';
import type { ProjectSettings } from '../database/entities/project.entity.js';
import { CHANGES_KEEP } from '../model/changes.js';
import { DEFAULT_IMAGE_SIZES, parseImageSizes, printImageSizes } from '../shared/image-sizes.js';
import { faultOfOrigins, isPasskeyDomain } from '../model/passkeys.js';
import { faultOfRedirects } from '../model/redirects.js';
import { jsonEqual, type Json } from '../shared/json.js';
import { LIMITS } from '../shared/limits.js';
import { byteSizeText } from '../shared/texts.js';

/** What is wrong with the text of a setting, as sentences. */
export class SettingFault {
  constructor(readonly text: string) {}
}

/** What administrators send and are shown: on and off as booleans. */
type SettingForm =
  | { readonly type: 'boolean' }
  | { readonly type: 'string'; readonly enum?: readonly string[] }
  | { readonly type: 'integer'; readonly minimum: number; readonly maximum: number };

/** A setting that administrators of a project see, and set if it is not the operator's. */
interface ByAdministrators {
  /** What it is, for the API document. */
  readonly about: string;
  /** It decides who comes in, so that it asks for a fresh proof, and no API key sets it. */
  readonly proved: boolean;
  /** The operator alone sets it. */
  readonly readOnly?: true;
}

interface ProjectSetting<T> {
  /** In commands, and for people. */
  readonly name: string;
  /** The texts that it takes, such as `off (or on)`. */
  readonly usage: string;
  readonly read: (text: string) => T | SettingFault;
  /** @param value undefined if it was never set */
  readonly show: (value: T | undefined) => Json;
  /** Whether a value that comes from elsewhere is one. */
  readonly isPossible: (value: unknown) => boolean;
  /** Left out: a text. */
  readonly form?: SettingForm;
  /** Left out: only the operator sees it. */
  readonly byAdministrators?: ByAdministrators;
}

type Settings = { readonly [K in keyof Required<ProjectSettings>]: ProjectSetting<Required<ProjectSettings>[K]> };

/** The highest limit that can be set. */
const MOST = 1_000_000_000_000;
/** The most days that can be set. */
const MOST_DAYS = 3650;
const STORAGE = size('1mb', '100000gb');
const URL_SECONDS = wholeNumber(LIMITS.fileUrlSecondsMin, LIMITS.fileUrlSecondsMax);

export const PROJECT_SETTINGS: Settings = {
  otp: {
    ...onOrOff('otp', 'on (or off)'),
    show: (value = false) => value,
    byAdministrators: { about: 'Whether a sign-in asks for a code that is mailed.', proved: true },
  },
  mailSignIn: {
    ...onOrOff('mail_sign_in', 'on (or off)'),
    byAdministrators: { about: 'Whether members may sign in with a mailed code in place of a password.', proved: true },
  },
  verifyEmail: {
    ...onOrOff('verify_email', 'on (or off)'),
    byAdministrators: { about: 'Whether members are held back until they have proved their address.', proved: true },
  },
  secondStep: {
    ...choice('second_step', ['optional', 'administrators', 'everyone']),
    byAdministrators: { about: 'Who must have a second step of their own.', proved: true },
  },
  passkeyDomain: {
    name: 'passkey_domain',
    usage: '<domain> (or off)',
    read: (text) => {
      const host = text.toLowerCase();
      if (host === 'off' || isPasskeyDomain(host)) return host === 'off' ? null : host;
      return fault(
        'passkey_domain is a host, or what hosts end in with a dot inside, such as example.com; localhost; or off.',
      );
    },
    show: (value) => value ?? 'off',
    isPossible: (value) => value === null || (typeof value === 'string' && isPasskeyDomain(value)),
    byAdministrators: { about: 'The host for which passkeys are, or what hosts end in; or `off`.', proved: true },
  },
  passkeyOrigins: {
    ...list('passkey_origins', '<origin>', faultOfOrigins),
    byAdministrators: { about: 'The pages that use passkeys, as origins with commas; or `off`.', proved: true },
  },
  redirects: {
    ...list('redirects', '<address>', faultOfRedirects),
    byAdministrators: {
      about: 'Where a sign-in with an identity provider may lead back to, as addresses with commas; or `off`.',
      proved: true,
    },
  },
  model: {
    ...choice('model', ['open', 'locked']),
    usage: 'locked (or open)',
    byAdministrators: {
      about: 'Whether the model changes by an apply of a model file alone. The operator sets it.',
      proved: false,
      readOnly: true,
    },
  },
  background: onOrOff('background', 'off (or on)', true),
  agents: onOrOff('agents', 'off (or on)', true),
  changesKeep: {
    name: 'changes_keep',
    usage: `<days, from 1 to ${MOST_DAYS}>`,
    read: (text) => {
      const days = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : NaN;
      return days <= MOST_DAYS ? days : fault(`changes_keep is a whole number of days from 1 to ${MOST_DAYS}.`);
    },
    show: (value = CHANGES_KEEP) => value,
    isPossible: isPositive,
  },
  requestsPerSecond: limit('requests_per_second'),
  units: limit('units'),
  storage: {
    name: 'storage',
    usage: '<size, such as 500mb> (or off)',
    read: (text) => (text === 'off' ? null : (STORAGE.read(text) ?? fault(`storage is ${STORAGE.wants}, or off.`))),
    show: (value) => (value ? byteSizeText(value) : 'off'),
    isPossible: isLimit,
  },
  imageSizes: {
    name: 'image_sizes',
    usage: '<name>:<width>x<height>:<cover, contain or inside>,… (or default)',
    read: (text) => {
      if (text === 'default') return null;
      const { sizes, faults } = parseImageSizes(text);
      return faults.length === 0 ? printImageSizes(sizes) : fault(`image_sizes: ${faults.join(' ')}`);
    },
    show: (value) => value ?? printImageSizes(DEFAULT_IMAGE_SIZES),
    isPossible: (value) => value === null || (typeof value === 'string' && parseImageSizes(value).faults.length === 0),
    byAdministrators: {
      about: 'The sizes of pictures, as `name:widthxheight:mode` with commas; `default` for those of every project.',
      proved: false,
    },
  },
  originals: {
    ...choice('originals', ['all', 'owner']),
    byAdministrators: { about: 'Who sees pictures as they are; others see them in sizes alone.', proved: false },
  },
  fileUrlSeconds: {
    name: 'file_url_seconds',
    usage: `<number, from ${LIMITS.fileUrlSecondsMin} to ${LIMITS.fileUrlSecondsMax}>`,
    read: (text) => URL_SECONDS.read(text) ?? fault(`file_url_seconds is ${URL_SECONDS.wants}.`),
    show: (value = LIMITS.fileUrlSeconds) => value,
    isPossible: isPositive,
    form: { type: 'integer', minimum: LIMITS.fileUrlSecondsMin, maximum: LIMITS.fileUrlSecondsMax },
    byAdministrators: {
      about: 'How long a signed address opens a file where it is not said, in seconds.',
      proved: false,
    },
  },
};

/** The settings of a project that are part of its model. All others are the operator's. */
export const MODEL_SETTINGS = [
  'access_default',
  'otp',
  'verify_email',
  'second_step',
  'redirects',
  'passkey_domain',
  'passkey_origins',
  'mail_sign_in',
  'image_sizes',
  'originals',
] as const;

type SettingKey = keyof ProjectSettings;

const KEYS = Object.keys(PROJECT_SETTINGS) as SettingKey[];
const KEY_BY_NAME: ReadonlyMap<string, SettingKey> = new Map(KEYS.map((key) => [PROJECT_SETTINGS[key].name, key]));

/** Undefined if there is no setting of that name. */
export function readSetting(name: string, text: string): ProjectSettings | SettingFault | undefined {
  const key = KEY_BY_NAME.get(name);
  if (key === undefined) return undefined;
  const value = PROJECT_SETTINGS[key].read(text);
  return value instanceof SettingFault ? value : { [key]: value };
}

/** All settings as people see them, by name. */
export function shownSettings(settings: ProjectSettings): Readonly<Record<string, Json>> {
  return Object.fromEntries(
    KEYS.map((key) => {
      const { name, show } = PROJECT_SETTINGS[key] as ProjectSetting<unknown>;
      return [name, show(settings[key])];
    }),
  );
}

/** The values of some settings, by name. */
export function namedSettings(settings: ProjectSettings): Readonly<Record<string, Json>> {
  const entries = KEYS.map((key): [string, Json | undefined] => [PROJECT_SETTINGS[key].name, settings[key]]);
  return Object.fromEntries(entries.filter((entry): entry is [string, Json] => entry[1] !== undefined));
}

/** A setting as administrators of a project send it and are shown it. */
interface AdministeredSetting extends ByAdministrators {
  readonly name: string;
  readonly form: SettingForm;
}

/** Those that administrators see. */
export const SEEN_BY_ADMINISTRATORS: readonly AdministeredSetting[] = KEYS.flatMap((key) => {
  const { name, form = { type: 'string' }, byAdministrators } = PROJECT_SETTINGS[key];
  return byAdministrators ? [{ name, form, ...byAdministrators }] : [];
});

/** Those that administrators set. */
export const ADMINISTERED = SEEN_BY_ADMINISTRATORS.filter(({ readOnly }) => !readOnly);

/** The values of those that administrators see, by name. */
export function administeredSettings(settings: ProjectSettings): Readonly<Record<string, Json>> {
  const shown = shownSettings(settings);
  return Object.fromEntries(
    SEEN_BY_ADMINISTRATORS.map(({ name, form }) => {
      const value = shown[name] ?? null;
      return [name, form.type === 'boolean' ? value === true || value === 'on' : value];
    }),
  );
}

/** Whether settings that are part of the model get another value. */
export function changesModel(before: ProjectSettings, change: ProjectSettings): boolean {
  const [was, is] = [shownSettings(before), shownSettings({ ...before, ...change })];
  return MODEL_SETTINGS.some((name) => !jsonEqual(was[name], is[name]));
}

/** Reads a value that an administrator has sent. Undefined if there is no setting of that name. */
export function readAdministered(
  name: string,
  value: string | number | boolean,
): ProjectSettings | SettingFault | undefined {
  return readSetting(name, typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value));
}

/** Whether settings that come from elsewhere are possible. One that this release does not know may be a limit. */
export function arePossible(settings: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(settings).every(([key, value]) => {
    const setting = KEYS.find((known) => known === key);
    return setting === undefined ? isLimit(value) : PROJECT_SETTINGS[setting].isPossible(value);
  });
}

/** @param atFirst what holds if it was never set */
function onOrOff(name: string, usage: string, atFirst = false) {
  return {
    name,
    usage,
    read: (text: string): boolean | SettingFault => {
      if (text === 'on') return true;
      return text === 'off' ? false : fault(`${name} is on or off.`);
    },
    show: (value = atFirst) => (value ? 'on' : 'off'),
    isPossible: (value: unknown) => typeof value === 'boolean',
    form: { type: 'boolean' } as const,
  };
}

/** A number, or null for no limit. */
function limit(name: string): ProjectSetting<number | null> {
  return {
    name,
    usage: '<number> (or off)',
    read: (text) => {
      if (text === 'off') return null;
      const value = /^[1-9]\d{0,14}$/.test(text) ? Number(text) : NaN;
      return value <= MOST ? value : fault(`${name} is a whole number from 1 to ${MOST}, or off.`);
    },
    show: (value) => value ?? 'off',
    isPossible: isLimit,
  };
}

/** One of some words, of which the first holds if it was never set. */
function choice<T extends string>(name: string, words: readonly [T, T, ...T[]]): ProjectSetting<T> {
  const [first, ...others] = words;
  const last = words.at(-1) ?? first;
  return {
    name,
    usage: `${others.join(', ')} (or ${first})`,
    read: (text) =>
      words.find((word) => word === text) ?? fault(`${name} is ${words.slice(0, -1).join(', ')} or ${last}.`),
    show: (value = first) => value,
    isPossible: (value) => words.some((word) => word === value),
    form: { type: 'string', enum: words },
  };
}

/** Texts with commas, or null for none. @param faultOf what is wrong with them, as a sentence */
function list(
  name: string,
  one: string,
  faultOf: (texts: readonly string[]) => string | undefined,
): ProjectSetting<readonly string[] | null> {
  return {
    name,
    usage: `${one},… (or off)`,
    read: (text) => {
      if (text === 'off') return null;
      const texts = text.split(',').map((each) => each.trim());
      const wrong = faultOf(texts);
      return wrong === undefined ? texts : fault(`${name}: ${wrong}`);
    },
    show: (value) => value?.join(',') ?? 'off',
    isPossible: (value) => value === null || (isTexts(value) && faultOf(value) === undefined),
  };
}

function fault(text: string): SettingFault {
  return new SettingFault(text);
}

function isPositive(value: unknown): boolean {
  return typeof value === 'number' && value > 0;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function isLimit(value: unknown): boolean {
  return value === null || isPositive(value);
}
