/** What the commands `import` and `export` have in common. */
import { InvalidArgumentError } from 'commander';
import { Provisioning } from '../../catalog/project/provisioning.js';
import { refusal } from '../../shared/errors.js';
import { SYSTEM } from '../../tenancy/caller.js';
import { projectOf } from '../../tenancy/project.js';
import type { RequestScope } from '../../tenancy/request-scope.js';
import { FORMATS, type FileFormat } from '../../transfer/export.query.js';
import type { Services } from '../tools/command-context.js';

/** The name of standard input and output. */
export const STANDARD_STREAM = '-';

/** The project, as the system: a command passes all rules, as an administrator does. */
export async function projectScope({ app }: Services, id: string): Promise<RequestScope> {
  const row = await app.get(Provisioning).get(id);
  if (row.status !== 'active') throw refusal('project.unavailable', `The project '${id}' is being deleted`);
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
