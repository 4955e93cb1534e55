import type { Command } from 'commander';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { loadModel } from '../../catalog/model/model-store.js';
import { Provisioning } from '../../catalog/project/provisioning.js';
import { Database } from '../../database/database.js';
import { renderKindTypes } from './kind-types.js';
import { FunctionRegistry } from '../../function/load/module-registry.js';
import { projectOf } from '../../tenancy/project.js';
import { print } from '../tools/output.js';
import type { CommonOptions, CommandContext } from '../tools/command-context.js';

interface TypesOptions extends CommonOptions {
  readonly out?: string;
}

export function typesCommand(parent: Command, { terminal, services }: CommandContext): void {
  parent
    .command('types <project>')
    .description('writes the kinds of a project as TypeScript, which types the units in functions')
    .option('--out <file>', 'where to; kinds.d.ts in the folder of functions where it is left out')
    .option('--json', 'print JSON, for scripts')
    .action(async (id: string, options: TypesOptions) => {
      const written = await services(
        async ({ app, config }) => {
          const project = projectOf(await app.get(Provisioning).get(id));
          const model = await loadModel(app.get(Database), project);
          const file = options.out === undefined ? join(config.functionsDir, 'kinds.d.ts') : resolve(options.out);
          await mkdir(dirname(file), { recursive: true });
          await writeFile(file, renderKindTypes(model, id, app.get(FunctionRegistry).current));
          return { file, model_version: model.version };
        },
        { only: [FunctionRegistry] },
      );
      print(terminal, options, written, `${written.file}: version ${written.model_version} of the model\n`);
    });
}
