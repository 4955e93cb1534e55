import type { Command } from 'commander';
import { Runner } from '../../run/runner.js';
import { ReadCommands } from '../../unit/read.commands.js';
import type { QueryParameters } from '../../http/route/parse-list-query.js';
import type { FileFormat } from '../../transfer/file/file-formats.js';
import { ExportService } from '../../transfer/export.service.js';
import { ProjectExportService } from '../../transfer/project/project-export.service.js';
import type { CommandContext, CommonOptions } from '../tools/command-context.js';
import { print } from '../tools/output.js';
import { startProgress } from '../tools/progress.js';
import { FileOutput } from './file-output.js';
import { exportFolder, printFolder } from './project-folder.js';
import { formatOf, projectScope, readFormat, refuseOptions, STANDARD_STREAM } from './transfer-options.js';

interface ExportOptions extends CommonOptions {
  readonly format?: FileFormat;
  readonly filter?: string;
  readonly order?: string;
  readonly include?: string;
  readonly safe?: boolean;
  readonly passwords?: boolean;
}

const OF_KINDS: readonly (keyof ExportOptions)[] = ['format', 'filter', 'order', 'include', 'safe'];

/** Lines between two updates of the progress. */
const UPDATED_AFTER = 1000;

export function exportCommand(program: Command, { terminal, services }: CommandContext): void {
  program
    .command('export')
    .description(
      'writes the units of a kind to a CSV or NDJSON file (- is standard output, .gz is compressed), or the whole project to a new folder',
    )
    .argument('<project>')
    .argument('<kind|folder>', 'the kind; without a file, the folder for the whole project')
    .argument('[file]')
    .option('--format <format>', 'csv or ndjson (default: by the name of the file)', readFormat)
    .option('--filter <filter>', 'only the units that match, as in lists')
    .option('--order <order>', 'as in lists')
    .option('--include <names>', 'only these parameters')
    .option('--safe', "for spreadsheets: puts ' before texts that look like formulas")
    .option('--passwords', 'to a folder: with the hashes of passwords, and with API keys')
    .option('--json', 'print JSON, for scripts')
    .action(async (id: string, kind: string, file: string | undefined, options: ExportOptions, command: Command) => {
      if (file === undefined) {
        refuseOptions(command, OF_KINDS, 'the export of one kind');
        const view = await services((context) => exportFolder(context, id, kind, options.passwords ?? false), {
          only: [ProjectExportService],
        });
        return printFolder(terminal, options, view, 'to');
      }
      refuseOptions(command, ['passwords'], 'the export of a whole project');
      const lines = await services(async (context) => {
        const scope = await projectScope(context, id);
        const filter: QueryParameters = options.filter === undefined ? [] : [['filter', options.filter]];
        const counted = context.app.get(ReadCommands).list(kind, [['limit', '0'], ...filter]);
        const runner = context.app.get(Runner);
        const { content } = await runner.run(runner.begin(scope, counted));
        const { count: total } = JSON.parse(content) as { count: number };
        const progress = startProgress(kind, total);
        let count = 0;
        const onLine = (): void => {
          count += 1;
          if (count % UPDATED_AFTER === 0) progress.update(count, count);
        };
        try {
          const parameters = [['format', formatOf(file, options.format)] as const, ...filter, ...queryOf(options)];
          let output: FileOutput | undefined;
          await context.app.get(ExportService).export(scope, kind, parameters, (format) => {
            return (output = new FileOutput(file, format, onLine));
          });
          // The export of a client that has gone is no error, but a file that can't be written is.
          output?.signal.throwIfAborted();
        } finally {
          progress.stop();
        }
        return count;
      });
      if (file !== STANDARD_STREAM) print(terminal, options, { count: lines }, `${lines} units in ${file}\n`);
    });
}

function queryOf({ order, include, safe }: ExportOptions): QueryParameters {
  return [
    ...(order === undefined ? [] : [['order', order] as const]),
    ...(include === undefined ? [] : [['include', include] as const]),
    ...(safe ? [['safe', 'true'] as const] : []),
  ];
}
