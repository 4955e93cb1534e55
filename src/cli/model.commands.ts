/** The model of a project as a file. */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { Provisioning } from '../catalog/project/provisioning.js';
import { ModelFiles } from '../model-file/model-files.js';
import { printModelFile, printOnto } from '../model-file/print.js';
import { readModelFile } from '../model-file/read-model-file.js';
import { KindError } from '../shared/errors.js';
import { EventLoopYield } from '../shared/event-loop-yield.js';
import { errorText, plural } from '../shared/texts.js';
import { projectOf } from '../tenancy/project.js';
import type { CommandContext, CommonOptions } from './tools/command-context.js';
import { print, singleLineText } from './tools/output.js';

interface DumpOptions extends CommonOptions {
  readonly out?: string;
}

export function dumpModelCommand(parent: Command, { terminal, services }: CommandContext): void {
  parent
    .command('dump <project>')
    .description('prints the model of a project as a file: kinds, parameters, access, groups, link types and more')
    .option('--out <file>', 'write it there; comments of a file that is there are kept')
    .action(async (id: string, { out, ...options }: DumpOptions) => {
      const { file } = await services(
        async ({ app }) => {
          const row = await app.get(Provisioning).getActive(id);
          return app.get(ModelFiles).dump(projectOf(row));
        },
        { only: [ModelFiles] },
      );
      if (out === undefined) return print(terminal, options, file, printModelFile(file));
      const text = existsSync(out) ? printOnto(file, await textOf(out)) : printModelFile(file);
      await writeFile(out, text);
      print(terminal, options, { file: out }, `The model of '${id}' is in ${singleLineText(out)}.\n`);
    });
}

export function checkModelCommand(parent: Command, { terminal }: CommandContext): void {
  parent
    .command('check <file>')
    .description('checks a model file without a project: its fields, and their values')
    .action(async (path: string, options: CommonOptions) => {
      const faults = await faultsIn(path);
      const text = faults.map((fault) => `${singleLineText(path)}: ${singleLineText(fault.text)}\n`).join('');
      print(terminal, options, { file: path, faults }, faults.length > 0 ? text : `${singleLineText(path)} is well.\n`);
      if (faults.length > 0) throw new Error(`${singleLineText(path)} has ${plural(faults.length, 'fault')}`);
    });
}

async function faultsIn(path: string): Promise<KindError['messages'] | readonly []> {
  const text = await textOf(path);
  try {
    await readModelFile(text, /\.json$/i.test(path) ? 'json' : 'yaml', new EventLoopYield());
    return [];
  } catch (error) {
    if (error instanceof KindError) return error.messages;
    throw error;
  }
}

async function textOf(path: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch (error) {
    throw new Error(`${singleLineText(path)} cannot be read: ${errorText(error)}`, { cause: error });
  }
}
