/** The key that signs tokens: JWT_SECRET, or a generated one in DATA_DIR/secret, which only its owner can read. */
import { randomBytes } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from './config.js';
import { ConfigError } from './config.js';
import { makeFolder, unusableFolder } from './folder.js';

const MIN_LENGTH = 32;

/** Processes that call it at the same time on one folder get the same secret. */
export async function loadSecret(config: Pick<Config, 'jwtSecret' | 'dataDir'>): Promise<string> {
  if (config.jwtSecret !== undefined) return config.jwtSecret;
  const file = join(config.dataDir, 'secret');
  const found = await readSecret(file);
  if (found !== undefined) return found;
  await keepSecret(config.dataDir, file);
  const made = await readSecret(file);
  if (made === undefined) throw new ConfigError(`${file} was made and is gone again`);
  return made;
}

/** The same for a command, which makes none. */
export async function findSecret(config: Pick<Config, 'jwtSecret' | 'dataDir'>): Promise<string | undefined> {
  return config.jwtSecret ?? (await readSecret(join(config.dataDir, 'secret')));
}

async function readSecret(file: string): Promise<string | undefined> {
  const content = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new ConfigError(`${file} cannot be read: ${error.message}`);
  });
  if (content === undefined) return undefined;
  const secret = content.trim();
  if (secret.length < MIN_LENGTH) {
    throw new ConfigError(`${file} holds fewer than ${MIN_LENGTH} characters; delete it to have a new one made`);
  }
  return secret;
}

async function keepSecret(dataDir: string, file: string): Promise<void> {
  try {
    await makeFolder(dataDir);
    await createSecret(file);
  } catch (error) {
    throw new ConfigError(unusableFolder(dataDir, error as Error));
  }
}

/**
 * Written to a temporary file and then linked, so that the secret is always complete and the first of two writers wins.
 */
async function createSecret(file: string): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  const handle = await open(draft, 'wx', 0o600);
  try {
    await handle.writeFile(`${randomBytes(48).toString('base64url')}\n`);
    await handle.sync();
    await handle.close();
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
}
