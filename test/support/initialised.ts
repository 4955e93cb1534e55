/**
 * Data folders on which initdb has run, for tests that are not about the first start: copies of one that the global
 * setup made. The role and the database are made by the start, as on a new folder.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { inject } from 'vitest';
import { findAccount } from '../../packages/embedded-postgres/run-program.js';
import { findBinaries } from '../../packages/embedded-postgres/binaries.js';
import { dataFolder, initialise } from '../../packages/embedded-postgres/data-folder.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The DATA_DIR that is copied. */
    initialised: string;
  }
}

/** Runs initdb in a new DATA_DIR. */
export async function makeInitialised(dataDir: string): Promise<void> {
  mkdirSync(dataDir, { recursive: true });
  const account = await findAccount(dataFolder(dataDir));
  await initialise(dataDir, await findBinaries(dataDir, account), account, false);
}

/** Copies the database of one DATA_DIR to another one, with owners and permissions. */
export function copyInitialised(dataDir: string, from = inject('initialised')): void {
  mkdirSync(dataDir, { recursive: true });
  execFileSync('cp', ['-a', dataFolder(from), dataFolder(dataDir)]);
}
