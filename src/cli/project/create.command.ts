import type { Command } from 'commander';
import { Administrators } from '../../auth/administrators.js';
import { generatePassword } from '../../bootstrap.js';
import { Provisioning } from '../../catalog/project/provisioning.js';
import type { AccessDefault } from '../../model/parameter-setting/access.setting.js';
import { KindError, type Message } from '../../shared/errors.js';
import { parseAccessDefault } from '../tools/access-default.js';
import type { CommonOptions, Services, CommandContext } from '../tools/command-context.js';
import { parseLabel } from '../tools/label.js';
import { print, propertyTable } from '../tools/output.js';
import { projectView, type ProjectView } from '../tools/project.view.js';

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
      if (!(error instanceof KindError) || error.code === 'database.unavailable') throw error;
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
