/** Writes a project to a folder that is new or empty. The files can be read by their owner alone. */
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { LineFormat } from '../../transfer/export.output.js';
import {
  ArchiveError,
  MANIFEST,
  type ArchiveFileWriter,
  type ArchiveWriter,
  type Manifest,
  FileMeasure,
} from '../../transfer/project/archive.js';
import { FileOutput } from './file-output.js';

const LINES: Pick<LineFormat, 'head' | 'lineOf'> = { head: '', lineOf: (text) => `${text}\n` };

export class FolderWriter implements ArchiveWriter {
  readonly #written = new Set<string>();
  #open: FileOutput | undefined;

  private constructor(private readonly folder: string) {}

  /** @throws ArchiveError if there is something in the folder */
  static async create(folder: string): Promise<FolderWriter> {
    await makeEmptyFolder(folder);
    return new FolderWriter(folder);
  }

  async open(path: string): Promise<ArchiveFileWriter> {
    const file = join(this.folder, path);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    this.#written.add(path.split('/')[0] ?? path);
    const measure = new FileMeasure();
    const output = new FileOutput(file, LINES, {
      onLine: () => (measure.records += 1),
      onText: (text) => measure.add(text),
      mode: 0o600,
    });
    this.#open = output;
    return {
      add: (text) => output.add(text),
      ready: () => output.ready(),
      close: async () => {
        await output.finish();
        this.#open = undefined;
        return measure.of(path);
      },
    };
  }

  async finish(manifest: Manifest): Promise<void> {
    await writeJson(join(this.folder, MANIFEST), manifest);
  }

  /** The folder stays, empty. */
  async discard(): Promise<void> {
    this.#open?.destroy();
    for (const name of [...this.#written, `${MANIFEST}.part`]) {
      await rm(join(this.folder, name), { recursive: true, force: true });
    }
  }
}

/** Only its owner may read it. @throws ArchiveError if there is something in the folder */
export async function makeEmptyFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0) throw new ArchiveError(`the folder ${folder} is not empty`);
}

/** The file has its name when it is complete. */
export async function writeJson(file: string, value: object): Promise<void> {
  await writeFile(`${file}.part`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(`${file}.part`, file);
}
