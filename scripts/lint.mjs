// Runs the checks of the code at the same time, as each takes one processor; prints what each said when it has ended.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const CHECKS = [
  'eslint .',
  'tsc --noEmit',
  'tsc --noEmit --project console',
  'depcruise src --config .dependency-cruiser.cjs',
  'prettier --check --log-level warn .',
];

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
