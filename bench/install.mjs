/** Installs missing packages that the benchmark needs and the service does not. Has no dependencies itself. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const folder = import.meta.dirname;

if (!existsSync(join(folder, 'node_modules', 'pg'))) {
  execFileSync('npm', ['ci'], { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' });
}
