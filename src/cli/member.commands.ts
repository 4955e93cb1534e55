/** `member set-password` and `key create`. */
import type { Command } from 'commander';
import { PasswordStore } from '../auth/password/password-store.js';
import { SecondStepService } from '../auth/second-step/second-step.service.js';
import { generatePassword } from '../before-serving.js';
import { Provisioning } from '../catalog/project/provisioning.js';
import { AuditLog } from '../tenancy/audit-log.js';
import { SYSTEM } from '../tenancy/caller.js';
import { projectOf } from '../tenancy/project.js';
import { print, propertyTable } from './tools/output.js';
import type { CommonOptions, Services, CommandContext } from './tools/command-context.js';
import { ApiKeyService } from '../auth/keys/api-key.service.js';
import { refusal } from '../shared/errors.js';
import type { Json } from '../shared/json.js';

interface SetPasswordOptions extends CommonOptions {
  readonly password?: string;
}

export function setPasswordCommand(parent: Command, { terminal, services }: CommandContext): void {
  parent
    .command('set-password <project> <name>')
    .description('gives a member, by its username or e-mail, a new password; its sessions end')
    .option('--password <password>', 'default: one is made and printed this one time')
    .action(async (project: string, name: string, options: SetPasswordOptions) => {
      const set = await services((context) => setPassword(context, { project, name, password: options.password }));
      const { password } = set;
      const shown = { ...set, ...(password !== undefined && { password: `${password}   (shown this one time)` }) };
      print(terminal, options, set, propertyTable(shown));
    });
}

async function setPassword(
  { app }: Services,
  { project: id, name, password }: { project: string; name: string; password: string | undefined },
) {
  const row = await app.get(Provisioning).getActive(id);
  const newPassword = password ?? generatePassword();
  const audit = app.get(AuditLog);
  const { member_kind: kind, username } = await app
    .get(PasswordStore)
    .setByName(projectOf(row), name, newPassword, (tx, credential) => {
      const details = { kind: credential.member_kind, username: credential.username };
      const entry = { action: 'member.password_set', project: id, caller: SYSTEM, requestId: undefined } as const;
      audit.record({ ...entry, details }, tx);
    });
  return { kind, username, ...(password === undefined && { password: newPassword }) };
}

export function resetSecondStepCommand(parent: Command, { terminal, services }: CommandContext): void {
  parent
    .command('reset-second-step <project> <name>')
    .description('removes the authenticator app of a member, by its username or e-mail, that has lost it')
    .action(async (project: string, name: string, options: CommonOptions) => {
      const { member_kind: kind, username } = await services(async ({ app }) => {
        const row = await app.get(Provisioning).getActive(project);
        return app.get(SecondStepService).removeByName(projectOf(row), name);
      });
      print(terminal, options, { kind, username }, propertyTable({ kind, username }));
    });
}

interface CreateKeyOptions extends CommonOptions {
  readonly label?: string;
  readonly scope?: string;
  readonly expires?: string;
  readonly agent?: boolean;
  readonly writes?: boolean;
}

export function createKeyCommand(parent: Command, { terminal, services }: CommandContext): void {
  parent
    .command('create <project> <member>')
    .description('makes an API key for a member, by its username or e-mail, and prints the secret this one time')
    .option('--label <text>', 'what the key is for')
    .option(
      '--scope <json>',
      'what it may do, as [{"kinds": ["order"], "operations": ["read"]}]; default: all that the member may',
    )
    .option('--expires <time>', 'when it ends, as 2030-01-01T00:00:00Z; default: never')
    .option('--agent', 'the key of an agent, which opens the address for agents and nothing else')
    .option('--writes', 'the agent may use the tools that write')
    .action(async (project: string, member: string, options: CreateKeyOptions) => {
      const made = await services((context) => createKey(context, project, member, options));
      print(terminal, options, made, propertyTable({ ...made, secret: `${made.secret}   (shown this one time)` }));
    });
}

async function createKey({ app }: Services, id: string, member: string, options: CreateKeyOptions) {
  const { label, scope, expires, agent, writes } = options;
  const row = await app.get(Provisioning).getActive(id);
  const values = new Map<string, Json>([
    ...(label === undefined ? [] : [['label', label] as const]),
    ...(scope === undefined ? [] : [['scope', parseScope(scope)] as const]),
    ...(expires === undefined ? [] : [['expires_at', expires] as const]),
    ...(agent === undefined ? [] : [['agent', agent] as const]),
    ...(writes === undefined ? [] : [['writes', writes] as const]),
  ]);
  const made = await app.get(ApiKeyService).create(projectOf(row), member, values);
  return { id: made.id, member, secret: made.secret };
}

function parseScope(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw refusal('body.malformed', '--scope: must be JSON');
  }
}
