// Folders with packages of their own that the service and its ordinary tests do not need: bench/ and test/deploy/.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { changedAt } from './build.mjs';

/** Installs the packages of a folder if they are missing or older than what its lock file says. */
export function installPackages(folder) {
  const [wanted, there] = ['package-lock.json', 'node_modules/.package-lock.json'].map((name) =>
    changedAt(join(folder, name)),
  );
  if (there >= wanted) return;
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
}
