/** `project create`, `list`, `show`, `set` and `delete`. */
import { FILE_KIND } from '../model/built-in-traits.js';
import { getBuiltInKind, hasFiles, type KindDef, type Model } from '../model/model.js';
import { type Command, InvalidArgumentError } from 'commander';
import { Administrators } from '../auth/administrators.js';
import { ProvedAddresses } from '../auth/proved-addresses.js';
import { generatePassword } from '../before-serving.js';
import { BY_SYSTEM, Provisioning, type ProjectChange } from '../catalog/project/provisioning.js';
import { type AccessDefault, ACCESS_DEFAULTS } from '../model/access-levels.js';
import { ModelApply } from '../model-file/apply-model.js';
import { modelFileIn, type ModelFile } from '../model-file/read-model-file.js';
import { isRefusedAlone, KindError, type Message } from '../shared/errors.js';
import { objectWithSecretsAt } from './model/read-file.js';
import type { CommonOptions, Services, CommandContext } from './tools/command-context.js';
import { onOrOffText, print, propertyTable, textTable, singleLineText } from './tools/output.js';
import { loadModel } from '../catalog/model/model-store.js';
import { measureStorage } from '../catalog/project/storage-sizes.js';
import { Database } from '../database/database.js';
import { byteSizeText, shortened } from '../shared/texts.js';
import { SYSTEM } from '../tenancy/caller.js';
import { projectOf } from '../tenancy/project.js';
import { PROJECT_SETTINGS, readSetting, SettingFault, shownSettings } from '../tenancy/project-settings.js';
import { LIMITS } from '../shared/limits.js';
import type { ProjectRow } from '../database/registry/project.repository.js';
import { storedFilesStatement } from '../sql/file/files.sql.js';

interface CreateOptions extends CommonOptions {
  readonly label?: string;
  readonly accessDefault?: AccessDefault;
  readonly adminUsername?: string;
  readonly adminEmail?: string;
  readonly adminPassword?: string;
  readonly model?: string;
}

interface ProjectOptions extends CreateOptions {
  readonly file: ModelFile | undefined;
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
    .option('--model <file>', 'what the project is made with: a model file, such as templates/crm.yaml')
    .action(async (ids: string[], options: CreateOptions, command: Command) => {
      if (ids.length > 1 && options.label !== undefined) command.error('error: --label is for one project');
      const twice = ids.find((id, at) => ids.indexOf(id) !== at);
      if (twice !== undefined) command.error(`error: '${twice}' is named more than once`);
      const model = options.model === undefined ? undefined : modelFileIn(await objectWithSecretsAt(options.model));
      const create = (context: Services) => createAll(context, ids, { ...options, file: model });
      const { created, failure } = await services(create, { make: true });
      const [first] = created;
      if (first) print(terminal, options, ids.length > 1 ? created : first, created.map(createdText).join('\n'));
      if (failure) throw failure;
    });
}

