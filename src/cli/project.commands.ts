/** `project create`, `list`, `show`, `set` and `delete`. */
import { FILE_KIND } from '../model/built-in-traits.js';
import { getBuiltInKind, hasFiles, type KindDef, type Model } from '../model/model.js';
import { type Command, InvalidArgumentError } from 'commander';
import { Administrators } from '../auth/administrators.js';
import { generatePassword } from '../before-serving.js';
import { Provisioning, type ProjectChange } from '../catalog/project/provisioning.js';
import { type AccessDefault, ACCESS_DEFAULTS } from '../model/access-levels.js';
import { isRefusedAlone, KindError, type Message } from '../shared/errors.js';
import type { CommonOptions, Services, CommandContext } from './tools/command-context.js';
import { onOrOffText, print, propertyTable, textTable, singleLineText } from './tools/output.js';
import { loadModel } from '../catalog/model/model-store.js';
import { measureStorage } from '../catalog/project/storage-sizes.js';
import { Database } from '../database/database.js';
import { byteSizeText, shortened } from '../shared/texts.js';
import { projectOf } from '../tenancy/project.js';
import { size, wholeNumber } from '../config/variable-reader.js';
import { DEFAULT_IMAGE_SIZES, parseImageSizes, printImageSizes } from '../file/image/image-sizes.js';
import { CHANGES_KEEP } from '../model/changes.js';
import { LIMITS } from '../shared/limits.js';
import { storedFilesStatement } from '../sql/file/files.sql.js';
import type { ProjectRow } from '../database/registry/project.repository.js';

interface CreateOptions extends CommonOptions {
  readonly label?: string;
  readonly accessDefault?: AccessDefault;
  readonly adminUsername?: string;
  readonly adminEmail?: string;
  readonly adminPassword?: string;
}

interface Created extends ProjectView {
  readonly administrator: { readonly username: string; readonly email: string; readonly password?: string };
}

interface Creations {
  readonly created: readonly Created[];
  /** Why it ended before all were made. */
  readonly failure?: Error;
}

export function createProjectCommand(parent: Command, { terminal, services }: CommandContext): void {
  parent
    .command('create <ids...>')
    .description('makes a project, or several, each with an administrator of its own, and prints their keys')
    .option('--label <text>', 'a name for people (default: the id)', parseLabel)
    .option(
      '--access-default <open|closed>',
      'what a kind allows that names no access: open to members, or closed (recommended on the internet)',
      parseAccessDefault,
      'open',
    )
    .option('--admin-username <name>', 'default: BOOTSTRAP_ADMIN_USERNAME, or admin')
    .option('--admin-email <address>', 'default: BOOTSTRAP_ADMIN_EMAIL, or admin@example.com')
    .option('--admin-password <password>', 'default: one is made for each project, and printed this one time')
    .action(async (ids: string[], options: CreateOptions, command: Command) => {
      if (ids.length > 1 && options.label !== undefined) command.error('error: --label is for one project');
      const twice = ids.find((id, at) => ids.indexOf(id) !== at);
      if (twice !== undefined) command.error(`error: '${twice}' is named more than once`);
      const { created, failure } = await services((context) => createAll(context, ids, options), { make: true });
      const [first] = created;
      if (first) print(terminal, options, ids.length > 1 ? created : first, created.map(createdText).join('\n'));
      if (failure) throw failure;
    });
}

/** Nothing is made if one of them can't be. Each is a transaction of its own. @throws KindError 400, 409 */
async function createAll(context: Services, ids: readonly string[], options: CreateOptions): Promise<Creations> {
  await checkFree(context.app.get(Provisioning), ids);
  const created: Created[] = [];
  try {
    for (const id of ids) created.push(await create(context, id, options));
    return { created };
  } catch (error) {
    // The passwords of those that are made have to be printed.
    return { created, failure: error instanceof Error ? error : new Error(String(error)) };
  }
}

/** @throws KindError with what is wrong with all of them */
async function checkFree(provisioning: Provisioning, ids: readonly string[]): Promise<void> {
  const faults: Message[] = [];
  for (const id of ids) {
    await provisioning.checkFree(id).catch((error: unknown) => {
      if (!isRefusedAlone(error)) throw error;
      faults.push(...error.messages);
    });
  }
  const [first, ...rest] = faults;
  if (first) throw new KindError([first, ...rest]);
}

