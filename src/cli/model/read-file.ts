/** Reads the model file at a path. */
import { readFile } from 'node:fs/promises';
import { namedVariable } from '../../config/named-variable.js';
import { readModelObject, type FileType } from '../../model-file/read-model-file.js';
import { withSecrets } from '../../model-file/secrets.js';
import type { FileObject } from '../../model-file/sections.js';
import { EventLoopYield } from '../../shared/event-loop-yield.js';
import { errorText } from '../../shared/texts.js';
import { UsageError } from '../tools/exit.js';
import { singleLineText } from '../tools/output.js';

/** With the secrets of the variables that it names. @throws KindError `model.bad_file`, UsageError */
export async function objectWithSecretsAt(path: string): Promise<FileObject> {
  return withSecrets(await modelObjectAt(path), secretOf);
}

/** @throws UsageError */
function secretOf(variable: string, path: string): string {
  const secret = namedVariable(variable);
  if (secret === undefined) throw new UsageError(`${path}: the environment variable ${variable} is not set`);
  return secret;
}

function typeOf(path: string): FileType {
  return /\.json$/i.test(path) ? 'json' : 'yaml';
}

/** @throws KindError `model.bad_file` */
export async function modelObjectAt(path: string): Promise<FileObject> {
  return readModelObject(await textAt(path), typeOf(path), new EventLoopYield());
}

export async function textAt(path: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch (error) {
    throw new Error(`${singleLineText(path)} cannot be read: ${errorText(error)}`, { cause: error });
  }
}