/** Nothing is made if one of them can't be. Each is a transaction of its own. @throws KindError 400, 409 */
async function createAll(context: Services, ids: readonly string[], options: ProjectOptions): Promise<Creations> {
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

async function create({ app, config }: Services, id: string, options: ProjectOptions): Promise<Created> {
  const provisioning = app.get(Provisioning);
  const username = options.adminUsername ?? config.bootstrap.adminUsername;
  const email = options.adminEmail ?? config.bootstrap.adminEmail;
  const password = options.adminPassword ?? generatePassword();
  const { label, accessDefault } = options;
  const made = { id, ...(label !== undefined && { label }), ...(accessDefault && { accessDefault }) };
  await provisioning.create(made, app.get(Administrators).creation({ username, email, password }));
  if (options.file) await applyOrDelete(app, id, options.file);
  const administrator = { username, email, ...(options.adminPassword === undefined && { password }) };
  return { ...(await projectView(provisioning, await provisioning.get(id))), administrator };
}

/** Nothing is there that it could lose or open. What refuses the file leaves no project. @throws KindError */
async function applyOrDelete(app: Services['app'], id: string, file: ModelFile): Promise<void> {
  const provisioning = app.get(Provisioning);
  try {
    const all = new Set(['all']);
    const row = await provisioning.getActive(id);
    await app.get(ModelApply).apply(row, file, { caller: SYSTEM, undo: false, allowLoss: all, allowOpen: all });
  } catch (error) {
    await provisioning.delete(id);
    throw error;
  }
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
  const rows = projects.map(({ key, label, status, otp, model, inserted_at, ...more }) => [
    key,
    label,
    status,
    onOrOffText(otp),
    model,
    ...(long ? [('access_default' in more ? more.access_default : null) ?? ''] : []),
    inserted_at,
  ]);
  return textTable([
    ['KEY', 'LABEL', 'STATUS', 'OTP', 'MODEL', ...(long ? ['ACCESS DEFAULT'] : []), 'INSERTED AT'],
    ...rows,
  ]);
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
  const [row] = await database.run<{ files: number; bytes: number; left: number }>(storedFilesStatement(schema, kind));
  const { files = 0, bytes = 0, left = 0 } = row ?? {};
  return { files, contents: byteSizeText(bytes), left_contents: byteSizeText(left) };
}

/** Every project has the kind of files. */
function isUsers({ builtIn, traits }: KindDef): boolean {
  return !builtIn && traits.extensible !== true;
}

const ACCESS_DEFAULT = 'access_default';
const YES = '--yes says that you mean it';

interface SetOptions extends CommonOptions {
  readonly yes?: true;
  readonly trustExisting?: true;
}

export function setProjectCommand(parent: Command, { terminal, services }: CommandContext): void {
  parent
    .command('set')
    .description(`changes a project: ${usages().join(', ')}`)
    .argument('<id>', 'the project')
    .argument('<setting...>', 'name=value')
    .option('--yes', 'say that you mean it, where passkeys of members cannot be used any more')
    .option('--trust-existing', 'with verify_email=on: takes the addresses of the present members as verified')
    .action(async (id: string, settings: string[], options: SetOptions, command: Command) => {
      const { changes, faults } = readSettings(settings);
      const trusts = options.trustExisting ?? false;
      if (trusts && !changes.some((change) => change.settings?.verifyEmail)) {
        command.error('error: --trust-existing goes with verify_email=on');
      }
      if (faults.length > 0) command.error(faults.map((fault) => `error: ${fault}`).join('\n'));
      const view = await services(
        async ({ app }) => {
          const provisioning = app.get(Provisioning);
          const change = mergeChanges(changes);
          if (!options.yes)
            await provisioning.refuseToLosePasskeys(await provisioning.get(id), change.settings ?? {}, YES);
          // Before the setting, so that nobody is held meanwhile.
          if (trusts) await app.get(ProvedAddresses).trustAll(projectOf(await provisioning.getActive(id)));
          return projectView(provisioning, await provisioning.set(id, change, { ...BY_SYSTEM, cascade: true }));
        },
        trusts ? {} : { only: [] },
      );
      print(terminal, options, view, propertyTable(view));
    });
}

/** What can be written. */
function usages(): string[] {
  const settings = Object.values(PROJECT_SETTINGS).map(({ name, usage }) => `${name}=${usage}`);
  return [...settings, `${ACCESS_DEFAULT}=closed (or open)`, 'label=<text>'];
}

/** The changes, and what is wrong with all of the settings. */
function readSettings(texts: readonly string[]): { changes: readonly ProjectChange[]; faults: readonly string[] } {
  const changes = new Map<string, ProjectChange>();
  const faults = new Set<string>();
  for (const text of texts) {
    const name = text.slice(0, Math.max(0, text.indexOf('=')));
    try {
      const change = readChange(name, text.slice(name.length + 1));
      if (!change) {
        const known = usages().map((usage) => `${usage.slice(0, usage.indexOf('='))}=…`);
        faults.add(`'${shortened(text)}' is no setting: ${known.join(', ')}.`);
      } else if (changes.has(name)) faults.add(`${name} is given more than once.`);
      else changes.set(name, change);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      faults.add(error.message);
    }
  }
  return { changes: [...changes.values()], faults: [...faults] };
}

/** Undefined if there is no setting of that name. @throws InvalidArgumentError */
function readChange(name: string, text: string): ProjectChange | undefined {
  if (name === ACCESS_DEFAULT) return { accessDefault: parseAccessDefault(text) };
  if (name === 'label') return { label: parseLabel(text) };
  const settings = readSetting(name, text);
  if (settings instanceof SettingFault) throw new InvalidArgumentError(settings.text);
  return settings && { settings };
}

function mergeChanges(changes: readonly ProjectChange[]): ProjectChange {
  const settings = Object.assign({}, ...changes.map((change) => change.settings)) as ProjectChange['settings'];
  return Object.assign({}, ...changes, { settings }) as ProjectChange;
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

/** A project in the output of commands, which has all its settings by their names too. */
interface ProjectView {
  /** The value of the header `kind-project-key`. */
  readonly key: string;
  readonly label: string;
  /** `deleting` if a deletion was interrupted; `project delete` finishes it. */
  readonly status: string;
  readonly otp: boolean;
  /** `locked` if a model file alone changes the model. */
  readonly model: string;
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
    model: row.settings.model ?? 'open',
    ...shownSettings(row.settings),
    indexes: row.unindexed ? 'being built' : 'ready',
    schema: projectOf(row).schema,
    inserted_at: row.insertedAt,
  };
}

function view(row: ProjectRow, accessDefaults: ReadonlyMap<string, AccessDefault>): ProjectView {
  return { ...registryView(row), access_default: accessDefaults.get(row.id) ?? null };
}