async function create({ app, config }: Services, id: string, options: CreateOptions): Promise<Created> {
  const provisioning = app.get(Provisioning);
  const username = options.adminUsername ?? config.bootstrap.adminUsername;
  const email = options.adminEmail ?? config.bootstrap.adminEmail;
  const password = options.adminPassword ?? generatePassword();
  const { label, accessDefault } = options;
  const made = { id, ...(label !== undefined && { label }), ...(accessDefault && { accessDefault }) };
  await provisioning.create(made, app.get(Administrators).creation({ username, email, password }));
  const administrator = { username, email, ...(options.adminPassword === undefined && { password }) };
  return { ...(await projectView(provisioning, await provisioning.get(id))), administrator };
}

function createdText({ key, administrator }: Created): string {
  const { username, password } = administrator;
  return propertyTable({
    'project key': key,
    administrator: username,
    ...(password !== undefined && { password: `${password}   (shown this one time)` }),
  });
}

interface ListOptions extends CommonOptions {
  readonly long?: true;
}

export function listProjectsCommand(parent: Command, { terminal, services }: CommandContext): void {
  parent
    .command('list')
    .description('lists the projects by id')
    .option('--long', 'also what kinds allow that name no access, which is read from each project')
    .action(async (options: ListOptions) => {
      const found = await services(
        async ({ app }): Promise<(RegistryView | ProjectView)[]> => {
          const provisioning = app.get(Provisioning);
          const rows = await provisioning.list();
          return options.long ? projectViews(provisioning, rows) : rows.map(registryView);
        },
        { only: [] },
      );
      print(
        terminal,
        options,
        found,
        found.length > 0 ? projectTable(found, options.long ?? false) : 'No projects yet: `project create <id>`.\n',
      );
    });
}

function projectTable(projects: readonly (RegistryView | ProjectView)[], long: boolean): string {
  const rows = projects.map(({ key, label, status, otp, inserted_at, ...more }) => [
    key,
    label,
    status,
    onOrOffText(otp),
    ...(long ? [('access_default' in more ? more.access_default : null) ?? ''] : []),
    inserted_at,
  ]);
  return textTable([['KEY', 'LABEL', 'STATUS', 'OTP', ...(long ? ['ACCESS DEFAULT'] : []), 'INSERTED AT'], ...rows]);
}

export function showProjectCommand(parent: Command, { terminal, services }: CommandContext): void {
  parent
    .command('show <id>')
    .description('shows a project: its settings, its schema and its kinds')
    .action(async (id: string, options: CommonOptions) => {
      const found = await services((context) => show(context, id), { only: [] });
      print(terminal, options, found, propertyTable({ ...found, kinds: found.kinds.join(', ') || 'none' }));
    });
}

async function show({ app }: Services, id: string) {
  const provisioning = app.get(Provisioning);
  const row = await provisioning.get(id);
  const view = await projectView(provisioning, row);
  // A project whose deletion was interrupted has no model.
  if (row.status !== 'active') return { ...view, kinds: [] };
  const model = await loadModel(app.get(Database), projectOf(row));
  const kinds = [...model.kinds.values()].filter(isUsers).map((kind) => kind.id);
  const { schema } = projectOf(row);
  const stored = byteSizeText(await measureStorage(app.get(Database), schema));
  const files = await filesOf(app.get(Database), schema, model);
  return { ...view, stored, ...files, model_version: model.version, kinds: kinds.sort() };
}

/** The number of files, and what their contents take. */
async function filesOf(database: Database, schema: string, model: Model) {
  if (!hasFiles(model)) return { files: `none, until its own kind '${FILE_KIND}' is renamed` };
  const kind = getBuiltInKind(model, FILE_KIND);
  const [row] = await database.run<{ files: number; bytes: number }>(storedFilesStatement(schema, kind));
  return { files: row?.files ?? 0, contents: byteSizeText(row?.bytes ?? 0) };
}

/** Every project has the kind of files. */
function isUsers({ builtIn, traits }: KindDef): boolean {
  return !builtIn && traits.extensible !== true;
}

const SETTINGS = new Map<string, (value: string) => ProjectChange>([
  ['otp', (value) => ({ settings: { otp: onOrOff('otp', value) } })],
  ['background', (value) => ({ settings: { background: onOrOff('background', value) } })],
  ['changes_keep', (value) => ({ settings: { changesKeep: daysOf('changes_keep', value) } })],
  ['requests_per_second', (value) => ({ settings: { requestsPerSecond: limitOf('requests_per_second', value) } })],
  ['units', (value) => ({ settings: { units: limitOf('units', value) } })],
  ['storage', (value) => ({ settings: { storage: sizeOf('storage', value) } })],
  ['image_sizes', (value) => ({ settings: { imageSizes: imageSizesOf(value) } })],
  ['originals', (value) => ({ settings: { originals: originalsOf(value) } })],
  ['file_url_seconds', (value) => ({ settings: { fileUrlSeconds: urlSecondsOf(value) } })],
  ['access_default', (value) => ({ accessDefault: parseAccessDefault(value) })],
  ['label', (value) => ({ label: parseLabel(value) })],
]);

