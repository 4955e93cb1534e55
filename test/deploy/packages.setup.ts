/** Installs the packages of this folder, which only these tests use, if they are missing or older than its lock file. */
import { join } from 'node:path';

const { installPackages } = (await import(join(import.meta.dirname, '../../scripts/packages.mjs'))) as {
  installPackages: (folder: string) => void;
};

export const setup = (): void => installPackages(import.meta.dirname);
