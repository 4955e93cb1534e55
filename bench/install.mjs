/** Installs missing packages that the benchmark needs and the service does not. Has no dependencies itself. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const here = import.meta.dirname;

if (!existsSync(join(here, 'node_modules', 'pg'))) {
  execFileSync('npm', ['ci'], { cwd: here, stdio: 'inherit', shell: process.platform === 'win32' });
}
