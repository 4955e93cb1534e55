/** Traces: what a receiver of OTLP over HTTP gets, what is not in it, and that nothing is loaded without one. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { atEnd } from '../../support/at-end.js';
import { anonymous, asMember, defineKinds } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { FunctionsFolder } from '../../support/functions.js';
import { logLines } from '../../support/log-lines.js';
import { temporaryFolder } from '../../support/mailbox.js';
import { startTestService, TestProject } from '../../support/service.js';

/** The modules of OpenTelemetry in memory, but its interface, which the metrics use. */
const loaded = () => {
  const { cache } = createRequire(import.meta.url);
  return Object.keys(cache).filter((file) => /@opentelemetry\/(?!api\/)/.test(file));
};

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
}
interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly status: { readonly code?: number };
  readonly attributes: readonly Attribute[];
}
interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

const received: { readonly type: string | undefined; readonly path: string | undefined; readonly body: string }[] = [];
const receiver = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => void parts.push(part));
  request.on('end', () => {
    const body = Buffer.concat(parts).toString('latin1');
    received.push({ type: request.headers['content-type'], path: request.url, body });
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
}).listen(0, '127.0.0.1');
await once(receiver, 'listening');
atEnd(() => void receiver.close());
const { port } = receiver.address() as AddressInfo;

const CITY = `
import { kind } from 'kind';
const city = kind('city');
export default city.module({ functions: {
  make: city.function({ description: 'Makes a city', parameters: { name: { type: 'string' } },
    run: async ({ units, parameters }) => (await units('city').create({ name: parameters.name })).id }),
} });
`;
const functions = new FunctionsFolder({ 'city.ts': CITY });

const plain = await startTestService({ functionsDir: functions.path });
const admin = await plain.project();
await defineKinds(admin, {
  id: 'city',
  public: true,
  parameters: [
    { id: 'name', kind_id: 'string', unique: true, default_string: 'secret-default', search: 'simple' },
    { id: 'meta', kind_id: 'json' },
    { id: 'mayor', kind_id: 'unit', reference_kind: 'city' },
  ],
});
await asMember(admin);
const loadedBefore = loaded();

