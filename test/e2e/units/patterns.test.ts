/** Patterns that cost much are bounded: by their size, by the texts of one unit, and by turns of others in between. */
import { expect, it, vi } from 'vitest';
import { PatternMatcher } from '../../../src/catalog/pattern/pattern-matcher.js';
import { defineKinds } from '../../support/callers.js';
import { ok, refusalOf } from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';

/** Linear, as all of RE2, but with 2003 instructions that are all alive at every character. */
const COSTLY = '(?i)(?:[ab]?){500}(?:[bc]?){500}[xy]';

const service = await sharedService();
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

it('a text that would take too long to match is rejected', async () => {
  expect(refusalOf(await project.post('/page/unit', { one: text(100_000) }))).toEqual({
    status: 400,
    messages: ['parameter.too_long one'],
  });
  await ok(project.post('/page/unit', { one: text(2000) }));
});

it('several texts of one unit count together', async () => {
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

it('a bulk write yields to other requests', async () => {
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

it('a new pattern that would take too long for stored values is rejected, with advice', async () => {
  await defineKinds(project, { id: 'note', label: 'Note', parameters: [{ id: 'body', kind_id: 'string' }] });
  await ok(project.post('/note/unit', { body: 'x' }));
  const match = vi.spyOn(service.service.app.get(PatternMatcher), 'match').mockResolvedValueOnce(['costly']);
  const reply = await project.put('/string/unit/body', { pattern: '^x$' });
  match.mockRestore();
  expect(refusalOf(reply)).toEqual({ status: 400, messages: ['parameter.bad_pattern pattern'] });
  expect(reply.body.messages[0]?.text).toContain("'body' of 'note' takes more than 30 seconds; make it simpler");
  await ok(project.put('/string/unit/body', { pattern: '^x$' }));
});

it('a text in the default of a definition is matched too', async () => {
  const parameter = { id: 'word', pattern: '^[a-z]+$', multiple: true };
  expect(refusalOf(await project.post('/string/unit', { ...parameter, default_string: ['a', 'B'] }))).toEqual({
    status: 400,
    messages: ['parameter.pattern_mismatch default_string'],
  });
  await ok(project.post('/string/unit', { ...parameter, default_string: ['a', 'b'] }));
});
