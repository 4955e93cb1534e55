import type { Command } from 'commander';
import { Provisioning } from '../../catalog/project/provisioning.js';
import { textTable } from '../tools/text.js';
import type { CommonOptions, CommandContext } from '../tools/command-context.js';
import { print } from '../tools/output.js';
import { projectViews, registryView, type ProjectView, type RegistryView } from '../tools/project.view.js';

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
  const rows = projects.map(({ key, label, status, otp, inserted_at, ...more }) => [
    key,
    label,
    status,
    otp ? 'on' : 'off',
    ...(long ? [('access_default' in more ? more.access_default : null) ?? ''] : []),
    inserted_at,
  ]);
  return textTable([['KEY', 'LABEL', 'STATUS', 'OTP', ...(long ? ['ACCESS DEFAULT'] : []), 'INSERTED AT'], ...rows]);
}
