/** Patterns that cost much are matched outside the event loop: another project does not wait for them. */
import { expect, it } from 'vitest';
import { defineKinds } from '../support/callers.js';
import { ok, refusalOf } from '../support/definitions.js';
import { beside } from '../support/neighbour.js';
import { sharedService } from '../support/service.js';

/** Linear, as all of RE2, but with 2003 instructions that are all alive at every character. */
const COSTLY = '(?i)(?:[ab]?){500}(?:[bc]?){500}[xy]';

const service = await sharedService();
const quiet = await service.project();
const project = await service.project();
await defineKinds(project, { id: 'page', parameters: [{ id: 'one', kind_id: 'string', pattern: COSTLY }] });
const text = (length: number) => `${'ab'.repeat(length / 2 - 1)}ax`;

it('texts of concurrent requests are matched outside the event loop, each within its time limit', async () => {
  await ok(project.post('/page/unit', { one: text(200) }));
  // 50 kB each, which take longer than a request has.
  const body = JSON.stringify(Array.from({ length: 20 }, () => ({ one: text(2400).replace('ax', 'aa') })));
  const { result, held, waits } = await beside(quiet, '/kind/unit/string', () =>
    Promise.all(Array.from({ length: 8 }, () => project.post('/page/unit', body))),
  );
  for (const reply of result) {
    expect([400, 503]).toContain(reply.status);
    const codes = reply.body.messages.map(({ code }) => code);
    expect(['parameter.pattern_mismatch', 'parameter.too_long', 'server.busy']).toEqual(expect.arrayContaining(codes));
  }
  expect(held).toBeLessThan(500);
  expect(Math.max(...waits)).toBeLessThan(1500);
});

it('a new pattern is matched against stored values outside the event loop', async () => {
  const writer = await service.project();
  await defineKinds(writer, { id: 'book', parameters: [{ id: 'chapters', kind_id: 'string', multiple: true }] });
  // In one unit, so that pauses between units would not do.
  const chapters = Array.from({ length: 20 }, (_, at) => `${'ab'.repeat(1200)}${at === 19 ? 'a' : 'x'}`);
  await ok(writer.post('/book/unit', { chapters }));
  const { result, held, waits } = await beside(quiet, '/kind/unit/string', () =>
    writer.put('/string/unit/chapters', { pattern: COSTLY }),
  );
  expect(refusalOf(result)).toEqual({ status: 409, messages: ['parameter.violated chapters'] });
  expect(held).toBeLessThan(500);
  expect(Math.max(...waits)).toBeLessThan(1500);
  await ok(writer.put('/string/unit/chapters', { pattern: '^(?:ab)+[ax]$' }));
});

it('definitions of many large patterns are rejected outside the event loop', async () => {
  const parameters = Array.from({ length: 100 }, (_, at) => ({
    id: `large${at}`,
    kind_id: 'string',
    pattern: `${'(a?){1000}'.repeat(45)}${at}`,
  }));
  const { result, held, waits } = await beside(quiet, '/kind/unit/string', () =>
    project.post('/kind/unit', { id: 'large', parameters }),
  );
  expect(result.status).toBe(400);
  const texts = result.body.messages.map((each) => each.text);
  // On a slow machine, even the first one may take too long.
  for (const each of texts) expect(each).toMatch(/\.pattern: (?:is too large|takes too long to be read)/);
  expect(texts.at(-1)).toContain('pattern: takes too long to be read');
  expect(held).toBeLessThan(500);
  expect(Math.max(...waits)).toBeLessThan(1500);
});
