import { InvalidArgumentError, type Command } from 'commander';
import { Provisioning, type ProjectChange } from '../../catalog/project/provisioning.js';
import { size } from '../../config/variable-reader.js';
import { shortened } from '../../shared/shortened.js';
import { parseAccessDefault } from '../tools/access-default.js';
import type { CommonOptions, CommandContext } from '../tools/command-context.js';
import { parseLabel } from '../tools/label.js';
import { print, propertyTable } from '../tools/output.js';
import { projectView } from '../tools/project.view.js';

const SETTINGS = new Map<string, (value: string) => ProjectChange>([
  ['otp', (value) => ({ settings: { otp: onOrOff(value) } })],
  ['requests_per_second', (value) => ({ settings: { requestsPerSecond: limitOf('requests_per_second', value) } })],
  ['units', (value) => ({ settings: { units: limitOf('units', value) } })],
  ['storage', (value) => ({ settings: { storage: sizeOf('storage', value) } })],
  ['access_default', (value) => ({ accessDefault: parseAccessDefault(value) })],
  ['label', (value) => ({ label: parseLabel(value) })],
]);

/** The sizes that can be set. */
const STORAGE_SIZE = size('1mb', '100000gb');
/** The highest limit that can be set. */
const MOST = 1_000_000_000_000;

export function setProjectCommand(parent: Command, { terminal, services }: CommandContext): void {
  parent
    .command('set')
    .description(
      'changes a project: otp=on (or off), access_default=closed (or open), label=<text>, requests_per_second=<number>, units=<number>, storage=<size, such as 500mb> (or off)',
    )
    .argument('<id>', 'the project')
    .argument('<setting...>', 'name=value')
    .action(async (id: string, settings: string[], options: CommonOptions, command: Command) => {
      const { changes, faults } = readSettings(settings);
      if (faults.length > 0) command.error(faults.map((fault) => `error: ${fault}`).join('\n'));
      const view = await services(
        async ({ app }) => {
          const provisioning = app.get(Provisioning);
          return projectView(provisioning, await provisioning.set(id, mergeChanges(changes)));
        },
        { only: [] },
      );
      print(terminal, options, view, propertyTable(view));
    });
}

/** The changes, and what is wrong with all of the settings. */
function readSettings(texts: readonly string[]): { changes: readonly ProjectChange[]; faults: readonly string[] } {
  const changes = new Map<string, ProjectChange>();
  const faults = new Set<string>();
  for (const text of texts) {
    const name = text.slice(0, Math.max(0, text.indexOf('=')));
    const read = SETTINGS.get(name);
    if (!read)
      faults.add(
        `'${shortened(text)}' is no setting: ${[...SETTINGS.keys()].map((known) => `${known}=…`).join(', ')}.`,
      );
    else if (changes.has(name)) faults.add(`${name} is given more than once.`);
    else {
      try {
        changes.set(name, read(text.slice(name.length + 1)));
      } catch (error) {
        if (!(error instanceof InvalidArgumentError)) throw error;
        faults.add(error.message);
      }
    }
  }
  return { changes: [...changes.values()], faults: [...faults] };
}

function mergeChanges(changes: readonly ProjectChange[]): ProjectChange {
  const settings = Object.assign({}, ...changes.map((change) => change.settings)) as ProjectChange['settings'];
  return Object.assign({}, ...changes, { settings }) as ProjectChange;
}

function onOrOff(value: string): boolean {
  if (value === 'on') return true;
  if (value === 'off') return false;
  throw new InvalidArgumentError('otp is on or off.');
}

/** @returns null for no limit */
function sizeOf(name: string, value: string): number | null {
  if (value === 'off') return null;
  const limit = STORAGE_SIZE.read(value);
  if (limit !== undefined) return limit;
  throw new InvalidArgumentError(`${name} is ${STORAGE_SIZE.wants}, or off.`);
}

/** @returns null for no limit */
function limitOf(name: string, value: string): number | null {
  if (value === 'off') return null;
  const limit = /^[1-9]\d{0,14}$/.test(value) ? Number(value) : NaN;
  if (limit <= MOST) return limit;
  throw new InvalidArgumentError(`${name} is a whole number from 1 to ${MOST}, or off.`);
}
