/** The events of a stream, as the client reads them for applications and for the console. */
import { expect, it } from 'vitest';
import { eventsOf, type StreamEvent } from '../../../packages/client/events.js';

const STREAM = 'retry: 1234\n\n:\n\nevent: page\ndata: {"as":"a","text":"1: ü"}\n\nevent: end\ndata: {}\n\n';
const BYTES = new TextEncoder().encode(STREAM);

it.each([1, 2, 7, BYTES.length])('are read of parts of %i bytes', async (size) => {
  const parts = Array.from({ length: Math.ceil(BYTES.length / size) }, (_, at) =>
    BYTES.slice(at * size, (at + 1) * size),
  );
  const connection = { send: () => Promise.resolve(new Response(ReadableStream.from(parts))) };
  const events: StreamEvent<unknown>[] = [];
  for await (const event of eventsOf(connection, [], new AbortController().signal)) events.push(event);
  expect(events.filter(({ event }) => event !== '')).toEqual([
    { event: 'page', data: { as: 'a', text: '1: ü' } },
    { event: 'end', data: {} },
  ]);
  expect(events.flatMap(({ wait }) => wait ?? [])).toEqual([1234]);
});
