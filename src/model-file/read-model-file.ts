/** Reads a model file, of which every fault is told. */
import { Faults } from '../shared/errors.js';
import { LIMITS } from '../shared/limits.js';
import { byteSizeText } from '../shared/texts.js';
import { runYielding, type Pauses } from '../shared/work-in-pieces.js';
import { checkModelFile } from './check.js';
import { definitionsIn, type Definitions } from './definitions.js';
import { readText } from './read/read-text.js';
import { withSecrets } from './secrets.js';
import type { FileObject } from './sections.js';

export type FileType = 'yaml' | 'json';

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
  const read = await readText(text);
  await runYielding(checkModelFile(read, faults), pauses);
  faults.throwIfAny();
  return read.value as FileObject;
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
