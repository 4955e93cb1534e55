/** Large models: their maximum size. */
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../src/shared/limits.js';
import { ok, query, refusalOf } from '../../support/definitions.js';
import { lowerLimit } from '../../support/limits.js';
import { sharedService, type TestProject } from '../../support/service.js';

const service = await sharedService();

/** Gives a kind metadata of so many bytes, however large a body may be. */
const pad = (project: TestProject, bytes: number) =>
  query(
    project,
    `UPDATE $schema."kind" SET "metadata" = jsonb_build_object('x', repeat('y', $1)) WHERE "id" = 'padding'`,
    [bytes],
  );

describe('the definitions of a project', () => {
  lowerLimit('definitionBytes', 1024 * 1024);

  it('have a limited size: a change beyond it is rejected with the current size', async () => {
    const project = await service.project();
    await ok(project.post('/kind/unit', { id: 'padding' }));
    await pad(project, LIMITS.definitionBytes - 100_000);
    const one = { id: 'one', kind_id: 'text', helper_text: 'x'.repeat(100_000) };
    const refused = await project.post('/kind/unit', { id: 'town', parameters: [one] });
    expect(refusalOf(refused)).toEqual({ status: 409, messages: ['project.full'] });
    expect(refused.body.messages[0]?.text).toMatch(
      /^The definitions of a project take at most 1,048,576 bytes, as JSON; these take 9\d\d,\d{3}, and would take 1,0\d\d,\d{3}$/,
    );
    await ok(project.post('/kind/unit', { id: 'town', parameters: ['one'].map((id) => ({ id, kind_id: 'text' })) }));
  });

  it('larger than the limit stay in use, and can be edited and reduced', async () => {
    const project = await service.project();
    await ok(project.post('/kind/unit', { id: 'padding', label: 'Padding', parameters: [] }));
    await pad(project, LIMITS.definitionBytes + 100_000);
    await ok(project.post('/padding/unit', {}));
    expect((await project.get('/kind/unit/padding?exclude=metadata')).status).toBe(200);
    await ok(project.put('/kind/unit/padding', { active: false }));
    await ok(project.put('/kind/unit/padding', { active: true, label: 'P' }));
    const grown = await project.post('/kind/unit', { id: 'town', label: 'x'.repeat(200) });
    expect(refusalOf(grown)).toEqual({ status: 409, messages: ['project.full'] });
    await ok(project.put('/kind/unit/padding', { metadata: {} }));
    await ok(project.post('/kind/unit', { id: 'town', label: 'x'.repeat(200) }));
  });

  it('have `values` of limited size, unless the stored ones are larger', async () => {
    const project = await service.project();
    const values = (length: number) => Array.from({ length: 100 }, (_, at) => `${at}`.padEnd(length, 'é'));
    const long = await project.post('/string/unit', { id: 'name', values: values(1000) });
    expect(refusalOf(long)).toEqual({ status: 400, messages: ['parameter.too_long values'] });
    expect(long.body.messages[0]?.text).toMatch(/^values: at most 131072 bytes of JSON, got 20\d{4}$/);
    const inline = await project.post('/kind/unit', {
      id: 'town',
      parameters: [{ id: 'name', kind_id: 'string', values: values(1000) }],
    });
    expect(refusalOf(inline)).toEqual({ status: 400, messages: ['parameter.too_long parameters'] });
    await ok(project.post('/string/unit', { id: 'name', values: values(600) }));

    await query(project, `UPDATE $schema."_parameter" SET "values" = $1::jsonb`, [JSON.stringify(values(2000))]);
    await ok(project.put('/string/unit/name', { label: 'Name' }));
    await ok(project.put('/string/unit/name', { label: 'Name', values: values(2000) }));
    await ok(project.put('/string/unit/name', { values: values(1500) }));
    expect((await project.put('/string/unit/name', { values: values(1501) })).status).toBe(400);
    await ok(project.put('/string/unit/name', { values: null }));
  });

  it('have defaults of limited size', async () => {
    const project = await service.project();
    const numbers = Array.from({ length: 40_000 }, (_, at) => `${at}.5`);
    const long = { multiple: true, unique: true, default_decimal: numbers };
    const refused = await project.post('/decimal/unit', { id: 'prices', ...long, max_value: 'x' });
    expect(refusalOf(refused)).toEqual({
      status: 400,
      messages: ['parameter.too_long default_decimal', 'parameter.bad_value max_value'],
    });
    await ok(project.post('/decimal/unit', { id: 'prices', ...long, default_decimal: numbers.slice(0, 10_000) }));
    await query(project, `UPDATE $schema."_parameter" SET "default_value" = $1::jsonb`, [JSON.stringify(numbers)]);
    await ok(project.put('/decimal/unit/prices', { label: 'Prices' }));
    await ok(project.put('/decimal/unit/prices', { default_decimal: numbers.slice(1) }));
  });
});
