/** The model of a project as a file. */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { Provisioning } from '../catalog/project/provisioning.js';
import { ModelFiles } from '../model-file/model-files.js';
import { printModelFile, printOnto } from '../model-file/print.js';
import { ModelApply } from '../model-file/apply-model.js';
import { readModelFile, type FileType, type ModelFile } from '../model-file/read-model-file.js';
import type { Step } from '../model-file/steps.js';
import { asRefusal } from '../database/statement/sqlstate.js';
import { SYSTEM } from '../tenancy/caller.js';
import { KindError } from '../shared/errors.js';
import { EventLoopYield } from '../shared/event-loop-yield.js';
import { errorText, plural } from '../shared/texts.js';
import { projectOf } from '../tenancy/project.js';
import type { CommandContext, CommonOptions, Services } from './tools/command-context.js';
import { Differs, UsageError } from './tools/exit.js';
import { print, singleLineText, textTable } from './tools/output.js';

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

interface ApplyOptions extends CommonOptions {
  readonly all?: boolean;
  readonly allowLoss?: readonly string[];
  readonly allowOpen?: readonly string[];
}

/** What became of one project. */
interface Outcome {
  readonly project: string;
  readonly state: 'equal' | 'changes' | 'applied' | 'refused' | 'failed' | 'waiting';
  readonly steps: readonly Step[];
  readonly ms: number;
  readonly code?: string;
  readonly text?: string;
}

export function planModelCommand(parent: Command, { terminal, services }: CommandContext): void {
  parent
    .command('plan <file> [projects...]')
    .description('says what a model file would change in projects, with their data, and changes nothing')
    .option('--all', 'in every project')
    .action(async (path: string, ids: readonly string[], options: ApplyOptions) => {
      const file = await fileOf(path, ids, options);
      const outcomes = await services(({ app }) => applyTo(app, file, { ids, ...options, undo: true }));
      print(terminal, options, outcomes, outcomes.map(outcomeText).join(''));
      endWith(outcomes, 'changes');
    });
}

export function applyModelCommand(parent: Command, { terminal, services }: CommandContext): void {
  parent
    .command('apply <file> [projects...]')
    .description('makes projects what a model file says, each in one transaction')
    .option('--all', 'every project')
    .option('--allow-loss <names...>', 'steps that may lose something, as `model plan` names them, or all')
    .option('--allow-open <names...>', 'steps that may let somebody do more, or all')
    .action(async (path: string, ids: readonly string[], options: ApplyOptions) => {
      const file = await fileOf(path, ids, options);
      const outcomes = await services(({ app }) => applyTo(app, file, { ids, ...options, undo: false }));
      print(terminal, options, outcomes, outcomes.map(outcomeText).join(''));
      endWith(outcomes, 'applied');
    });
}

/** A whole file would take from several projects what each of them has added. */
async function fileOf(path: string, ids: readonly string[], { all = false }: ApplyOptions): Promise<ModelFile> {
  if (all === ids.length > 0) throw new UsageError('name one or more projects, or give --all');
  const file = await readModelFile(await textOf(path), typeOf(path), new EventLoopYield());
  if ((all || ids.length > 1) && !file.partial)
    throw new UsageError(
      `${singleLineText(path)} is a whole file: several projects take files with partial: true alone`,
    );
  return file;
}

interface AppliedTo extends ApplyOptions {
  readonly ids: readonly string[];
  readonly undo: boolean;
}

/** One project after the other, up to the first that fails. */
async function applyTo(app: Services['app'], file: ModelFile, given: AppliedTo): Promise<Outcome[]> {
  const { undo, all, ids } = given;
  const [applier, provisioning] = [app.get(ModelApply), app.get(Provisioning)];
  const projects = all ? (await provisioning.list()).map(({ id }) => id) : ids;
  const [allowLoss, allowOpen] = [new Set(given.allowLoss), new Set(given.allowOpen)];
  const outcomes: Outcome[] = [];
  let failed = false;
  for (const project of projects) {
    if (failed) {
      outcomes.push({ project, state: 'waiting', steps: [], ms: 0 });
      continue;
    }
    const began = performance.now();
    const end = (state: Outcome['state'], more: Partial<Outcome> = {}): void =>
      void outcomes.push({ project, state, steps: [], ms: Math.round(performance.now() - began), ...more });
    try {
      const row = await provisioning.getActive(project);
      const { steps } = await applier.apply(row, file, { caller: SYSTEM, undo, allowLoss, allowOpen });
      if (steps.some(({ refused }) => refused)) end('refused', { steps });
      else end(steps.length === 0 ? 'equal' : undo ? 'changes' : 'applied', { steps });
    } catch (error) {
      failed = !undo;
      const refused = asRefusal(error);
      if (refused instanceof KindError) {
        end('refused', { code: refused.code, text: refused.messages.map(({ text }) => text).join('; ') });
      } else end('failed', { text: errorText(refused) });
    }
  }
  return outcomes;
}

/** @throws Error exit code 1; Differs exit code 3 */
function endWith(outcomes: readonly Outcome[], changed: 'changes' | 'applied'): void {
  const bad = outcomes.filter(({ state }) => state === 'refused' || state === 'failed');
  if (bad.length > 0) throw new Error(`${plural(bad.length, 'project')} ${bad.length === 1 ? 'is' : 'are'} refused`);
  if (changed === 'changes' && outcomes.some(({ state }) => state === changed)) throw new Differs('there are changes');
}

function outcomeText({ project, state, steps, text }: Outcome): string {
  const head = `${project}: ${state}${text === undefined ? '' : `: ${singleLineText(text)}`}\n`;
  const rows = steps.map(({ change, name, was, units, loses = 0, opens = [], refused, estimated }) => [
    loses > 0 || opens.length > 0 || refused ? '!' : ' ',
    change,
    name,
    [
      ...(was === undefined ? [] : [`was ${was}`]),
      ...(units === undefined ? [] : [plural(units, 'unit')]),
      ...(refused ? [`refused: ${plural(refused.number, 'unit')} ${examplesText(refused.ids)}`] : []),
      ...(loses > 0 ? [`loses ${loses.toLocaleString('en')} (--allow-loss ${name})`] : []),
      ...(opens.length > 0
        ? [`opens to ${[...new Set(opens.map(({ who }) => who))].join(', ')} (--allow-open ${name})`]
        : []),
      ...(estimated ? ['estimated'] : []),
    ].join(', '),
  ]);
  return head + textTable(rows);
}

function examplesText(ids: readonly string[]): string {
  return ids.length === 0 ? '' : `(${ids.map(singleLineText).join(', ')})`;
}

function typeOf(path: string): FileType {
  return /\.json$/i.test(path) ? 'json' : 'yaml';
}

async function faultsIn(path: string): Promise<KindError['messages'] | readonly []> {
  const text = await textOf(path);
  try {
    await readModelFile(text, typeOf(path), new EventLoopYield());
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
