/** Metrics at a separate address: it serves nothing else, and they are served nowhere else. */
import { expect, it } from 'vitest';
import { startTestService } from '../../support/service.js';
import { send } from '../../support/wire.js';

const { service } = await startTestService({ metrics: { host: '127.0.0.1', port: 0 } });
const { metricsUrl = '' } = service;
const at = (path: string) => new URL(path, metricsUrl).href;

it('are Prometheus text there', async () => {
  const reply = await fetch(metricsUrl);
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(await reply.text()).toContain('kind_http_requests_total');
  const head = await fetch(metricsUrl, { method: 'HEAD' });
  expect({ status: head.status, text: await head.text() }).toEqual({ status: 200, text: '' });
});

it('name routes, and the busiest projects', async () => {
  await send(service, { path: '/health/ready' });
  await send(service, { path: '/api/lib/thing/unit/1?x=secret', headers: { 'kind-project-key': 'nobodys' } });
  await send(service, { path: '/nowhere' });
  const text = await (await fetch(metricsUrl)).text();
  const count = 'kind_http_request_duration_seconds_count';
  expect(text).toMatch(new RegExp(`^${count}\\{route="/health/ready",method="GET",status="200"\\} \\d+$`, 'm'));
  const unit = 'route="/api/lib/\\{kind_id\\}/unit/\\{unit_id\\}"';
  expect(text).toMatch(new RegExp(`^${count}\\{${unit},method="GET",status="401"\\} 1$`, 'm'));
  expect(text).toMatch(new RegExp(`^${count}\\{route="none",method="GET",status="404"\\} \\d+$`, 'm'));
  expect(text).toContain('# TYPE kind_project_requests gauge');
  expect(text).not.toMatch(/secret|nobodys/);
});

it('are alone there', async () => {
  for (const path of ['/', '/health/live', '/metrics/', '/api/lib/doc/swaggerui']) {
    const { status, headers } = await fetch(at(path));
    expect([status, headers.get('x-content-type-options')], path).toEqual([404, 'nosniff']);
  }
  const posted = await fetch(metricsUrl, { method: 'POST', body: '{}' });
  expect({ status: posted.status, allow: posted.headers.get('allow') }).toEqual({ status: 405, allow: 'GET, HEAD' });
});

it('are not at the service, nor in its document', async () => {
  const reply = await fetch(`${service.url}/metrics`);
  expect(reply.status).toBe(404);
  expect(await reply.json()).toMatchObject({ content: null, messages: [{ code: 'route.unknown' }] });
  expect((await send(service, { path: '/health/ready' })).status).toBe(200);
  const { text } = await send(service, { path: '/api/lib/doc/openapi.json' });
  const { paths } = JSON.parse(text) as { paths: object };
  expect(Object.keys(paths)).toContain('/health/ready');
  expect(Object.keys(paths)).not.toContain('/metrics');
});
