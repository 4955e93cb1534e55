/** `client`: writes a client of a project, in TypeScript, as one caller sees it (docs/client.md). */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { Provisioning } from '../../catalog/project/provisioning.js';
import { clientFiles } from '../../doc/client/client-files.js';
import { isWritten } from '../../doc/client/written-file.js';
import { Documents } from '../../doc/documents.js';
import { ApplicationRoutes } from '../../doc/openapi/application.js';
import { SYSTEM } from '../../tenancy/caller.js';
import { projectOf } from '../../tenancy/project.js';
import type { CommandContext, CommonOptions, Services } from '../tools/command-context.js';
import { Differs, UsageError } from '../tools/exit.js';
import { print } from '../tools/output.js';
import { remoteProject, withRemoteOptions, type RemoteOptions } from '../tools/remote.js';

interface ClientOptions extends CommonOptions, RemoteOptions {
  readonly out: string;
  readonly as: string;
  readonly check?: boolean;
}

/** A file of the client, and how it compares with the one that is there. */
interface ClientFile {
  readonly file: string;
  readonly text: string;
  readonly state: 'equal' | 'differs' | 'missing';
}

export function clientCommand(parent: Command, { terminal, services }: CommandContext): void {
  const command = parent
    .command('client <project>')
    .description('writes a typed client of a project in TypeScript, as one caller sees it')
    .requiredOption('--out <folder>', 'where to')
    .requiredOption('--as <caller>', 'whose: a member kind, anyone, or administrator')
    .option('--check', 'writes nothing, and exits with 3 if the files differ or are missing')
    .option('--json', 'print JSON, for scripts');
  withRemoteOptions(command).action(async (id: string, options: ClientOptions) => {
    const remote = remoteProject(id, options);
    const types = await (
      remote
        ? remote.fetch(`/doc/client.ts?as=${encodeURIComponent(options.as)}`).then((answer) => answer.text())
        : services((opened) => typesOf(opened, id, options.as))
    ).catch(rethrow);
    const files = await compared(resolve(options.out), await clientFiles(options.as, types));
    if (!options.check) await write(resolve(options.out), files);
    const done = options.check ? (state: ClientFile['state']) => state : writtenText;
    const told = files.map(({ file, state }) => ({ file, state: done(state) }));
    print(terminal, options, told, told.map(({ file, state }) => `${file}: ${state}\n`).join(''));
    if (options.check && files.some(({ state }) => state !== 'equal')) throw new Differs('the client differs');
  });
}

async function typesOf({ app }: Services, id: string, as: string): Promise<string> {
  // What the service does when it starts to listen.
  app.get(ApplicationRoutes).describe(app);
  const project = projectOf(await app.get(Provisioning).getActive(id));
  const { bytes } = await app.get(Documents).clientTypes({ project, caller: SYSTEM }, as);
  return bytes.toString();
}

/** @throws UsageError where it is `--as` that is refused */
function rethrow(
  error: Error & { readonly messages?: readonly { readonly text: string; readonly parameter?: string }[] },
): never {
  const wrong = error.messages?.find(({ parameter }) => parameter === 'as');
  throw wrong ? new UsageError(`--${wrong.text}`) : error;
}

/** @throws Error if a file is there that the command has not written */
async function compared(folder: string, texts: ReadonlyMap<string, string>): Promise<readonly ClientFile[]> {
  return Promise.all(
    [...texts].map(async ([name, text]) => {
      const file = join(folder, name);
      const old = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined;
        throw error;
      });
      if (old !== undefined && !isWritten(old)) {
        throw new Error(`${file} was not written by this command, and stays as it is: move it, or name another --out`);
      }
      return { file, text, state: old === undefined ? 'missing' : old === text ? 'equal' : 'differs' } as const;
    }),
  );
}

/** Each is the old or the new one at any time, and those that are equal stay untouched. */
async function write(folder: string, files: readonly ClientFile[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { file, text, state } of files) {
    if (state === 'equal') continue;
    const draft = `${file}.${process.pid}`;
    try {
      await writeFile(draft, text);
      await rename(draft, file);
    } finally {
      await rm(draft, { force: true });
    }
  }
}

function writtenText(state: ClientFile['state']): string {
  return state === 'equal' ? 'equal' : 'written';
}
