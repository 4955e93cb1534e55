/** The files of a project: which rows are in which file. Pure. */
import { CREDENTIAL_SECRETS } from '../../model/built-in/member-fields.js';
import {
  CREDENTIAL_KIND,
  GROUP_KIND,
  IDENTITY_PROVIDER_KIND,
  KIND_KIND,
  LINK_KIND,
  OWNED_KINDS,
  WEBHOOK_KIND,
} from '../../model/built-in-traits.js';
import { PARAMETER_TABLE } from '../../model/built-in/built-in.js';
import { builtInField } from '../../model/field.js';
import {
  getBuiltInKind,
  getGroup,
  isMemberKind,
  PARAMETER_GROUP,
  type Field,
  type KindDef,
  type LinkTypeDef,
  type Model,
} from '../../model/model.js';
import { LINK_TABLE } from '../../model/names.js';
import { CHANGE_TABLE, INTERNAL_TABLES } from '../../model/table/internal-tables.js';
import type { FileRows } from '../../sql/list/project-rows.sql.js';

export interface ProjectFile {
  readonly path: string;
  readonly rows: FileRows;
  /** Whether every project of this release has it. */
  readonly builtIn: boolean;
}

/** The definitions: kinds, groups and link types with the built-in ones, whose access may be edited, and parameters. */
export function definitionFiles(model: Model): ProjectFile[] {
  const types = getGroup(model, PARAMETER_GROUP).kinds;
  return [KIND_KIND, GROUP_KIND, LINK_KIND, ...types].map((id) => fileOf('definitions', getBuiltInKind(model, id)));
}

/** What an archive has beside definitions, units and links. */
interface ArchiveParts {
  /** The hashes of the members' passwords, their API keys, passkeys and identities. */
  readonly passwords: boolean;
  /** The histories of units, as a backup has them. */
  readonly histories: boolean;
}

/**
 * The names of the members, the units of users' kinds, the administrators, the webhooks, the identity providers,
 * and the links. With passwords also API keys, passkeys and identities, with which one could sign in, and all that is encrypted.
 */
export function dataFiles(model: Model, { passwords, histories }: ArchiveParts): ProjectFile[] {
  const files = [
    credentialFile(model, passwords),
    ...unitKinds(model).map(unitFile),
    ...(passwords ? OWNED_KINDS.map((id) => unitFile(getBuiltInKind(model, id))) : []),
    ...[WEBHOOK_KIND, IDENTITY_PROVIDER_KIND].map((id) => unitFile(getBuiltInKind(model, id))),
    ...[...model.linkTypes.values()].map(linkFile),
    ...(histories ? [...model.kinds.values()].filter(({ changes }) => changes === 'history').map(historyFile) : []),
  ];
  return passwords ? files : files.map(withoutSealed);
}

/** The kinds whose units belong to a project. What the service makes by itself, such as sessions, does not. */
export function unitKinds({ kinds }: Model): KindDef[] {
  return [...kinds.values()].filter(
    (kind) => kind.storage.hasTable && (!kind.builtIn || kind.traits.contents === true || isMemberKind(kind)),
  );
}

export function unitFile(kind: KindDef): ProjectFile {
  return fileOf('kinds', kind);
}

/** The names and passwords of the members. */
export function credentialFile(model: Model, passwords: boolean): ProjectFile {
  const file = unitFile(getBuiltInKind(model, CREDENTIAL_KIND));
  if (passwords) return file;
  const { rows } = file;
  return { ...file, rows: { ...rows, fields: rows.fields.filter(({ id }) => !CREDENTIAL_SECRETS.includes(id)) } };
}

function withoutSealed(file: ProjectFile): ProjectFile {
  return { ...file, rows: { ...file.rows, fields: file.rows.fields.filter(({ sealed }) => !sealed) } };
}

/** In whose bodies a parameter was defined, which decides whether it is deleted with them. Its record does not show it. */
const DEFINED_IN = builtInField({ id: 'defined_in', type: 'string', multiple: true });

function fileOf(folder: string, { id, table, discriminated, fields, builtIn }: KindDef): ProjectFile {
  const stored = storedFields(fields);
  const rows: FileRows = {
    table,
    fields: table === PARAMETER_TABLE ? [...stored, DEFINED_IN] : stored,
    ...(discriminated && { where: { column: 'kind_id', value: id } }),
    key: ['id'],
  };
  return { path: `${folder}/${id}.ndjson`, rows, builtIn };
}

function linkFile({ id, values, builtIn }: LinkTypeDef): ProjectFile {
  const key = INTERNAL_TABLES.find(({ name }) => name === LINK_TABLE)?.key ?? [];
  const fields = storedFields(values.fields);
  return {
    path: `links/${id}.ndjson`,
    rows: { table: LINK_TABLE, fields, where: { column: 'link_id', value: id }, key },
    builtIn,
  };
}

/** The columns of recorded changes, as fields. */
const CHANGE_FIELDS: readonly Field[] = [
  ...['seq', 'outbox', 'version'].map((id) => builtInField({ id, type: 'integer', nullable: true })),
  ...['operation', 'kind', 'unit'].map((id) => builtInField({ id, type: 'text', nullable: true })),
  ...['origin', 'before', 'after'].map((id) => builtInField({ id, type: 'json', nullable: true })),
];

function historyFile({ id, builtIn }: KindDef): ProjectFile {
  const rows = { table: CHANGE_TABLE, fields: CHANGE_FIELDS, where: { column: 'kind', value: id }, key: ['seq'] };
  return { path: `history/${id}.ndjson`, rows, builtIn };
}

function storedFields(fields: ReadonlyMap<string, Field>): Field[] {
  return [...fields.values()].filter(({ column }) => column !== undefined);
}
