/** What the commands `import` and `export` have in common. */
import { InvalidArgumentError, type Command } from 'commander';
import { Provisioning } from '../../catalog/project/provisioning.js';
import { SYSTEM } from '../../tenancy/caller.js';
import { projectOf } from '../../tenancy/project.js';
import type { RequestScope } from '../../tenancy/request-scope.js';
import { FORMATS, type FileFormat } from '../../transfer/file/file-formats.js';
import type { Services } from '../tools/command-context.js';

/** The name of standard input and output. */
export const STANDARD_STREAM = '-';

/** The project, as the system: a command passes all rules, as an administrator does. */
export async function projectScope({ app }: Services, id: string): Promise<RequestScope> {
  const row = await app.get(Provisioning).getActive(id);
  return { project: projectOf(row), caller: SYSTEM };
}

export function readFormat(text: string): FileFormat {
  const format = FORMATS.find((each) => each === text);
  if (!format) throw new InvalidArgumentError(`It is ${FORMATS.join(' or ')}.`);
  return format;
}

/** The format of a file by its name. */
export function formatOf(file: string, given: FileFormat | undefined): FileFormat {
  return given ?? (/\.(?:ndjson|jsonl)(?:\.gz)?$/i.test(file) ? 'ndjson' : 'csv');
}

export function isCompressed(file: string): boolean {
  return file.endsWith('.gz');
}

/** Ends with wrong usage if one of the options was given. @param of what they belong to */
export function refuseOptions(command: Command, names: readonly string[], of: string): void {
  const given = names.find((name) => command.getOptionValueSource(name) === 'cli');
  if (given === undefined) return;
  const flag = command.options.find((option) => option.attributeName() === given)?.long ?? given;
  command.error(`error: ${flag} is for ${of}`);
}
