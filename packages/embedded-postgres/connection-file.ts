/**
 * DATA_DIR/connection.json: how to connect to the running embedded database, for commands and for people. It exists
 * while the database is ready; only the account of the service can read it.
 */
import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Role, ServerConnection } from './session.js';

interface ConnectionFile extends ServerConnection {
  /** The process that owns the database. */
  readonly pid: number;
  readonly role: Role;
}

export async function writeConnectionFile(dataDir: string, content: ConnectionFile): Promise<void> {
  const file = join(dataDir, 'connection.json');
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(draft, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}

export async function readConnectionFile(dataDir: string): Promise<ConnectionFile | undefined> {
  try {
    return JSON.parse(await readFile(join(dataDir, 'connection.json'), 'utf8')) as ConnectionFile;
  } catch {
    return undefined;
  }
}

export async function removeConnectionFile(dataDir: string): Promise<void> {
  const found = await readConnectionFile(dataDir);
  if (found?.pid === process.pid) await rm(join(dataDir, 'connection.json'), { force: true });
}