/** The sizes that can be set. */
const STORAGE_SIZE = size('1mb', '100000gb');
const URL_SECONDS = wholeNumber(LIMITS.fileUrlSecondsMin, LIMITS.fileUrlSecondsMax);
/** The most days that can be set. */
const MOST_DAYS = 3650;
/** The highest limit that can be set. */
const MOST = 1_000_000_000_000;

export function setProjectCommand(parent: Command, { terminal, services }: CommandContext): void {
  parent
    .command('set')
    .description(
      'changes a project: otp=on (or off), background=off (or on), changes_keep=<days, from 1 to 3650>, access_default=closed (or open), label=<text>, requests_per_second=<number>, units=<number>, storage=<size, such as 500mb> (or off), image_sizes=<name>:<width>x<height>:<cover, contain or inside>,… (or default), originals=owner (or all), file_url_seconds=<number, from 60 to 604800>',
    )
    .argument('<id>', 'the project')
    .argument('<setting...>', 'name=value')
    .action(async (id: string, settings: string[], options: CommonOptions, command: Command) => {
      const { changes, faults } = readSettings(settings);
      if (faults.length > 0) command.error(faults.map((fault) => `error: ${fault}`).join('\n'));
      const view = await services(
        async ({ app }) => {
          const provisioning = app.get(Provisioning);
          return projectView(provisioning, await provisioning.set(id, mergeChanges(changes)));
        },
        { only: [] },
      );
      print(terminal, options, view, propertyTable(view));
    });
}

/** The changes, and what is wrong with all of the settings. */
function readSettings(texts: readonly string[]): { changes: readonly ProjectChange[]; faults: readonly string[] } {
  const changes = new Map<string, ProjectChange>();
  const faults = new Set<string>();
  for (const text of texts) {
    const name = text.slice(0, Math.max(0, text.indexOf('=')));
    const read = SETTINGS.get(name);
    if (!read)
      faults.add(
        `'${shortened(text)}' is no setting: ${[...SETTINGS.keys()].map((known) => `${known}=…`).join(', ')}.`,
      );
    else if (changes.has(name)) faults.add(`${name} is given more than once.`);
    else {
      try {
        changes.set(name, read(text.slice(name.length + 1)));
      } catch (error) {
        if (!(error instanceof InvalidArgumentError)) throw error;
        faults.add(error.message);
      }
    }
  }
  return { changes: [...changes.values()], faults: [...faults] };
}

function mergeChanges(changes: readonly ProjectChange[]): ProjectChange {
  const settings = Object.assign({}, ...changes.map((change) => change.settings)) as ProjectChange['settings'];
  return Object.assign({}, ...changes, { settings }) as ProjectChange;
}

function onOrOff(name: string, value: string): boolean {
  if (value === 'on') return true;
  if (value === 'off') return false;
  throw new InvalidArgumentError(`${name} is on or off.`);
}

/** @returns null for no limit */
function sizeOf(name: string, value: string): number | null {
  if (value === 'off') return null;
  const limit = STORAGE_SIZE.read(value);
  if (limit !== undefined) return limit;
  throw new InvalidArgumentError(`${name} is ${STORAGE_SIZE.wants}, or off.`);
}

/** @returns null for no limit */
function limitOf(name: string, value: string): number | null {
  if (value === 'off') return null;
  const limit = /^[1-9]\d{0,14}$/.test(value) ? Number(value) : NaN;
  if (limit <= MOST) return limit;
  throw new InvalidArgumentError(`${name} is a whole number from 1 to ${MOST}, or off.`);
}

/** Days for which something is kept. */
function daysOf(name: string, value: string): number {
  const days = /^[1-9]\d{0,3}$/.test(value) ? Number(value) : NaN;
  if (days <= MOST_DAYS) return days;
  throw new InvalidArgumentError(`${name} is a whole number of days from 1 to ${MOST_DAYS}.`);
}

/** @returns null for those of every project */
function imageSizesOf(value: string): string | null {
  if (value === 'default') return null;
  const { sizes, faults } = parseImageSizes(value);
  if (faults.length === 0) return printImageSizes(sizes);
  throw new InvalidArgumentError(`image_sizes: ${faults.join(' ')}`);
}

