import type { Command } from 'commander';
import { Provisioning } from '../../catalog/project/provisioning.js';
import { textTable } from '../tools/text.js';
import type { CommonOptions, CommandContext } from '../tools/command-context.js';
import { print } from '../tools/output.js';
import { projectViews, type ProjectView } from '../tools/project.view.js';

export function listProjectsCommand(parent: Command, { terminal, services }: CommandContext): void {
  parent
    .command('list')
    .description('lists the projects by id')
    .action(async (options: CommonOptions) => {
      const found = await services(
        async ({ app }) => {
          const provisioning = app.get(Provisioning);
          return projectViews(provisioning, await provisioning.list());
        },
        { only: [] },
      );
      print(
        terminal,
        options,
        found,
        found.length > 0 ? projectTable(found) : 'No projects yet: `project create <id>`.\n',
      );
    });
}

function projectTable(projects: readonly ProjectView[]): string {
  const rows = projects.map(({ key, label, status, otp, access_default, inserted_at }) => [
    key,
    label,
    status,
    otp ? 'on' : 'off',
    access_default ?? '',
    inserted_at,
  ]);
  return textTable([['KEY', 'LABEL', 'STATUS', 'OTP', 'ACCESS DEFAULT', 'INSERTED AT'], ...rows]);
}
