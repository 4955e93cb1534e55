import type { Command } from 'commander';
import { loadModel } from '../../catalog/model/model-store.js';
import { Provisioning } from '../../catalog/project/provisioning.js';
import { measureStorage } from '../../catalog/project/storage-sizes.js';
import { Database } from '../../database/database.js';
import { byteSizeText } from '../../shared/byte-size.js';
import { projectOf } from '../../tenancy/project.js';
import type { CommonOptions, Services, CommandContext } from '../tools/command-context.js';
import { print, propertyTable } from '../tools/output.js';
import { projectView } from '../tools/project.view.js';

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
  const kinds = [...model.kinds.values()].filter(({ builtIn }) => !builtIn).map((kind) => kind.id);
  const stored = byteSizeText(await measureStorage(app.get(Database), projectOf(row).schema));
  return { ...view, stored, model_version: model.version, kinds: kinds.sort() };
}
