/** Reads a model file, of which every fault is told. */
import { Faults } from '../shared/errors.js';
import { LIMITS } from '../shared/limits.js';
import { byteSizeText } from '../shared/texts.js';
import { runYielding, type Pauses } from '../shared/work-in-pieces.js';
import { checkModelFile } from './check.js';
import { readText } from './read/read-text.js';

export type FileType = 'yaml' | 'json';

const MOST_BYTES: Readonly<Record<FileType, number>> = { yaml: LIMITS.modelFileYaml, json: LIMITS.modelFileJson };

/** @throws KindError 400 `model.bad_file` with all faults */
export async function readModelFile(text: string, type: FileType, pauses: Pauses): Promise<void> {
  const faults = new Faults();
  const [bytes, most] = [Buffer.byteLength(text), MOST_BYTES[type]];
  if (bytes > most)
    faults.add('model.bad_file', `The file has ${bytes.toLocaleString('en')} bytes; at most ${byteSizeText(most)}`);
  faults.throwIfAny();
  await runYielding(checkModelFile(await readText(text), faults), pauses);
  faults.throwIfAny();
}
