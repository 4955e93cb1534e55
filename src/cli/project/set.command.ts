import { InvalidArgumentError, type Command } from 'commander';
import { Provisioning, type ProjectChange } from '../../catalog/project/provisioning.js';
import { parseAccessDefault } from '../tools/access-default.js';
import type { CommonOptions, CommandContext } from '../tools/command-context.js';
import { parseLabel } from '../tools/label.js';
import { print, propertyTable } from '../tools/output.js';
import { projectView } from '../tools/project.view.js';

const SETTINGS = new Map<string, (value: string) => ProjectChange>([
  ['otp', (value) => ({ settings: { otp: onOrOff(value) } })],
  ['access_default', (value) => ({ accessDefault: parseAccessDefault(value) })],
  ['label', (value) => ({ label: parseLabel(value) })],
]);

export function setProjectCommand(parent: Command, { terminal, services }: CommandContext): void {
  parent
    .command('set')
    .description('changes a project: otp=on (or off), access_default=closed (or open), label=<text>')
    .argument('<id>', 'the project')
    .argument('<setting...>', 'name=value', readSetting)
    .action(async (id: string, change: ProjectChange, options: CommonOptions) => {
      const view = await services(async ({ app }) => {
        const provisioning = app.get(Provisioning);
        return projectView(provisioning, await provisioning.set(id, change));
      });
      print(terminal, options, view, propertyTable(view));
    });
}

/** Commander calls it for each setting, with the previous result. */
function readSetting(text: string, before: ProjectChange = {}): ProjectChange {
  const at = text.indexOf('=');
  const read = SETTINGS.get(text.slice(0, at));
  if (at < 1 || !read)
    throw new InvalidArgumentError(`Known settings: ${[...SETTINGS.keys()].map((name) => `${name}=…`).join(', ')}.`);
  return { ...before, ...read(text.slice(at + 1)) };
}

function onOrOff(value: string): boolean {
  if (value === 'on') return true;
  if (value === 'off') return false;
  throw new InvalidArgumentError('otp is on or off.');
}