function originalsOf(value: string): 'all' | 'owner' {
  if (value === 'all' || value === 'owner') return value;
  throw new InvalidArgumentError('originals is all or owner.');
}

function urlSecondsOf(value: string): number {
  const seconds = URL_SECONDS.read(value);
  if (seconds !== undefined) return seconds;
  throw new InvalidArgumentError(`file_url_seconds is ${URL_SECONDS.wants}.`);
}

export function deleteProjectCommand(parent: Command, { terminal, services }: CommandContext): void {
  parent
    .command('delete <id>')
    .description('deletes a project and everything that is stored in it')
    .requiredOption('--yes', 'say that you mean it: there is no way back')
    .action(async (id: string, options: CommonOptions) => {
      await services(({ app }) => app.get(Provisioning).delete(id), { only: [] });
      print(terminal, options, { deleted: id }, `Project '${singleLineText(id)}' is deleted.\n`);
    });
}

/** Parses the setting `access_default` of a project. */
function parseAccessDefault(text: string): AccessDefault {
  const value = ACCESS_DEFAULTS.find((each) => each === text);
  if (value) return value;
  throw new InvalidArgumentError('access_default is open or closed.');
}

/** Parses the label of a project. */
function parseLabel(text: string): string {
  const trimmed = text.trim();
  const length = [...trimmed].length;
  if (length > 0 && length <= LIMITS.labelLength) return trimmed;
  throw new InvalidArgumentError(`A label has 1 to ${LIMITS.labelLength} characters.`);
}

/** A project in the output of commands. */
interface ProjectView {
  /** The value of the header `kind-project-key`. */
  readonly key: string;
  readonly label: string;
  /** `deleting` if a deletion was interrupted; `project delete` finishes it. */
  readonly status: string;
  readonly otp: boolean;
  /** `off`: no schedules run. */
  readonly background: 'on' | 'off';
  /** Days for which changes are kept for those who follow them. */
  readonly changes_keep: number;
  /** The most requests per second; `off`: no limit. */
  readonly requests_per_second: number | 'off';
  /** The most units of user kinds; `off`: no limit. */
  readonly units: number | 'off';
  /** The most that it may take on disk; `off`: no limit. */
  readonly storage: string;
  /** The sizes in which pictures are served. */
  readonly image_sizes: string;
  /** Who sees pictures as they were uploaded. */
  readonly originals: 'all' | 'owner';
  /** Seconds for which the address of a file opens it. */
  readonly file_url_seconds: number;
  /** What a kind allows that names no access; null while the project is being deleted. */
  readonly access_default: AccessDefault | null;
  /** `being built` while indexes of large kinds are not ready. */
  readonly indexes: string;
  /** The PostgreSQL schema of the project, for example for `pg_dump -n`. */
  readonly schema: string;
  readonly inserted_at: string;
}

/** What the registry has of a project. The rest is in the tables of the project, which takes long for thousands. */
type RegistryView = Omit<ProjectView, 'access_default'>;

async function projectView(provisioning: Provisioning, row: ProjectRow): Promise<ProjectView> {
  return view(row, await provisioning.accessDefaults([row]));
}

async function projectViews(provisioning: Provisioning, rows: readonly ProjectRow[]): Promise<ProjectView[]> {
  const accessDefaults = await provisioning.accessDefaults(rows);
  return rows.map((row) => view(row, accessDefaults));
}

function registryView(row: ProjectRow): RegistryView {
  return {
    key: row.id,
    label: row.label,
    status: row.status,
    otp: row.settings.otp ?? false,
    background: onOrOffText(row.settings.background !== false),
    changes_keep: row.settings.changesKeep ?? CHANGES_KEEP,
    requests_per_second: row.settings.requestsPerSecond ?? 'off',
    units: row.settings.units ?? 'off',
    storage: row.settings.storage ? byteSizeText(row.settings.storage) : 'off',
    image_sizes: row.settings.imageSizes ?? printImageSizes(DEFAULT_IMAGE_SIZES),
    originals: row.settings.originals ?? 'all',
    file_url_seconds: row.settings.fileUrlSeconds ?? LIMITS.fileUrlSeconds,
    indexes: row.unindexed ? 'being built' : 'ready',
    schema: projectOf(row).schema,
    inserted_at: row.insertedAt,
  };
}

function view(row: ProjectRow, accessDefaults: ReadonlyMap<string, AccessDefault>): ProjectView {
  return { ...registryView(row), access_default: accessDefaults.get(row.id) ?? null };
}
