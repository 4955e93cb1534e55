import { open } from 'node:fs/promises';
import { Option, type Command } from 'commander';
import { KindError } from '../../shared/errors.js';
import { FileText } from '../../transfer/file/imported-text.js';
import { IMPORTED_TYPES, type FileFormat } from '../../transfer/file/file-formats.js';
import { ImportService } from '../../transfer/import.service.js';
import { ProjectImportService } from '../../transfer/project/project-import.service.js';
import type { CommandContext, CommonOptions } from '../tools/command-context.js';
import { print, propertyTable, singleLineText } from '../tools/output.js';
import { dropSecrets, secretChoices, secretsKeyFile, type SecretsOptions } from '../tools/secrets-options.js';
import { startProgress } from '../tools/progress.js';
import { importFolder, printFolder } from './project-folder.js';
import {
  formatOf,
  isCompressed,
  projectScope,
  readFormat,
  refuseOptions,
  STANDARD_STREAM,
} from './transfer-options.js';

interface ImportOptions extends CommonOptions, SecretsOptions {
  readonly format?: FileFormat;
  readonly errors: string;
  readonly ids: string;
  readonly dryRun?: boolean;
  readonly onConflict?: string;
  readonly by?: string;
}

const OF_PROJECTS: readonly (keyof ImportOptions)[] = ['secretsKeyFile', 'dropSecrets'];
const OF_KINDS: readonly (keyof ImportOptions)[] = ['format', 'errors', 'ids', 'dryRun', 'onConflict', 'by'];

interface Imported {
  readonly errors: readonly { readonly line: number; readonly text: string }[];
}

/** Faults that are printed. */
const SHOWN = 20;

export function importCommand(program: Command, { terminal, services }: CommandContext): void {
  program
    .command('import')
    .description(
      'creates units of a kind from a CSV or NDJSON file (- is standard input, .gz is compressed), or a whole project from a folder',
    )
    .argument('<project>', 'for a folder: one that is empty')
    .argument('<kind|folder>', 'the kind; without a file, the folder that an export of a whole project made')
    .argument('[file]')
    .option('--format <format>', 'csv or ndjson (default: by the name of the file)', readFormat)
    .addOption(new Option('--errors <how>', 'whether faults refuse the file').choices(['stop', 'skip']).default('stop'))
    .addOption(
      new Option('--ids <how>', 'whether units keep the ids of the file').choices(['new', 'keep']).default('new'),
    )
    .addOption(new Option('--on-conflict <how>', 'what happens to units that are there').choices(['update', 'ignore']))
    .option('--by <parameters>', 'with --on-conflict: the unique parameters by which units are looked up')
    .option('--dry-run', 'checks the file and stores nothing')
    .addOption(secretsKeyFile())
    .addOption(dropSecrets())
    .option('--json', 'print JSON, for scripts')
    .action(async (id: string, kind: string, file: string | undefined, options: ImportOptions, command: Command) => {
      if (file === undefined) {
        refuseOptions(command, OF_KINDS, 'the import of one kind');
        const secrets = await secretChoices(options);
        const needed = { seals: true, only: [ProjectImportService] };
        const view = await services((context) => importFolder(context, id, kind, secrets), needed);
        return printFolder(terminal, options, view, 'from');
      }
      refuseOptions(command, OF_PROJECTS, 'the import of a whole project');
      const content = await services(async (context) => {
        const scope = await projectScope(context, id);
        const { source, size } = file === STANDARD_STREAM ? STANDARD_INPUT : await openFile(file);
        const progress = startProgress(kind, size);
        try {
          const { content: answer } = await context.app.get(ImportService).import(scope, kind, {
            parameters: [
              ['errors', options.errors],
              ['ids', options.ids],
              ['dry_run', String(options.dryRun ?? false)],
              ...(options.onConflict === undefined ? [] : [['on_conflict', options.onConflict] as const]),
              ...(options.by === undefined ? [] : [['by', options.by] as const]),
            ],
            contentType: IMPORTED_TYPES[formatOf(file, options.format)].name,
            file: () => new FileText(source, isCompressed(file)),
            onProgress: (records) => progress.update('bytesRead' in source ? Number(source.bytesRead) : 0, records),
          });
          return JSON.parse(answer) as Imported;
        } finally {
          progress.stop();
          source.destroy();
        }
      }).catch((error: unknown) => {
        throw withLines(error);
      });
      const { errors, ...counts } = content;
      print(terminal, options, content, propertyTable(counts) + faultLines(errors));
    });
}

const STANDARD_INPUT = { source: process.stdin, size: undefined };

/** @throws Error that names the file */
async function openFile(file: string) {
  try {
    const handle = await open(file);
    const stats = await handle.stat();
    if (!stats.isDirectory()) return { source: handle.createReadStream(), size: stats.size };
    await handle.close();
  } catch (error) {
    throw new Error(`${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  throw new Error(`${file} is a folder; without the kind, it is read as a whole project`);
}

/** The faults of a file, each on a line of its own. */
function withLines(error: unknown): unknown {
  if (!(error instanceof KindError) || error.messages[0].line === undefined) return error;
  const { messages } = error;
  const shown = messages.slice(0, SHOWN).map(({ line = 0, text }) => `line ${line}: ${text}`);
  const more = messages.length > SHOWN ? [`and ${messages.length - SHOWN} more`] : [];
  return new Error([...shown, ...more].join('; '));
}

function faultLines(errors: Imported['errors']): string {
  return errors
    .slice(0, SHOWN)
    .map(({ line, text }) => `line ${line}: ${singleLineText(text)}\n`)
    .join('');
}
