/** The options of commands that encrypt stored secrets anew. */
import { readFile } from 'node:fs/promises';
import { Option } from 'commander';
import { isFormerKey } from '../../config/variable-reader.js';
import type { SecretChoices } from '../../transfer/project/project-import.service.js';

export interface SecretsOptions {
  readonly secretsKeyFile?: string;
  readonly dropSecrets?: boolean;
}

export function secretsKeyFile(): Option {
  return new Option(
    '--secrets-key-file <file>',
    'keys that open stored secrets beside those of the environment: one a line, a JWT_SECRET as jwt:…',
  );
}

export function dropSecrets(): Option {
  return new Option(
    '--drop-secrets',
    'removes stored secrets that no key opens: authenticator apps are set up anew, webhooks pause, identity providers are inactive',
  );
}

/** @throws Error with one line */
export async function secretChoices({
  secretsKeyFile: file,
  dropSecrets: drop,
}: SecretsOptions): Promise<SecretChoices> {
  return {
    ...(file !== undefined && { secretsKeys: await keysIn(file) }),
    ...(drop !== undefined && { dropSecrets: drop }),
  };
}

async function keysIn(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new Error(`--secrets-key-file: ${file} cannot be read: ${error.message}`, { cause: error });
  });
  const keys = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (keys.length > 0 && keys.every(isFormerKey)) return keys;
  throw new Error(`--secrets-key-file: ${file} wants a key of at least 32 characters in each line`);
}
