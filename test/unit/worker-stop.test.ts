/** The stop of a worker: one that computes without end does not hold it up. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { stopTime, stopWorker, type StoppableWorker } from '../../src/workers/cluster.js';
import { atEnd } from '../support/at-end.js';
import { logLines } from '../support/log-lines.js';

/** A process that runs a program, has begun with it, and is told to stop. */
async function stopping(program: string, milliseconds: number) {
  const code = `process.stdout.write('begun'); ${program}`;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'ignore', 'ipc'] });
  atEnd(() => void child.kill('SIGKILL'));
  const exit = once(child, 'exit');
  if (child.stdout) await once(child.stdout, 'data');
  const log = logLines();
  const worker = { process: child, once: child.once.bind(child) } as unknown as StoppableWorker;
  await stopWorker(worker, (told) => child.send({ type: 'stop' }, told), milliseconds, log.logger);
  return { exit: await exit, errors: log.of('error') };
}

it('one that computes without end is killed when its time is over', async () => {
  const errors = ['a worker did not stop in time and is killed'];
  expect(await stopping('for (;;);', 300)).toEqual({ exit: [null, 'SIGKILL'], errors });
});

it('one that stops is not', async () => {
  const program = `process.on('message', () => process.exit(0));`;
  expect(await stopping(program, 30_000)).toEqual({ exit: [0, null], errors: [] });
});

it('has the time of its requests and of its mails', () => {
  expect(stopTime({ shutdownGrace: 30_000 })).toBeGreaterThan(60_000);
  expect(stopTime({ shutdownGrace: 0 })).toBeGreaterThan(4000);
});
