/** Creates folders that are named in settings. */
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a folder and its parents. `mkdir` with `recursive` does not end if the system denies that an existing folder
 * exists, as below /proc. @throws the system's error
 */
export async function makeFolder(folder: string, mode = 0o777): Promise<void> {
  if (await isFolder(folder)) return;
  const above = dirname(folder);
  if (above !== folder) await makeFolder(above);
  try {
    await mkdir(folder, mode);
  } catch (error) {
    // Another process may have created it.
    if (!(await isFolder(folder))) throw error;
  }
}

/** The error text for a folder that cannot be used. */
export function unusableFolder(dataDir: string, { message }: Error): string {
  return `DATA_DIR: got ${dataDir}, wants a folder that can be made and written: ${message}`;
}

export async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}
