import { expect, test } from 'vitest';
import { createLogger, NestLogger } from '../../../src/http/log/logger.js';

function recorded(level: 'info' | 'debug', work: (nest: NestLogger) => void): Record<string, unknown>[] {
  const lines: string[] = [];
  const logger = createLogger({ logLevel: level, logFormat: 'json' }, { write: (line) => void lines.push(line) });
  work(new NestLogger(logger));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('a line has its level in words, the time in ISO 8601 and the context', () => {
  const [line] = recorded('info', (nest) => nest.log('ready', 'Service'));
  expect(line).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    context: 'Service',
    msg: 'ready',
  });
});

test('start messages of Nest have level debug', () => {
  expect(recorded('info', (nest) => nest.log('Mapped {/api, GET} route', 'RouterExplorer'))).toEqual([]);
  expect(recorded('debug', (nest) => nest.log('Mapped {/api, GET} route', 'RouterExplorer'))).toHaveLength(1);
});

test.each([
  [
    'an error',
    (nest: NestLogger) => nest.error(new Error('boom'), 'Service'),
    { err: { message: 'boom', type: 'Error' } },
  ],
  [
    'an error with a text',
    (nest: NestLogger) => nest.error('failed', new Error('boom')),
    { msg: 'failed', err: { message: 'boom' } },
  ],
  [
    'a text and a stack',
    (nest: NestLogger) => nest.error('boom', 'Error: boom\n    at x', 'Service'),
    { stack: 'Error: boom\n    at x' },
  ],
])('%s keeps its stack', (_, work, expected) => {
  const [line] = recorded('info', work);
  expect(line).toMatchObject({ level: 'error', ...expected });
});

test('an object is written as JSON', () => {
  expect(recorded('info', (nest) => nest.warn({ a: 1 }))[0]).toMatchObject({ level: 'warn', msg: '{"a":1}' });
});

test('an error is logged with names but without values, including its causes', () => {
  const [line] = recorded('info', (nest) => {
    const refused = Object.assign(new Error('refused'), { code: '23505', constraint: 'c', detail: 'Key (a)=(secret)' });
    const unread = Object.assign(new Error('invalid input syntax for type date: "secret"'), { code: '22007' });
    nest.error(new AggregateError([refused, new Error('behind it', { cause: unread })], 'both'));
  });
  expect(line?.['err']).toMatchObject({
    type: 'AggregateError',
    message: 'both',
    aggregateErrors: [
      { type: 'Error', message: 'refused', code: '23505', constraint: 'c' },
      { message: 'behind it: data exception', stack: expect.stringContaining('logger.test.ts') as string },
    ],
  });
  expect(JSON.stringify(line)).not.toContain('secret');
});
