import type { Command } from 'commander';
import { Provisioning } from '../../catalog/provisioning.js';
import { refusal } from '../../shared/errors.js';
import { table } from '../text.js';
import type { CommonOptions, Services, Toolbox } from '../toolbox.js';
import { print } from './project.view.js';

interface Migrated {
  readonly key: string;
  /** Changes that its tables took; 0 where it was up to date. */
  readonly steps: number;
}

export function migrateProjectsCommand(parent: Command, { terminal, services }: Toolbox): void {
  parent
    .command('migrate [ids...]')
    .description(
      'brings the tables of all projects, or of these, up to date; the service does it itself when it starts',
    )
    .action(async (ids: string[], options: CommonOptions) => {
      const migrated = await services((given) => migrate(given, ids));
      const lines = migrated.map(({ key, steps }) => [key, steps === 0 ? 'up to date' : `${steps} changes made`]);
      print(terminal, options, migrated, table(lines));
    });
}

/** One transaction per project: those before a failure stay migrated. */
async function migrate({ app }: Services, ids: readonly string[]): Promise<Migrated[]> {
  const provisioning = app.get(Provisioning);
  const rows = ids.length > 0 ? await Promise.all(ids.map((id) => provisioning.get(id))) : await provisioning.list();
  const halfDeleted = rows.find(({ status }) => status !== 'active');
  if (ids.length > 0 && halfDeleted)
    throw refusal('project.unavailable', `Project '${halfDeleted.id}' is being deleted`);
  const migrated: Migrated[] = [];
  for (const { id, status } of rows) {
    if (status === 'active') migrated.push({ key: id, steps: await provisioning.migrate(id) });
  }
  return migrated;
}
