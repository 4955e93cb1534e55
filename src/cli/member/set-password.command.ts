import type { Command } from 'commander';
import { PasswordStore } from '../../auth/password/password-store.js';
import { generatePassword } from '../../bootstrap.js';
import { checkNotDeleted, Provisioning } from '../../catalog/project/provisioning.js';
import { AuditLog } from '../../tenancy/audit-log.js';
import { SYSTEM } from '../../tenancy/caller.js';
import { projectOf } from '../../tenancy/project.js';
import { print, propertyTable } from '../tools/output.js';
import type { CommonOptions, Services, CommandContext } from '../tools/command-context.js';

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
  const row = await app.get(Provisioning).get(id);
  checkNotDeleted(row);
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