/** A service that sends traces to a port. The libraries read what is not a setting from the environment. */
async function startTraced(protocol: 'http/protobuf' | 'http/json', to: number, log = logLines(), sendAfter = '20') {
  const variables = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${to}`,
    OTEL_BSP_SCHEDULE_DELAY: sendAfter,
    OTEL_EXPORTER_OTLP_TIMEOUT: '1000',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  };
  Object.assign(process.env, variables);
  try {
    const options = { traces: { protocol }, functionsDir: functions.path, dataDir: temporaryFolder() };
    return (await startTestService(options, log.logger)).service;
  } finally {
    for (const name of Object.keys(variables)) Reflect.deleteProperty(process.env, name);
  }
}

const service = await startTraced('http/json', port);
const traced = new TestProject(service, admin.id, admin.token);

const exports = () =>
  received.filter(({ type }) => type === 'application/json').map(({ body }) => JSON.parse(body) as Export);
const spans = () =>
  exports().flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
  );

let traces = 0;
/** Calls with a new trace id, and waits for its spans, of which one has such a name. */
async function spansOf(work: (headers: Record<string, string>) => Promise<unknown>, last: RegExp): Promise<Span[]> {
  const trace = (traces += 1).toString(16).padStart(32, 'a');
  await work({ traceparent: `00-${trace}-00f067aa0ba902b7-01` });
  const found = () => spans().filter(({ traceId }) => traceId === trace);
  for (let attempt = 0; attempt < 250 && !found().some(({ name }) => last.test(name)); attempt += 1) await delay(20);
  return found();
}

const attributesOf = ({ attributes }: Span) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));
const named = (all: readonly Span[], name: string | RegExp) => {
  const found = all.find((span) => (typeof name === 'string' ? span.name === name : name.test(span.name)));
  if (!found) throw new Error(`no span ${String(name)} among ${all.map((span) => span.name).join()}`);
  return found;
};

test('without the settings no library is loaded; with them it is', () => {
  expect(loadedBefore).toEqual([]);
  expect(loaded().join()).toMatch(/@opentelemetry\/sdk-trace/);
});

test('a request and its statements continue the trace of the client', async () => {
  const path = '/city/unit?filter=eq(name,secret-value)';
  const all = await spansOf((headers) => traced.get(path, { headers: { ...headers, 'x-request-id': 'r1' } }), /^GET /);
  const request = named(all, 'GET /api/lib/{kind_id}/unit');
  expect(request.parentSpanId).toBe('00f067aa0ba902b7');
  expect(attributesOf(request)).toEqual({
    'http.request.method': 'GET',
    'http.route': '/api/lib/{kind_id}/unit',
    'http.response.status_code': 200,
    'kind.project': admin.id,
    'kind.request_id': 'r1',
  });
  const statement = all.find((span) => String(attributesOf(span)['db.query.text']).includes('"city"'));
  expect(statement?.parentSpanId).toBe(request.spanId);
  expect(attributesOf(statement as Span)).toMatchObject({ 'db.system.name': 'postgresql' });
});

test('statements of a function are inside of it', async () => {
  const work = (headers: Record<string, string>) =>
    traced.post('/city/function/make', { name: 'secret-city' }, { headers });
  const all = await spansOf(work, /^POST /);
  const call = named(all, 'city.ts make');
  expect(call.parentSpanId).toBe(named(all, /^POST /).spanId);
  const insert = all.find((span) => String(attributesOf(span)['db.query.text']).includes('INSERT INTO'));
  expect(insert?.parentSpanId).toBe(call.spanId);
});

test('a mail that is sent after the answer belongs to the trace', async () => {
  const work = (headers: Record<string, string>) =>
    anonymous(traced).post('/auth/recover_password', { email: 'ann@person.example' }, { headers });
  const all = await spansOf(work, /^mail /);
  expect(attributesOf(named(all, /^mail /))['kind.mail']).toBeDefined();
});

test('a statement that failed has its code, and the request its status', async () => {
  await createdId(traced.post('/city/unit', { name: 'secret-twice' }));
  const again = (headers: Record<string, string>) => traced.post('/city/unit', { name: 'secret-twice' }, { headers });
  const all = await spansOf(again, /^POST /);
  expect(attributesOf(named(all, /^POST /))['http.response.status_code']).toBe(409);
  const failed = all.filter(({ status }) => status.code === 2);
  expect(failed.map((span) => attributesOf(span)['error.type'])).toContain('23505');
});

test('a client that is not recorded stays so', async () => {
  const before = spans().length;
  const headers = { traceparent: `00-${'b'.repeat(32)}-00f067aa0ba902b7-00` };
  await ok(traced.get('/city/unit', { headers }));
  await spansOf((own) => traced.get('/city/unit', { headers: own }), /^GET /);
  expect(
    spans()
      .slice(before)
      .some(({ traceId }) => traceId === 'b'.repeat(32)),
  ).toBe(false);
});

test('no values, secrets, paths or messages are sent', async () => {
  const definition = { id: 'town', parameters: [{ id: 'motto', kind_id: 'string', default_string: 'secret-default' }] };
  await spansOf((headers) => traced.post('/kind/unit', definition, { headers }), /^POST /);
  const credentials = { username: 'admin', password: 'secret-password' };
  await spansOf((headers) => traced.post('/auth/signin', credentials, { headers }), /^POST /);
  await spansOf((headers) => traced.get('/auth/reset_password/secret-token', { headers }), /^GET/);
  for (const path of [
    '/city/by/name/secret-name',
    '/city/unit?include=name,secret_alias:count_related(city.mayor)',
    '/city/unit?include=id,meta.secret-key,mayor.meta.secret-key,secret_other:related(city.mayor,limit=3),secret_alias:snippet(name)&search=x',
    '/city/unit?include=mayor.meta.secret-key&nest=true',
    '/city/export?include=name,meta.secret-key,secret_alias:count_related(city.mayor)',
    '/city/aggregate?group=secret_group:name&select=secret_alias:count()&order=-secret_alias',
    '/city/aggregate?group=meta.secret-key&select=secret_alias:count(meta.secret-key)&filter=eq(meta.secret-key,1)',
  ]) {
    const all = await spansOf((headers) => traced.get(path, { headers }), /^GET /);
    expect(attributesOf(named(all, /^GET /))['http.response.status_code'], path).toBe(
      path.includes('/by/') ? 404 : 200,
    );
    // Names of parameters are sent.
    if (!path.includes('/by/')) expect(JSON.stringify(all), path).toMatch(/\\"(?:name|meta|mayor)\\"/);
  }
  const text = received.map(({ body }) => body).join();
  expect(text).toContain('CREATE TABLE');
  expect(text).not.toMatch(/secret[-_]/);
  expect(text).not.toContain(admin.token ?? '');
  expect(text).not.toContain('ann@');
});

test('the resource is that of the environment, with the name of the service', () => {
  const [first] = exports();
  const attributes = first?.resourceSpans[0]?.resource.attributes ?? [];
  const found = Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]));
  expect(found).toMatchObject({ 'service.name': 'kind', 'deployment.environment.name': 'test' });
  expect(received[0]?.path).toBe('/v1/traces');
});

test('protobuf is sent too, also the last spans before a stop', async () => {
  const other = await startTraced('http/protobuf', port);
  await ok(new TestProject(other, admin.id, admin.token).get('/city/unit'));
  await other.stop();
  const sent = received.filter(({ type }) => type === 'application/x-protobuf').map(({ body }) => body);
  expect(sent.join()).toContain('GET /api/lib/{kind_id}/unit');
});

test('a receiver that is away is logged, and requests are answered', async () => {
  const log = logLines();
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port: free } = closed.address() as AddressInfo;
  closed.close();
  const other = await startTraced('http/json', free, log);
  const caller = new TestProject(other, admin.id, admin.token);
  await ok(caller.get('/city/unit'));
  await ok(caller.get('/city/unit'));
  await other.stop();
  const lines = log.of().filter((line) => line.includes('traces'));
  expect(lines.length).toBeGreaterThan(0);
  expect(['traces could not be sent', 'the last traces could not be sent']).toEqual(expect.arrayContaining(lines));
  expect(log.of('error')).toEqual([]);
});

test('a receiver that refuses is one warning of a stop, without a stack', async () => {
  const log = logLines();
  const refusing = createServer((_, response) => void response.writeHead(400).end()).listen(0, '127.0.0.1');
  await once(refusing, 'listening');
  atEnd(() => void refusing.close());
  const { port: refused } = refusing.address() as AddressInfo;
  const other = await startTraced('http/json', refused, log);
  await other.stop();
  expect(log.of()).not.toContain('the last traces could not be sent');

  const later = await startTraced('http/json', refused, log, '60000');
  await ok(new TestProject(later, admin.id, admin.token).get('/city/unit'));
  await later.stop();
  expect(log.of('warn').filter((line) => line.includes('traces'))).toEqual(['the last traces could not be sent']);
  expect(log.of('error')).toEqual([]);
  expect(log.text()).not.toContain('"stack"');
});
