/** Large models: changes of them, and what is told about them, do not delay other requests. */
import { expect, it } from 'vitest';
import { asMember } from '../support/callers.js';
import { ok, query } from '../support/definitions.js';
import { beside } from '../support/neighbour.js';
import { sharedService } from '../support/service.js';

const service = await sharedService();

it('a change of very many definitions does not block other projects', async () => {
  const [project, quiet] = [await service.project(), await service.project()];
  const parameters = Array.from({ length: 395 }, (_, at) => ({ id: `p${at}`, kind_id: at % 2 ? 'string' : 'integer' }));
  await ok(project.post('/kind/unit', { id: 'base', parameters }));
  // Each shares all parameters. Their tables are nobody's business here: nothing of them changes.
  await query(
    project,
    `WITH c AS MATERIALIZED (SELECT (jsonb_populate_record(k, jsonb_build_object('id', 'k' || n))).* FROM $schema."kind" AS k, generate_series(1, 460) AS n WHERE k."id" = 'base') INSERT INTO $schema."kind" SELECT * FROM c`,
  );
  for (const id of ['first', 'second']) {
    const { result, held, waits } = await beside(quiet, '/kind/unit/string', () => project.post('/kind/unit', { id }));
    expect(result.status).toBe(200);
    expect(held).toBeLessThan(500);
    expect(Math.max(...waits)).toBeLessThan(1000);
  }
});

it('who may do what with very many kinds is told without blocking other projects', { timeout: 60_000 }, async () => {
  const [project, quiet] = [await service.project(), await service.project()];
  const member = await asMember(project);
  const parameters = Array.from({ length: 395 }, (_, at) => ({ id: `p${at}`, kind_id: 'string' }));
  const rule = `or(${Array.from({ length: 190 }, (_, at) => `eq(p0,${at})`).join()})`;
  await ok(project.post('/kind/unit', { id: 'base', parameters, access: { update: rule } }));
  await query(
    project,
    `WITH c AS MATERIALIZED (SELECT (jsonb_populate_record(k, jsonb_build_object('id', 'k' || n))).* FROM $schema."kind" AS k, generate_series(1, 1200) AS n WHERE k."id" = 'base') INSERT INTO $schema."kind" SELECT * FROM c`,
  );
  await query(project, `UPDATE $schema."_model" SET "version" = "version" + 1`);
  await ok(member.get('/auth/me'));
  for (const ask of [() => member.get('/auth/rights'), () => project.get('/kind/access')]) {
    const { result, held } = await beside(quiet, '/kind/unit/string', ask);
    expect(result.status).toBe(200);
    expect(held).toBeLessThan(400);
  }
  const path = '/kind/unit/base?dry_run=changes';
  const { result, held } = await beside(quiet, '/kind/unit/string', () => project.put(path, { label: 'Base' }));
  expect(result.body).toMatchObject({ changes: { definitions: [{ id: 'base' }], access: [] } });
  expect(held).toBeLessThan(500);
});
