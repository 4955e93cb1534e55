/** A start as `npm start` makes it. What it waits for and reports is tested in `test/deploy/service/start.deploy.ts`. */
import { expect, it } from 'vitest';
import { startChild } from '../../deploy/service/child.js';

it('starts PostgreSQL, makes a project and serves', async () => {
  const { url } = await startChild({ BOOTSTRAP_ADMIN_PASSWORD: 'correct horse 1' });
  expect((await fetch(`${url}/health/ready`)).status).toBe(200);
  const answer = await fetch(`${url}/api/lib/auth/signin`, {
    method: 'POST',
    headers: { 'kind-project-key': 'demo', 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password: 'correct horse 1' }),
  });
  expect(answer.status).toBe(200);
}, 60_000);
