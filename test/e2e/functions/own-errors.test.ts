/** Errors of the network and of files in user code are errors of that code, even if they look like errors of the database. */
import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { FunctionsFolder } from '../../support/functions.js';
import { startTestService } from '../../support/service.js';
import { loggedError } from '../../../src/http/log/logger.js';

const ERRORS = `
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
const coded = (code: string, message = 'x') => () => { throw Object.assign(new Error(message), { code, severity: 'ERROR' }); };
export const errors: Record<string, () => unknown> = {
  network: () => new Promise((_, reject) => connect(9, '127.0.0.1').on('error', reject)),
  file: () => readFile('/nonexistent'),
  cancelled: coded('57014'),
  text: () => { throw new Error('Connection terminated by the payment provider'); },
  busy: () => { throw new Error('timeout exceeded when trying to connect'); },
  deadlock: coded('40P01'),
  table: coded('42P01'),
  taken: coded('23505'),
};`;
const NAMES = [...ERRORS.matchAll(/^ {2}(\w+): /gm)].map(([, name = '']) => name);
const folder = new FunctionsFolder({
  '_errors.ts': ERRORS,
  'job.ts': `
import { kind } from 'kind';
import { errors } from './_errors.ts';
const job = kind('job');
const parameters = { name: { type: 'string', required: true } } as const;
let runs = 0;
export default job.module({
  functions: {
    fails: job.function({ description: 'x', parameters, run: async ({ parameters, units }) => {
      runs += 1;
      await units('job').create({ name: parameters.name });
      return errors[parameters.name]?.();
    } }),
    fails_early: job.function({ description: 'x', parameters, run: ({ parameters }) => errors[parameters.name]?.() }),
    runs: job.function({ description: 'x', run: () => runs }),
  },
  hooks: { before_update: ({ values }) => errors[values.name as string]?.() },
});`,
  'far.ts': `
import { kind } from 'kind';
import { errors } from './_errors.ts';
export default kind('far').module({ remote: {
  list: () => ({ count: 0, items: [] }),
  get: (id) => errors[id]?.(),
} });`,
});

interface Line {
  readonly msg: string;
  readonly err?: { readonly message: string };
}
const lines: Line[] = [];
const log = pino(
  { level: 'error', serializers: { err: loggedError } },
  { write: (text: string) => void lines.push(JSON.parse(text) as Line) },
);
const service = await startTestService({ functionsDir: folder.path }, log);
const project = await service.project();
await defineKinds(project, { id: 'job', parameters: [{ id: 'name', kind_id: 'string' }] }, { id: 'far', remote: true });
beforeEach(() => void lines.splice(0));

describe.each(NAMES)('an error of the author, %s', (name) => {
  it.each(['fails', 'fails_early'])('is a fault of the function: %s', async (fails) => {
    const runs = (await ok(project.get('/job/function/runs'))) as number;
    const answer = await project.post(`/job/function/${fails}`, { name });
    expect(answer).toMatchObject({ status: 500, body: { messages: [{ code: 'server.error' }] } });
    expect(lines).toMatchObject([{ err: { message: expect.stringContaining(`'${fails}' of job.ts`) as string } }]);
    expect(await ok(project.get(`/job/unit?filter=eq(name,${name})&limit=0`))).toMatchObject({ count: 0 });
    expect(await ok(project.get('/job/function/runs'))).toBe(runs + (fails === 'fails' ? 1 : 0));
  });

  it('is a fault of the hook', async () => {
    const id = await createdId(project.post('/job/unit', {}));
    expect(await project.put(`/job/unit/${id}`, { name })).toMatchObject({ status: 500 });
    expect(lines).toMatchObject([{ err: { message: expect.stringContaining('before_update of job.ts') as string } }]);
  });

  it('makes a source unavailable', async () => {
    const answer = await project.get(`/far/unit/${name}`);
    expect(answer).toMatchObject({ status: 503, body: { messages: [{ code: 'kind.remote_unavailable' }] } });
  });
});
