/** `secrets rotate`: encrypts all stored secrets with the current key. */
import type { Command } from 'commander';
import { loadModel } from '../catalog/model/model-store.js';
import { Provisioning } from '../catalog/project/provisioning.js';
import { closedText, sealAnew, type ClosedSecret, type Sealing } from '../catalog/project/sealed-values.js';
import { Database } from '../database/database.js';
import { checkSecretsKey, renewSecretsCheck } from '../database/registry/secrets-check.js';
import type { ProjectRow } from '../database/registry/project.repository.js';
import { SecretBox } from '../shared/secret-box.js';
import { errorText, plural } from '../shared/texts.js';
import { AuditLog } from '../tenancy/audit-log.js';
import { projectOf } from '../tenancy/project.js';
import type { SecretChoices } from '../transfer/project/project-import.service.js';
import type { CommandContext, CommonOptions, Services } from './tools/command-context.js';
import { print } from './tools/output.js';
import { dropSecrets, secretChoices, secretsKeyFile, type SecretsOptions } from './tools/secrets-options.js';
import { isDeleted } from './transfer/project-backup.js';

interface RotatedProject {
  readonly project: string;
  /** Secrets that are encrypted anew. */
  readonly rotated: number;
  /** Those that no key opens: they stay, or are removed. */
  readonly closed: readonly ClosedSecret[];
}

interface Rotated {
  readonly projects: readonly RotatedProject[];
  readonly removed: boolean;
  /** What went wrong, by project. */
  readonly failed: readonly string[];
}

export function rotateSecretsCommand(parent: Command, { terminal, services }: CommandContext): void {
  parent
    .command('rotate')
    .description('encrypts the stored secrets of all projects anew with SECRETS_KEY, while they are used')
    .addOption(secretsKeyFile())
    .addOption(dropSecrets())
    .action(async (options: CommonOptions & SecretsOptions) => {
      const choices = await secretChoices(options);
      const rotated = await services((context) => rotate(context, choices), { seals: true, only: [] });
      const { projects, removed, failed } = rotated;
      print(terminal, options, { projects, removed }, textOf(rotated));
      if (failed.length > 0) {
        throw new Error(`keep the former key, and run the command again when it is mended: ${failed.join('; ')}`);
      }
      const closed = projects.reduce((sum, each) => sum + each.closed.length, 0);
      if (closed > 0 && !removed) throw new Error(`${plural(closed, 'secret')} could not be opened`);
    });
}

/** One project after the other. When all are done, no former key opens the database any more. */
async function rotate({ app, config }: Services, { secretsKeys = [], dropSecrets: drop = false }: SecretChoices) {
  const database = app.get(Database);
  const provisioning = app.get(Provisioning);
  const box = app.get(SecretBox).alsoOpenedBy(secretsKeys);
  const sealing = { box, drop, audit: app.get(AuditLog) };
  // With a key that opens nothing all would be as good as lost.
  if (!drop) await checkSecretsKey(database, { box, config });
  const [projects, failed]: [RotatedProject[], string[]] = [[], []];
  for (const row of await provisioning.list()) {
    if (row.status !== 'active') continue;
    try {
      projects.push(await rotateProject(database, row, sealing));
    } catch (error) {
      if (!(await isDeleted(provisioning, row.id))) failed.push(`${row.id}: ${errorText(error)}`);
    }
  }
  if (failed.length === 0) await renewSecretsCheck(database, box);
  return { projects, removed: drop, failed };
}

async function rotateProject(
  database: Database,
  row: ProjectRow,
  sealing: Pick<Sealing, 'box' | 'drop' | 'audit'>,
): Promise<RotatedProject> {
  const project = projectOf(row);
  const model = await loadModel(database, project);
  const { sealed, closed } = await sealAnew(database.ofProject(project), { model, project, ...sealing });
  return { project: row.id, rotated: sealed, closed };
}

function textOf({ projects, removed, failed }: Rotated): string {
  const kept = removed ? 'no key opens, and are removed' : 'no key opens, and stay as they are';
  const lines = projects
    .filter(({ rotated, closed }) => rotated > 0 || closed.length > 0)
    .map(({ project, rotated, closed }) => {
      const rest = closed.length > 0 ? `; ${closed.length} ${kept}: ${closedText(closed)}` : '';
      return `${project}: ${plural(rotated, 'secret')} encrypted anew${rest}`;
    });
  const end =
    failed.length > 0 ? [] : [`${plural(projects.length, 'project')} done: former keys are not needed any more`];
  return [...lines, ...end].map((line) => `${line}\n`).join('');
}
