/**
 * What a manifest has in each field: whoever can write a manifest can write its checksum. Texts are shown to the operator
 * or stored, so they have the form of what the service writes. Pure.
 */
import { ACCESS_DEFAULTS } from '../../model/access-levels.js';
import { PROJECT_ID } from '../../shared/identifiers.js';
import { isPlainObject, textFault } from '../../shared/json.js';
import { LIMITS } from '../../shared/limits.js';
import { arePossible } from '../../tenancy/project-settings.js';

type Test = (value: unknown) => boolean;
type Fields = Readonly<Record<string, Test>>;

const isCount: Test = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isTime: Test = (value) =>
  typeof value === 'string' && /^[\d:.TZ-]{1,40}$/.test(value) && !Number.isNaN(Date.parse(value));
const isLabel: Test = (value) =>
  typeof value === 'string' && [...value].length <= LIMITS.labelLength && textFault(value) === undefined;

export const isProjectId: Test = (value) => typeof value === 'string' && PROJECT_ID.test(value);

/** Of a manifest, and of the header of a backup: which release wrote it. */
export const ORIGIN_FIELDS: Fields = {
  version: isCount,
  release: (value) => typeof value === 'string' && /^[\w.+-]{1,100}$/.test(value),
  built_in: isCount,
};

const MANIFEST_FIELDS: Fields = {
  exported_at: isTime,
  project: isPlainObject,
  passwords: (value) => typeof value === 'boolean',
  files: Array.isArray,
  backup: (value) => value === undefined || isPlainObject(value),
};

const PROJECT_FIELDS: Fields = {
  id: isProjectId,
  label: isLabel,
  settings: isPlainObject,
  verifies_since: (value) => value === undefined || isTime(value),
  access_default: (value) => ACCESS_DEFAULTS.some((each) => each === value),
};

const FILE_FIELDS: Fields = {
  path: (value) => typeof value === 'string',
  records: isCount,
  bytes: isCount,
  sha256: (value) => typeof value === 'string',
};

const BACKUP_FIELDS: Fields = {
  inserted_at: isTime,
  model_version: isCount,
};

/** The name of the first field that is not as wanted; undefined if all are. */
export function strangeField(value: unknown, fields: Fields, path = ''): string | undefined {
  if (!isPlainObject(value)) return path;
  const [name] = Object.entries(fields).find(([field, test]) => !test(value[field])) ?? [];
  return name === undefined ? undefined : path === '' ? name : `${path}.${name}`;
}

export function strangeManifestField(manifest: Readonly<Record<string, unknown>>): string | undefined {
  const { project, files, backup } = manifest as {
    project: Record<string, unknown>;
    files: unknown[];
    backup: unknown;
  };
  return (
    strangeField(manifest, MANIFEST_FIELDS) ??
    strangeField(project, PROJECT_FIELDS, 'project') ??
    strangeSetting(project['settings']) ??
    files.map((file, at) => strangeField(file, FILE_FIELDS, `files[${at}]`)).find((field) => field !== undefined) ??
    (backup === undefined ? undefined : strangeField(backup, BACKUP_FIELDS, 'backup'))
  );
}

function strangeSetting(settings: unknown): string | undefined {
  return arePossible(settings as Readonly<Record<string, unknown>>) ? undefined : 'project.settings';
}
