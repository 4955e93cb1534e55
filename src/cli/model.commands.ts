/** The model of a project as a file. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { IndexBuilder } from '../catalog/indexes/index-builder.js';
import { Provisioning } from '../catalog/project/provisioning.js';
import { etagOf } from '../http/answer/etag.js';
import { type AppliedModel, ModelApply } from '../model-file/apply-model.js';
import { ModelFiles } from '../model-file/model-files.js';
import { printModelFile, printOnto } from '../model-file/print.js';
import { modelFileIn } from '../model-file/read-model-file.js';
import type { FileObject } from '../model-file/sections.js';
import { KindError } from '../shared/errors.js';
import { plural } from '../shared/texts.js';
import { SYSTEM } from '../tenancy/caller.js';
import { projectOf } from '../tenancy/project.js';
import { applyToMany } from './model/outcomes.js';
import { modelObjectAt, objectWithSecretsAt, textAt } from './model/read-file.js';
import type { CommandContext, CommonOptions, Services } from './tools/command-context.js';
import { UsageError } from './tools/exit.js';
import { print, singleLineText } from './tools/output.js';
import { type RemoteOptions, type RemoteProject, remoteProject, withRemoteOptions } from './tools/remote.js';

interface DumpOptions extends CommonOptions, RemoteOptions {
  readonly out?: string;
}

export function dumpModelCommand(parent: Command, { terminal, services }: CommandContext): void {
  const command = parent
    .command('dump <project>')
    .description('prints the model of a project as a file: kinds, parameters, access, groups, link types and more')
    .option('--out <file>', 'write it there; comments of a file that is there are kept');
  withRemoteOptions(command).action(async (id: string, { out, ...options }: DumpOptions) => {
    const remote = remoteProject(id, options);
    const file = remote ? await dumpElsewhere(remote) : await services(dumpHere(id), { only: [ModelFiles] });
    if (out === undefined) return print(terminal, options, file, printModelFile(file));
    const text = existsSync(out) ? printOnto(file, await textAt(out)) : printModelFile(file);
    await writeFile(out, text);
    print(terminal, options, { file: out }, `The model of '${id}' is in ${singleLineText(out)}.\n`);
  });
}

function dumpHere(id: string): (services: Services) => Promise<FileObject> {
  return async ({ app }) => {
    const row = await app.get(Provisioning).getActive(id);
    return (await app.get(ModelFiles).dump(projectOf(row))).file;
  };
}

async function dumpElsewhere(remote: RemoteProject): Promise<FileObject> {
  const answer = await remote.fetch('/model');
  return ((await answer.json()) as { content: FileObject }).content;
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

interface ApplyOptions extends CommonOptions, RemoteOptions {
  readonly all?: boolean;
  readonly version?: string;
  readonly allowLoss?: readonly string[];
  readonly allowOpen?: readonly string[];
}

export function planModelCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('plan <file> [projects...]')
    .description('says what a model file would change in projects, with their data, and changes nothing')
    .option('--all', 'in every project; the file has to be partial')
    .option('--version <number>', 'refuse another version of the model than this one');
  withRemoteOptions(command).action((path: string, ids: readonly string[], options: ApplyOptions) =>
    applyFile(context, path, { ids, options, undo: true }),
  );
}

export function applyModelCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('apply <file> [projects...]')
    .description('makes projects what a model file says, each in one transaction, up to the first that refuses')
    .option('--all', 'every project; the file has to be partial')
    .option('--version <number>', 'refuse another version of the model than this one')
    .option('--allow-loss <names...>', 'steps that may lose something, as `model plan` names them, or all')
    .option('--allow-open <names...>', 'steps that may let somebody do more, or all')
    .option('--yes', 'for scripts: nothing is asked anyway, and it allows neither loss nor opening');
  withRemoteOptions(command).action((path: string, ids: readonly string[], options: ApplyOptions) =>
    applyFile(context, path, { ids, options, undo: false }),
  );
}

interface Given {
  readonly ids: readonly string[];
  readonly options: ApplyOptions;
  readonly undo: boolean;
}

async function applyFile({ terminal, services }: CommandContext, path: string, given: Given): Promise<void> {
  const { ids, options, undo } = given;
  const { json = false, all = false } = options;
  if (all === ids.length > 0) throw new UsageError('name one or more projects, or give --all');
  const [first = '', second] = ids;
  const isOne = !all && second === undefined;
  const version = versionOf(options);
  const remote = remoteProject(first, options);
  if (remote && !isOne) throw new UsageError('--url is for one project');
  if (version !== undefined && !isOne) throw new UsageError('--version is for one project');
  const object = await objectWithSecretsAt(path);
  const file = modelFileIn(object);
  // A whole file would take from each of them what it has added.
  if (!isOne && !file.partial)
    throw new UsageError(
      `${singleLineText(path)} is a whole file: several projects take files with partial: true alone`,
    );
  const told = { undo, json, tell: terminal.out };
  const [allowLoss, allowOpen] = [new Set(options.allowLoss), new Set(options.allowOpen)];
  if (remote) {
    const allowed = { undo, version, allowLoss, allowOpen };
    return applyToMany({ ...told, projects: ids, apply: () => applyElsewhere(remote, object, allowed) });
  }
  await services(async ({ app }) => {
    const [applier, provisioning] = [app.get(ModelApply), app.get(Provisioning)];
    const stored = all ? (await provisioning.list()).filter(({ status }) => status === 'active') : [];
    const versions = version === undefined ? undefined : [version];
    const apply = async (id: string) => {
      const row = await provisioning.getActive(id);
      return applier.apply(row, file, { caller: SYSTEM, undo, allowLoss, allowOpen, versions });
    };
    await applyToMany({ ...told, projects: all ? stored.map(({ id }) => id) : ids, apply });
    await app.get(IndexBuilder).finish();
  });
}

/** Milliseconds: a change of definitions takes as long as its data are many. */
const APPLY_PATIENCE = 15 * 60_000;

interface AppliedElsewhere {
  readonly undo: boolean;
  readonly version: string | undefined;
  readonly allowLoss: ReadonlySet<string>;
  readonly allowOpen: ReadonlySet<string>;
}

async function applyElsewhere(remote: RemoteProject, file: FileObject, given: AppliedElsewhere): Promise<AppliedModel> {
  const { undo, version, allowLoss, allowOpen } = given;
  const query = new URLSearchParams();
  if (allowLoss.size > 0) query.set('allow_loss', [...allowLoss].join(','));
  if (allowOpen.size > 0) query.set('allow_open', [...allowOpen].join(','));
  const answer = await remote.fetch(`/model/${undo ? 'plan' : `apply?${query.toString()}`}`, {
    method: 'POST',
    body: JSON.stringify(file),
    headers: {
      'content-type': 'application/json',
      ...(version !== undefined && { 'if-match': etagOf(version, '0') }),
    },
    signal: AbortSignal.timeout(APPLY_PATIENCE),
  });
  return ((await answer.json()) as { content: AppliedModel }).content;
}

/** @throws UsageError */
function versionOf({ version }: ApplyOptions): string | undefined {
  if (version === undefined || /^[1-9]\d{0,14}$/.test(version)) return version;
  throw new UsageError('--version is a whole number, as `model plan` shows it');
}

async function faultsIn(path: string): Promise<KindError['messages'] | readonly []> {
  try {
    await modelObjectAt(path);
    return [];
  } catch (error) {
    if (error instanceof KindError) return error.messages;
    throw error;
  }
}
