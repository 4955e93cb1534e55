/** Makes folders that settings name. */
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder where there is none, and those above it, which `mkdir` with `recursive` does too, but never ends where
 * the system says of a folder that is there that it isn't (below /proc).
 * @throws the system's error
 */
export async function makeFolder(folder: string, mode = 0o777): Promise<void> {
  if (await isFolder(folder)) return;
  const above = dirname(folder);
  if (above !== folder) await makeFolder(above);
  try {
    await mkdir(folder, mode);
  } catch (error) {
    // Another process may have been faster.
    if (!(await isFolder(folder))) throw error;
  }
}

/** What to tell whoever chose the folder. */
export function unusableFolder(dataDir: string, { message }: Error): string {
  return `DATA_DIR: got ${dataDir}, wants a folder that can be made and written: ${message}`;
}

export async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}
