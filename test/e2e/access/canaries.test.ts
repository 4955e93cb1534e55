/** Values of units never appear in logs, nor in answers to callers who may not read them. */
import { randomBytes } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { defineKinds, signUp, withMembers } from '../../support/callers.js';
import { createdId, definitionsOf, query } from '../../support/definitions.js';
import { createLogger } from '../../../src/http/log/logger.js';
import { startTestService, type Reply } from '../../support/service.js';

const lines: string[] = [];
const logger = createLogger({ logLevel: 'trace', logFormat: 'json' }, { write: (line) => void lines.push(line) });
const service = await startTestService({ authRateLimit: false }, logger);
const admin = await withMembers(await service.project());
await defineKinds(admin, {
  id: 'note',
  parameters: [
    { id: 'name', kind_id: 'string' },
    { id: 'size', kind_id: 'integer' },
    { id: 'sealed', kind_id: 'string', hidden: true, unique: true },
    { id: 'guarded', kind_id: 'json', read_access: 'admin' },
    { id: 'code', kind_id: 'string', read_access: 'nobody', unique: true },
  ],
});
const member = admin.as((await signUp(admin, 'ann')).accessToken);
const canary = (name: string) => `canary-${name}-${randomBytes(8).toString('hex')}`;

it('nothing of a unit is in a log or another answer', async () => {
  const secrets = { sealed: canary('sealed'), guarded: { k: canary('guarded') }, code: canary('code') };
  const name = canary('name');
  const told: Reply[] = [];
  const call = async (work: Promise<Reply>) => {
    const reply = await work;
    told.push(reply);
    return reply;
  };
  const id = await createdId(call(member.post('/note/unit', { name, ...secrets })));
  const path = `/note/unit/${id}`;
  await call(member.put(path, secrets));
  for (const list of ['/note/unit', path, `${path}/struct`, `${path}/link/child`, '/note/unit?load_links=true']) {
    await call(member.get(list));
  }
  // Refusals: a value that is taken, of another type, at an unknown name, in a list.
  for (const body of [
    secrets,
    { sealed: [secrets.sealed] },
    { size: secrets.sealed },
    { [secrets.sealed]: 1 },
    [{ name: 'x' }, secrets],
  ]) {
    const { status } = await member.post('/note/unit', body);
    expect([400, 409]).toContain(status);
  }
  await call(member.get(path, { headers: { 'if-none-match': `"${secrets.code}"` } }));

  // What nobody foresaw: PostgreSQL tells the row in its error.
  await query(admin, `ALTER TABLE $schema."note" ADD CONSTRAINT "unforeseen" CHECK ("size" <> 13) NOT VALID`);
  for (const work of [
    member.post('/note/unit', { name, size: 13, guarded: { k: canary('other') } }),
    member.put(path, { size: 13 }),
  ]) {
    expect((await call(work)).status).toBe(500);
  }
  await query(admin, `ALTER TABLE $schema."note" DROP CONSTRAINT "unforeseen"`);
  // And a value in its words.
  const fault = Object.assign(new Error(`invalid input syntax for type json: "${secrets.guarded.k}"`), {
    ...{ code: '22P99', detail: secrets.sealed, where: name, query: name, parameters: [name] },
  });
  const run = () => Promise.reject(new Error('behind it', { cause: fault }));
  const broken = vi.spyOn(service.service.database, 'ofProject').mockReturnValue({ run });
  expect((await call(member.get('/note/unit?filter=isnull(name)'))).status).toBe(500);
  broken.mockRestore();

  const log = lines.join('');
  expect(log.match(/unexpected error/g)?.length).toBe(3);
  expect(log).toContain('unforeseen');
  expect(log).not.toContain('canary');
  const answers = told.map(({ text }) => text).join('\n');
  for (const secret of [secrets.sealed, secrets.guarded.k, secrets.code]) expect(answers).not.toContain(secret);
  expect(answers).toContain(name);
  // Who may read it gets it; what is hidden nobody.
  const { text } = await admin.get(path);
  expect(text).toContain(secrets.guarded.k);
  expect(text).not.toContain(secrets.sealed);
  expect(JSON.stringify(await definitionsOf(admin))).not.toContain('canary');
});
