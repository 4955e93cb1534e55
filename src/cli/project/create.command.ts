import type { Command } from 'commander';
import { Administrators } from '../../auth/administrators.js';
import { generatePassword } from '../../bootstrap.js';
import { Provisioning } from '../../catalog/project/provisioning.js';
import type { AccessDefault } from '../../model/parameter-type/parameter-settings.js';
import { parseAccessDefault } from '../tools/access-default.js';
import type { CommonOptions, Services, CommandContext } from '../tools/command-context.js';
import { parseLabel } from '../tools/label.js';
import { print, propertyTable } from '../tools/output.js';
import { projectView } from '../tools/project.view.js';

interface CreateOptions extends CommonOptions {
  readonly label?: string;
  readonly accessDefault?: AccessDefault;
  readonly adminUsername?: string;
  readonly adminEmail?: string;
  readonly adminPassword?: string;
}

export function createProjectCommand(parent: Command, { terminal, services }: CommandContext): void {
  parent
    .command('create <id>')
    .description('makes a project with its administrator, and prints its key')
    .option('--label <text>', 'a name for people (default: the id)', parseLabel)
    .option(
      '--access-default <open|closed>',
      'what a kind allows that names no access: open to members, or closed (recommended on the internet)',
      parseAccessDefault,
      'open',
    )
    .option('--admin-username <name>', 'default: BOOTSTRAP_ADMIN_USERNAME, or admin')
    .option('--admin-email <address>', 'default: BOOTSTRAP_ADMIN_EMAIL, or admin@example.com')
    .option('--admin-password <password>', 'default: one is made and printed this one time')
    .action(async (id: string, options: CreateOptions) => {
      const created = await services((context) => create(context, id, options), { make: true });
      print(terminal, options, created, createdText(created));
    });
}

async function create({ app, config }: Services, id: string, options: CreateOptions) {
  const provisioning = app.get(Provisioning);
  const administrators = app.get(Administrators);
  const username = options.adminUsername ?? config.bootstrap.adminUsername;
  const email = options.adminEmail ?? config.bootstrap.adminEmail;
  const password = options.adminPassword ?? generatePassword();
  const { label, accessDefault } = options;
  const made = { id, ...(label !== undefined && { label }), ...(accessDefault && { accessDefault }) };
  await provisioning.create(made, (executor, project) =>
    administrators.create(executor, project, { username, email, password }),
  );
  const administrator = { username, email, ...(options.adminPassword === undefined && { password }) };
  return { ...(await projectView(provisioning, await provisioning.get(id))), administrator };
}

function createdText({ key, administrator }: Awaited<ReturnType<typeof create>>): string {
  const { username, password } = administrator;
  return propertyTable({
    'project key': key,
    administrator: username,
    ...(password !== undefined && { password: `${password}   (shown this one time)` }),
  });
}
