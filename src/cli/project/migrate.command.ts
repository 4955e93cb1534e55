import type { Command } from 'commander';
import { IndexBuilder } from '../../catalog/index/index-builder.js';
import { Provisioning } from '../../catalog/project/provisioning.js';
import { KindError, refusal, type Message } from '../../shared/errors.js';
import { singleLineText, textTable } from '../tools/text.js';
import type { CommonOptions, Services, CommandContext } from '../tools/command-context.js';
import { print } from '../tools/output.js';

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

export function migrateProjectsCommand(parent: Command, { terminal, services }: CommandContext): void {
  parent
    .command('migrate [ids...]')
    .description(
      'brings the tables of all projects, or of these, up to date; the service does it itself when it starts',
    )
    .action(async (ids: string[], options: CommonOptions) => {
      const { migrated, refused } = await services((context) => migrate(context, ids));
      print(terminal, options, migrated, migrationText(migrated));
      const [first, ...rest] = refused;
      if (first) throw new KindError([first, ...rest]);
    });
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

/** One transaction per project, so that an error in one does not affect the others. */
async function migrate({ app }: Services, ids: readonly string[]): Promise<MigrationResult> {
  const provisioning = app.get(Provisioning);
  const rows = ids.length > 0 ? await Promise.all(ids.map((id) => provisioning.get(id))) : await provisioning.list();
  const halfDeleted = rows.find(({ status }) => status !== 'active');
  if (ids.length > 0 && halfDeleted)
    throw refusal('project.unavailable', `Project '${halfDeleted.id}' is being deleted`);
  const migrated: Migrated[] = [];
  const refused: Message[] = [];
  for (const { id } of rows.filter(({ status }) => status === 'active')) {
    try {
      const { steps, leftAlone } = await provisioning.migrate(id);
      migrated.push({ key: id, steps, left_alone: leftAlone });
    } catch (error) {
      if (!(error instanceof KindError) || error.code === 'database.unavailable') throw error;
      refused.push(...error.messages);
    }
  }
  await app.get(IndexBuilder).finish();
  return { migrated, refused };
}
