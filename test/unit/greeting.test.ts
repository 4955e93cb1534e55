import { expect, it } from 'vitest';
import { greeting } from '../../src/greeting.js';

it('shows the addresses, and the password once', () => {
  const first = { project: 'demo', username: 'admin', password: 'generated' };
  expect(greeting('http://127.0.0.1:3000', first, { terminal: false, console: true })).toBe(`
  Kind is ready.

  Service        http://127.0.0.1:3000
  Console        http://127.0.0.1:3000/console/?project=demo
  Documentation  http://127.0.0.1:3000/api/lib/doc/swaggerui
  Project key    demo
  Administrator  admin
  Password       generated   (shown this one time)

`);
});

it('shows the pages at the public address, where sign-ins lead back to', () => {
  const first = { project: 'demo', username: 'admin' };
  const shown = { terminal: false, console: true, publicUrl: 'https://data.example.com' };
  expect(greeting('http://127.0.0.1:3000', first, shown)).toContain(`
  Service        http://127.0.0.1:3000
  Console        https://data.example.com/console/?project=demo
  Documentation  https://data.example.com/api/lib/doc/swaggerui
`);
});

it('names the kinds that strangers may write', () => {
  const lineOf = (strangersMayWrite: readonly string[]) =>
    greeting(
      'http://127.0.0.1:3000',
      { project: 'demo', username: 'admin', strangersMayWrite },
      { terminal: false, console: false },
    )
      .split('\n')
      .find((line) => line.includes('Strangers'));
  expect(lineOf([])).toBe('  Strangers      may write no kind');
  expect(lineOf(['note', 'page'])).toBe('  Strangers      may write note, page: npm run kind -- access report demo');
  expect(lineOf(Array.from({ length: 12 }, (_, at) => `k${at}`))).toContain('k9 and 2 more: npm run');
});
