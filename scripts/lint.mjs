// Runs the checks of the code at the same time, as each takes one processor; prints what each said when it has ended.
// With --changed, eslint and prettier read only files that differ from the main branch, and the others keep what they found
// out about unchanged ones.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';

const onlyChanged = process.argv.includes('--changed');
const files = onlyChanged ? changedFiles() : ['.'];
const code = files.filter((file) => file === '.' || /\.(ts|tsx|js|mjs)$/.test(file));
const CHECKS = [
  ...(code.length > 0 ? [`eslint --no-warn-ignored ${quoted(code)}`] : []),
  types('.'),
  types('console'),
  `depcruise src packages --config .dependency-cruiser.cjs${onlyChanged ? ' --cache node_modules/.cache/layers --cache-strategy content' : ''}`,
  ...(files.length > 0 ? [`prettier --check --ignore-unknown --log-level warn ${quoted(files)}`] : []),
];

function types(project) {
  const known = `node_modules/.cache/types/${project === '.' ? 'service' : project}.tsbuildinfo`;
  return `tsc --noEmit --project ${project}${onlyChanged ? ` --incremental --tsBuildInfoFile ${known}` : ''}`;
}

/** Files that were changed or added since the branch left main, committed or not; all of them without git. */
function changedFiles() {
  const git = (...args) => execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  for (const main of ['origin/main', 'main']) {
    try {
      const base = git('merge-base', 'HEAD', main).trim();
      const changed = git('diff', '--name-only', '--diff-filter=d', base);
      return `${changed}${git('ls-files', '--others', '--exclude-standard')}`.split('\n').filter(Boolean);
    } catch {
      // There is no such branch, or no repository.
    }
  }
  return ['.'];
}

function quoted(names) {
  return names.map((name) => `"${name}"`).join(' ');
}

async function check(command) {
  const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(chunk));
  const [code] = await once(child, 'close');
  const text = Buffer.concat(said).toString();
  process.stdout.write(`${code === 0 ? 'ok' : 'FAILED'}: ${command}\n${text}`);
  return code === 0;
}

const passed = await Promise.all(CHECKS.map(check));
process.exitCode = passed.every(Boolean) ? 0 : 1;
