/** Reads a model file, of which every fault is told. */
import { Faults } from '../shared/errors.js';
import { LIMITS } from '../shared/limits.js';
import { byteSizeText } from '../shared/texts.js';
import { runYielding, type Pauses } from '../shared/work-in-pieces.js';
import { checkModelFile, type LineOf } from './check.js';
import { definitionsIn, type Definitions } from './definitions.js';
import { readText, type FileType, type ReadText } from './read/read-text.js';
import { withSecrets } from './secrets.js';
import type { FileObject } from './sections.js';

export type { FileType };

const MOST_BYTES: Readonly<Record<FileType, number>> = { yaml: LIMITS.modelFileYaml, json: LIMITS.modelFileJson };

/** A file that was read and checked. */
export interface ModelFile {
  readonly definitions: Definitions;
  readonly settings: FileObject;
  /** What it does not name stays. */
  readonly partial: boolean;
  /** The names of what a partial one drops. */
  readonly drop: readonly string[];
  readonly seeds: readonly Seeds[];
}

/** Units of a kind that are made, or edited where they are there; none is deleted. */
export interface Seeds {
  readonly kindId: string;
  /** The parameters by which a unit is found. */
  readonly by: readonly string[];
  readonly items: readonly FileObject[];
}

/**
 * Reads and checks a file. @param secretOf the value that stands for a variable, named at a path
 * @throws KindError 400 `model.bad_file` with all faults
 */
export async function readModelFile(
  text: string,
  type: FileType,
  pauses: Pauses,
  secretOf?: (variable: string, path: string) => string,
): Promise<ModelFile> {
  const file = await readModelObject(text, type, pauses);
  return modelFileIn(secretOf ? withSecrets(file, secretOf) : file);
}

/** The same as the object that it is. @throws KindError 400 `model.bad_file` with all faults */
export async function readModelObject(text: string, type: FileType, pauses: Pauses): Promise<FileObject> {
  const faults = new Faults();
  const [bytes, most] = [Buffer.byteLength(text), MOST_BYTES[type]];
  if (bytes > most)
    faults.add('model.bad_file', `The file has ${bytes.toLocaleString('en')} bytes; at most ${byteSizeText(most)}`);
  faults.throwIfAny();
  return readText(text, type, async (read, linesOf) => {
    const paths = new Set<string>();
    try {
      await check(read, (path) => void paths.add(path), pauses);
    } catch (error) {
      const lines = paths.size > 0 ? await linesOf([...paths]) : undefined;
      if (!lines) throw error;
      const byPath = new Map([...paths].map((path, at) => [path, lines[at]]));
      await check(read, (path) => byPath.get(path), pauses);
    }
    return read.value as FileObject;
  });
}

/** @throws KindError 400 `model.bad_file` with all faults */
async function check(read: ReadText, lineOf: LineOf, pauses: Pauses): Promise<void> {
  const faults = new Faults();
  await runYielding(checkModelFile(read, lineOf, faults), pauses);
  faults.throwIfAny();
}

/** @param file that was checked */
export function modelFileIn(file: FileObject): ModelFile {
  return {
    definitions: definitionsIn(file),
    settings: (file['settings'] ?? {}) as FileObject,
    partial: file['partial'] === true,
    drop: (file['drop'] ?? []) as readonly string[],
    seeds: Object.entries((file['units'] ?? {}) as unknown as Readonly<Record<string, Omit<Seeds, 'kindId'>>>).map(
      ([kindId, seeds]) => ({ kindId, ...seeds }),
    ),
  };
}
