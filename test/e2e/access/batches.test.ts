/** For every caller, a batch has the same answers as its operations alone, so it reveals nothing more. */
import { expect, it } from 'vitest';
import { sharedService, type Reply } from '../../support/service.js';
import { EVERYBODY, makeWorld } from './secret-model.js';
import { questions } from './secret-questions.js';

const service = await sharedService();
const root = await service.project();
const world = await makeWorld(root);
/** Without those whose answer has times of the plan, and those that no batch may put. */
const asked = questions(world)
  .filter(({ path }) => !/explain=|^\/(auth|doc)\//.test(path))
  .filter((_, at) => at % 53 === 0);

const told = ({ status, body: { content, messages } }: Reply) => ({ status, content: content as unknown, messages });

/** The answer to a batch of one operation, in the form of that operation's own. */
function unpacked({ status, body: { content, messages } }: Reply): ReturnType<typeof told> {
  if (status === 200)
    return { status, content: (content as { items: [{ content: unknown }] }).items[0].content, messages };
  return {
    status,
    content: null,
    messages: messages.map(({ operation, ...message }) => ({ ...message, ...(operation === 0 ? {} : { operation }) })),
  };
}

it.each(EVERYBODY)('a batch answers %s what its operations answer alone', { timeout: 120_000 }, async (who) => {
  const caller = world.callers[who];
  let compared = 0;
  const check = async ({ method, path, body }: (typeof asked)[number]): Promise<void> => {
    const url = new URL(`http://localhost${path}`);
    const escaped = `${url.pathname}${url.search}`.replaceAll('{', '%7B').replaceAll('}', '%7D');
    const operation = { method, path: escaped, ...(body !== undefined && method !== 'GET' && { body }) };
    const batch = await caller.post('/batch', { operations: [operation] });
    if (batch.body.messages.some(({ code }) => code === 'batch.not_here')) return;
    compared += 1;
    expect({ path, ...unpacked(batch) }).toEqual({ path, ...told(await caller.call(method, path, body)) });
  };
  for (let at = 0; at < asked.length; at += 16) await Promise.all(asked.slice(at, at + 16).map(check));
  expect(compared).toBeGreaterThan(25);
});
