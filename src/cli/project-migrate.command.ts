import type { Command } from 'commander';
import { IndexBuilder } from '../catalog/indexes/index-builder.js';
import { Provisioning } from '../catalog/project/provisioning.js';
import { isRefusedAlone, KindError, refusal, type Message } from '../shared/errors.js';
import { singleLineText, textTable, print } from './tools/output.js';
import type { CommonOptions, Services, CommandContext } from './tools/command-context.js';
import { startProgress } from './tools/progress.js';

interface Migrated {
  readonly key: string;
  /** The number of changes to its tables; 0 if it was up to date. */
  readonly steps: number;
  /** Objects in its schema that the service did not create. */
  readonly left_alone: readonly string[];
}

interface MigrationResult {
  readonly migrated: readonly Migrated[];
  readonly refused: readonly Message[];
}

interface MigrateOptions extends CommonOptions {
  readonly all?: boolean;
}

export function migrateProjectsCommand(parent: Command, { terminal, services }: CommandContext): void {
  parent
    .command('migrate [ids...]')
    .description(
      'brings the tables of all older projects, or of these, up to date; the service does it itself when it starts',
    )
    .option('--all', 'looks for missing and unknown tables in all projects, also those that are up to date')
    .action(async (ids: string[], options: MigrateOptions, command: Command) => {
      if (ids.length > 0 && options.all) command.error("error: name projects, or give '--all'");
      const { migrated, refused } = await services((context) => migrate(context, ids, options), { only: [] });
      const isRest = ids.length === 0 && !options.all && refused.length === 0;
      print(terminal, options, migrated, migrationText(migrated) + (isRest ? restText(migrated.length) : ''));
      const [first, ...rest] = refused;
      if (first) throw new KindError([first, ...rest]);
    });
}

function restText(migrated: number): string {
  return `${migrated > 0 ? 'No other project' : 'No project'} is older than this release.\n`;
}

function migrationText(migrated: readonly Migrated[]): string {
  const lines = migrated.map(({ key, steps }) => [key, steps === 0 ? 'up to date' : `${steps} changes made`]);
  const withUnknownObjects = migrated.filter(({ left_alone }) => left_alone.length > 0);
  return (
    textTable(lines) +
    withUnknownObjects
      .map((each) => singleLineText(`${each.key}: left alone: ${each.left_alone.join(', ')}`) + '\n')
      .join('')
  );
}

/** One transaction per project, so that an error in one does not affect the others, and the next call goes on. */
async function migrate(
  { app }: Services,
  ids: readonly string[],
  { all = false }: MigrateOptions,
): Promise<MigrationResult> {
  const provisioning = app.get(Provisioning);
  const migrated: Migrated[] = [];
  const refused: Message[] = [];
  const progress = startProgress('upgraded:', undefined, 'projects');
  try {
    for await (const id of wanted(provisioning, ids, all)) {
      try {
        const { steps, leftAlone } = await provisioning.migrate(id);
        migrated.push({ key: id, steps, left_alone: leftAlone });
      } catch (error) {
        if (!isRefusedAlone(error)) throw error;
        // Deleted in the meantime.
        if (error.code === 'project.unknown') continue;
        refused.push(...error.messages);
      }
      progress.update(0, migrated.length);
    }
  } finally {
    progress.stop();
  }
  await app.get(IndexBuilder).finish();
  return { migrated, refused };
}

/** The projects with these ids, or all, or without ids those that are not known to be up to date. */
async function* wanted(provisioning: Provisioning, ids: readonly string[], all: boolean): AsyncGenerator<string> {
  if (ids.length === 0 && !all) {
    for await (const batch of provisioning.outdated()) yield* batch;
    return;
  }
  const rows = all ? await provisioning.list() : await Promise.all(ids.map((id) => provisioning.get(id)));
  const halfDeleted = rows.find(({ status }) => status !== 'active');
  if (!all && halfDeleted) throw refusal('project.unavailable', `Project '${halfDeleted.id}' is being deleted`);
  for (const { id, status } of rows) if (status === 'active') yield id;
}
