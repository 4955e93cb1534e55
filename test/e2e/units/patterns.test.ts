/** Patterns that cost much are bounded: by their size, by the texts of one unit, and by turns of others in between. */
import { expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { ok, refusalOf } from '../../support/definitions.js';
import { startTestService } from '../../support/service.js';

/** Linear, as all of RE2, but with 2003 instructions that are all alive at every character. */
const COSTLY = '(?i)(?:[ab]?){500}(?:[bc]?){500}[xy]';

const service = await startTestService();
const project = await service.project();
await defineKinds(project, {
  id: 'page',
  label: 'Page',
  parameters: [
    { id: 'one', kind_id: 'string', pattern: COSTLY },
    { id: 'two', kind_id: 'string', pattern: COSTLY },
    { id: 'many', kind_id: 'string', pattern: COSTLY, multiple: true },
  ],
});
const text = (length: number) => `${'ab'.repeat(length / 2 - 1)}ax`;

it('a text that a pattern would take too long for is refused, whatever it is', async () => {
  expect(refusalOf(await project.post('/page/unit', { one: text(100_000) }))).toEqual({
    status: 400,
    messages: ['parameter.too_long one'],
  });
  await ok(project.post('/page/unit', { one: text(2000) }));
});

it('so are several of one unit', async () => {
  const two = { one: text(2000), two: text(2000) };
  expect(refusalOf(await project.post('/page/unit', two))).toEqual({
    status: 400,
    messages: ['parameter.too_long two'],
  });
  const many = { many: Array.from({ length: 100 }, () => text(2000)) };
  expect(new Set(refusalOf(await project.post('/page/unit', many)).messages)).toEqual(
    new Set(['parameter.too_long many']),
  );
  await ok(project.post('/page/unit', { many: Array.from({ length: 100 }, () => text(20)) }));
});

it('a bulk write of many lets others have their turn', async () => {
  let done = false;
  const write = project
    .post(
      '/page/unit',
      Array.from({ length: 20 }, () => ({ one: text(2400) })),
    )
    .then((reply) => {
      done = true;
      return ok(Promise.resolve(reply));
    });
  let turns = 0;
  while (!done) {
    await new Promise((resolve) => setImmediate(resolve));
    turns += 1;
  }
  await write;
  expect(turns).toBeGreaterThan(10);
});
