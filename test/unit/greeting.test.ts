import { expect, it } from 'vitest';
import { greeting } from '../../src/greeting.js';

it('shows the addresses, and the password once', () => {
  const first = { project: 'demo', username: 'admin', password: 'generated' };
  expect(greeting('http://127.0.0.1:3000', first, false)).toBe(`
  Kind is ready.

  Service        http://127.0.0.1:3000
  Documentation  http://127.0.0.1:3000/api/lib/doc/swaggerui
  Project key    demo
  Administrator  admin
  Password       generated   (shown this one time)

`);
});
