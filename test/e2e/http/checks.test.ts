/** The order of the checks: project, token, access, existence, state, input. */
import { JwtService } from '@nestjs/jwt';
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SECRET } from '../../../src/config/config.js';
import { anonymous, asMember, defineKinds } from '../../support/callers.js';
import { createdId } from '../../support/definitions.js';
import { expectWellFormed, play, scenarios } from '../../support/scenario.js';
import { startTestService } from '../../support/service.js';
import { send } from '../../support/wire.js';

const service = await startTestService({ bodyLimit: 20_000, bodyLimitUnits: 50_000 });
const [project, other] = await Promise.all([service.project(), service.project()]);
const name = { id: 'name', kind_id: 'string', max_length: 5 };
await defineKinds(
  project,
  { id: 'city', label: 'City', parameters: [name] },
  { id: 'open', label: 'Open', public: true, parameters: ['name'] },
  {
    id: 'closed',
    label: 'Closed',
    access: { read: 'admin', create: 'admin', update: 'admin', delete: 'admin' },
    parameters: ['name'],
  },
  { id: 'asleep', label: 'Asleep', active: false, parameters: ['name'] },
  { id: 'open_asleep', label: 'Asleep', active: false, public: true },
  { id: 'closed_asleep', label: 'Asleep', active: false, access: { read: 'admin' } },
  { id: 'far', label: 'Far', remote: true },
  { id: 'sealed', label: 'Sealed', access: { read: 'nobody' } },
);
const member = await asMember(project);
const unit = await createdId(project.post('/city/unit', { name: 'Rome' }));
const closedUnit = await createdId(project.post('/closed/unit', { name: 'Rome' }));
const missing = randomUUID();
const callers = { member, admin: project, nobody: anonymous(project), stranger: project.as('x.y.z') };

describe('order of checks', () => {
  scenarios(callers, [
    {
      name: 'the project header comes before the token, the kind and the body',
      request: 'POST /nothing/unit',
      as: 'stranger',
      headers: { 'kind-project-key': undefined },
      body: '{',
      expect: { status: 400, code: 'project.missing' },
    },
    {
      name: 'an unknown project comes before the token and the body',
      request: 'POST /nothing/unit',
      as: 'stranger',
      headers: { 'kind-project-key': 'nowhere' },
      body: '{',
      expect: { status: 401, code: 'project.unknown' },
    },
    {
      name: 'a bad token comes before the kind and the body',
      request: 'POST /nothing/unit',
      as: 'stranger',
      body: '{',
      expect: { status: 401, code: 'token.invalid' },
    },
    {
      name: 'a bad token is 401 on a public kind',
      request: 'GET /open/unit',
      as: 'stranger',
      expect: { status: 401, code: 'token.invalid' },
    },
    {
      name: 'a bad token is 401 on an unknown route',
      request: 'GET /a/b/c/d',
      as: 'stranger',
      expect: { status: 401, code: 'token.invalid' },
    },
    {
      name: 'no token comes before a malformed body',
      request: 'POST /city/unit',
      as: 'nobody',
      body: '{',
      expect: { status: 401, code: 'token.missing' },
    },
    {
      name: 'no token comes before a content-type',
      request: 'POST /city/unit',
      as: 'nobody',
      body: 'x',
      headers: { 'content-type': 'text/plain' },
      expect: { status: 401, code: 'token.missing' },
    },
    {
      name: 'no token comes before a missing unit',
      request: `PUT /city/unit/${missing}`,
      as: 'nobody',
      body: '{',
      expect: { status: 401, code: 'token.missing' },
    },
    {
      name: 'no token comes before a bad query',
      request: 'GET /city/unit?limit=x',
      as: 'nobody',
      expect: { status: 401, code: 'token.missing' },
    },
    {
      name: 'without a token a private kind is 401',
      request: 'GET /city/unit',
      as: 'nobody',
      expect: { status: 401, code: 'token.missing' },
    },
    {
      name: 'without a token a missing kind is 401 too',
      request: 'GET /nothing/unit',
      as: 'nobody',
      expect: { status: 401, code: 'token.missing' },
    },
    {
      name: 'without a token an inactive kind is 401',
      request: 'GET /asleep/unit',
      as: 'nobody',
      expect: { status: 401, code: 'token.missing' },
    },
    {
      name: 'without a token a remote kind is 401',
      request: 'GET /far/unit',
      as: 'nobody',
      expect: { status: 401, code: 'token.missing' },
    },
    {
      name: 'without a token the struct of a private kind is 401',
      request: 'GET /city/struct',
      as: 'nobody',
      expect: { status: 401, code: 'token.missing' },
    },
    {
      name: 'with a token a missing kind is 404',
      request: 'GET /nothing/unit',
      expect: { status: 404, code: 'kind.unknown' },
    },
    {
      name: 'with a token a kind that may not be read is 403',
      request: 'GET /closed/unit',
      expect: { status: 403, code: 'access.denied' },
    },
    {
      name: 'nobody binds administrators',
      request: 'GET /sealed/unit',
      as: 'admin',
      expect: { status: 403, code: 'access.denied' },
    },
    {
      name: 'access comes before the existence of the unit',
      request: `GET /closed/unit/${missing}`,
      expect: { status: 403, code: 'access.denied' },
    },
    {
      name: 'access comes before the body',
      request: `PUT /closed/unit/${closedUnit}`,
      body: '{',
      expect: { status: 403, code: 'access.denied' },
    },
    {
      name: 'access comes before the query',
      request: 'GET /closed/unit?filter=(&limit=-1',
      expect: { status: 403, code: 'access.denied' },
    },
    {
      name: 'access comes before the state',
      request: 'GET /closed_asleep/unit',
      expect: { status: 403, code: 'access.denied' },
    },
    {
      name: 'a member may not define kinds, whatever the body',
      request: 'POST /kind/unit',
      body: '{',
      expect: { status: 403, code: 'access.denied' },
    },
    {
      name: 'credentials are sealed',
      request: 'GET /kind_system_user/unit',
      as: 'admin',
      expect: { status: 403, code: 'access.denied' },
    },
    {
      name: 'existence comes before a malformed body',
      request: `PUT /city/unit/${missing}`,
      body: '{',
      expect: { status: 404, code: 'unit.unknown' },
    },
    {
      name: 'existence comes before the content-type',
      request: `PUT /city/unit/${missing}`,
      body: 'x',
      headers: { 'content-type': 'text/plain' },
      expect: { status: 404, code: 'unit.unknown' },
    },
    {
      name: 'existence comes before an absent body',
      request: `PUT /city/unit/${missing}`,
      expect: { status: 404, code: 'unit.unknown' },
    },
    {
      name: 'existence comes before bad values',
      request: `PUT /city/unit/${missing}`,
      body: { name: 5, nope: 1 },
      expect: { status: 404, code: 'unit.unknown' },
    },
    {
      name: 'existence comes before If-Match',
      request: `PUT /city/unit/${missing}`,
      body: {},
      headers: { 'if-match': '"1-1"' },
      expect: { status: 404, code: 'unit.unknown' },
    },
    {
      name: 'existence comes before the query of a get',
      request: `GET /city/unit/${missing}?include=nope&limit=x`,
      expect: { status: 404, code: 'unit.unknown' },
    },
    {
      name: 'existence comes before the query of an edit',
      request: `PUT /city/unit/${missing}?nope=1`,
      body: {},
      expect: { status: 404, code: 'unit.unknown' },
    },
    {
      name: 'existence comes before the query of a delete',
      request: `DELETE /city/unit/${missing}?nope=1`,
      expect: { status: 404, code: 'unit.unknown' },
    },
    {
      name: 'existence comes before the body of a definition',
      request: 'PUT /kind/unit/nothing',
      as: 'admin',
      body: '{',
      expect: { status: 404, code: 'unit.unknown' },
    },
    {
      name: 'an id that no unit can have is 404',
      request: 'PUT /city/unit/nonsense',
      body: '{',
      expect: { status: 404, code: 'unit.unknown' },
    },
    {
      name: 'the state comes before the body',
      request: 'POST /asleep/unit',
      body: '{',
      expect: { status: 403, code: 'kind.inactive' },
    },
    {
      name: 'the state comes before the query',
      request: 'GET /asleep/unit?limit=x&filter=(',
      expect: { status: 403, code: 'kind.inactive' },
    },
    {
      name: 'an inactive kind refuses a get',
      request: `GET /asleep/unit/${missing}`,
      expect: { status: 403, code: 'kind.inactive' },
    },
    {
      name: 'an inactive kind refuses an edit',
      request: `PUT /asleep/unit/${missing}`,
      body: {},
      expect: { status: 403, code: 'kind.inactive' },
    },
    {
      name: 'an inactive kind refuses a delete',
      request: `DELETE /asleep/unit/${missing}`,
      expect: { status: 403, code: 'kind.inactive' },
    },
    {
      name: 'an inactive public kind is 403 without a token',
      request: 'GET /open_asleep/unit',
      as: 'nobody',
      expect: { status: 403, code: 'kind.inactive' },
    },
    {
      name: 'the model still serves an inactive kind',
      request: 'GET /kind/unit/asleep',
      expect: { status: 200, content: { active: false } },
    },
    { name: 'and its struct', request: 'GET /asleep/struct', expect: { status: 200, content: { count: 2 } } },
    {
      name: 'a remote kind without a module is 503',
      request: 'GET /far/unit',
      expect: { status: 503, code: 'kind.remote_unavailable' },
    },
    {
      name: 'and so is its get',
      request: `GET /far/unit/${missing}`,
      expect: { status: 503, code: 'kind.remote_unavailable' },
    },
    {
      name: 'and its create, before the body',
      request: 'POST /far/unit',
      body: '{',
      expect: { status: 503, code: 'kind.remote_unavailable' },
    },
    {
      name: 'the model still serves a remote kind',
      request: 'GET /kind/unit/far',
      expect: { status: 200, content: { remote: true } },
    },
    {
      name: 'the precondition comes before the body',
      request: `PUT /city/unit/${unit}`,
      body: '{',
      headers: { 'if-match': '"1-1"' },
      expect: { status: 412, code: 'unit.changed' },
    },
    {
      name: 'all faults of a body come at once, one message each',
      request: 'POST /city/unit',
      body: { name: 'too long a name', nmae: 1, kind_id: 'town', inserted_at: 'now' },
      expect: {
        status: 400,
        code: ['parameter.unknown', 'parameter.immutable', 'parameter.read_only', 'parameter.too_long'],
      },
    },
    {
      name: 'all faults of a query come at once, one message each',
      request: 'GET /city/unit?limit=-1&offset=x&filter=eq(name&order=;up&count=all&depth=99&load_links=yes',
      expect: {
        status: 400,
        code: [
          'query.bad_value',
          'query.bad_value',
          'query.bad_value',
          'filter.syntax',
          'query.bad_value',
          'query.bad_value',
          'query.bad_value',
        ],
      },
    },
    {
      name: 'names that a query has wrong come at once too',
      request: 'GET /city/unit?order=nope;asc&filter=eq(nmae,x)&include=nmae,also',
      expect: {
        status: 400,
        code: ['parameter.unknown', 'filter.unknown_parameter', 'parameter.unknown', 'parameter.unknown'],
      },
    },
    {
      name: 'a body over the limit is 413',
      request: 'POST /city/unit',
      body: { name: 'x'.repeat(60_000) },
      expect: { status: 413, code: 'body.too_large' },
    },
    {
      name: 'and may be so at any time',
      request: 'POST /city/unit',
      as: 'nobody',
      body: { name: 'x'.repeat(60_000) },
      expect: { status: [401, 413] },
    },
    {
      name: 'units of users have the larger limit',
      request: 'POST /city/unit',
      body: { name: 'x'.repeat(30_000) },
      expect: { status: 400, code: 'parameter.too_long' },
    },
    {
      name: 'and so have their edits',
      request: `PUT /city/unit/${unit}`,
      body: { name: 'x'.repeat(30_000) },
      expect: { status: 400, code: 'parameter.too_long' },
    },
    {
      name: 'definitions have the smaller one',
      request: 'POST /kind/unit',
      as: 'admin',
      body: { label: 'x'.repeat(30_000) },
      expect: { status: 413, code: 'body.too_large' },
    },
    {
      name: 'sign-in has the smaller one',
      request: 'POST /auth/signin',
      as: 'nobody',
      body: { username: 'x'.repeat(30_000) },
      expect: { status: 413, code: 'body.too_large' },
    },
    {
      name: 'a body without a length is measured too',
      request: 'POST /city/unit',
      body: `{"name":"${'x'.repeat(60_000)}"}`,
      headers: { 'transfer-encoding': 'chunked' },
      expect: { status: 413, code: 'body.too_large' },
    },
  ]);
});

describe('the project header', () => {
  scenarios({ admin: project, nobody: anonymous(project) }, [
    {
      name: 'is needed',
      request: 'GET /city/unit',
      headers: { 'kind-project-key': undefined },
      expect: { status: 400, code: 'project.missing', text: 'kind-project-key' },
    },
    {
      name: 'is needed on unknown routes',
      request: 'GET /a/b/c/d',
      headers: { 'kind-project-key': undefined },
      expect: { status: 400, code: 'project.missing' },
    },
    {
      name: 'must not be empty',
      request: 'GET /city/unit',
      headers: { 'kind-project-key': '' },
      expect: { status: 400, code: 'project.missing' },
    },
    {
      name: 'must not be blank',
      request: 'GET /city/unit',
      headers: { 'kind-project-key': '  ' },
      expect: { status: 400, code: 'project.missing' },
    },
    {
      name: 'must name a project',
      request: 'GET /open/unit',
      as: 'nobody',
      headers: { 'kind-project-key': 'nowhere' },
      expect: { status: 401, code: 'project.unknown', notBody: /nowhere/ },
    },
    ...[
      'Constructor',
      'constructor',
      '__proto__',
      "x'; DROP TABLE x; --",
      'a'.repeat(5000),
      '../kind',
      project.id.toUpperCase(),
      `${project.id}, ${project.id}`,
    ].map((key) => ({
      name: `is no place for mischief: ${key.slice(0, 30)}`,
      request: 'GET /city/unit',
      headers: { 'kind-project-key': key },
      expect: { status: 401, code: 'project.unknown' } as const,
    })),
  ]);
});

describe('tokens', () => {
  const { sid } = JSON.parse(Buffer.from(project.token?.split('.')[1] ?? '', 'base64url').toString()) as {
    sid: string;
  };
  const jwt = service.service.app.get(JwtService);
  const secret = service.service.app.get<string>(SECRET);
  const claims = { sub: missing, kind: 'kind_admin', sid, typ: 'access', iss: 'kind', aud: project.id };
  const now = Math.floor(Date.now() / 1000);
  const sign = (changes: object = {}, options: object = {}, key = secret) =>
    jwt.sign({ ...claims, exp: now + 60, ...changes }, { secret: key, algorithm: 'HS256', ...options });
  const unsigned = (header: object, body: object) =>
    `${[header, body].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`;
  const good = sign();
  const [head = '', , signature = ''] = good.split('.');

  it('signed like this are valid, so that the ones below fail for their own reason', async () => {
    await play(project.as(good), { name: '', request: 'GET /closed/unit', expect: { status: 200 } });
  });

  const bad: Record<string, string> = {
    'an empty header': '',
    'another scheme': 'Basic YWRtaW46cGFzc3dvcmQ=',
    'a scheme alone': 'Bearer',
    'a scheme and a space': 'Bearer ',
    'no scheme': good,
    garbage: 'Bearer garbage',
    'three dots': 'Bearer ..',
    'a huge token': `Bearer ${'x'.repeat(7000)}`,
    'another project': `Bearer ${other.token ?? ''}`,
    'a refresh token': `Bearer ${sign({ typ: 'refresh' })}`,
    'a session that is none': `Bearer ${sign({ sid: 's' })}`,
    'a session that has ended': `Bearer ${sign({ sid: missing })}`,
    'another type': `Bearer ${sign({ typ: 'reset' })}`,
    'no type': `Bearer ${sign({ typ: undefined })}`,
    'expired by a second': `Bearer ${sign({ exp: now - 1 })}`,
    'not valid yet': `Bearer ${sign({ nbf: now + 60 })}`,
    'another issuer': `Bearer ${sign({ iss: 'other' })}`,
    'another audience': `Bearer ${sign({ aud: other.id })}`,
    'no audience': `Bearer ${sign({ aud: undefined })}`,
    'another secret': `Bearer ${sign({}, {}, 'another secret, at least thirty-two characters')}`,
    'another algorithm of the same secret': `Bearer ${sign({}, { algorithm: 'HS512' })}`,
    'alg none': `Bearer ${unsigned({ alg: 'none', typ: 'JWT' }, { ...claims, exp: now + 60 })}`,
    'alg None with a signature': `Bearer ${unsigned({ alg: 'None', typ: 'JWT' }, { ...claims, exp: now + 60 })}${signature}`,
    'other claims under a good signature': `Bearer ${head}.${Buffer.from(JSON.stringify({ ...claims, sub: 'x', exp: now + 60 })).toString('base64url')}.${signature}`,
    'a kid that is a path': `Bearer ${sign({}, { header: { alg: 'HS512', kid: '../../../../dev/null' }, algorithm: 'HS512' })}`,
    'two tokens': `Bearer ${good}, Bearer ${good}`,
  };
  for (const path of ['/closed/unit', '/open/unit', `/city/unit/${unit}`, '/nothing/unit']) {
    it.each(Object.entries(bad))(`are refused on ${path}: %s`, async (_, authorization) => {
      await play(project, {
        name: '',
        request: `GET ${path}`,
        headers: { authorization },
        expect: { status: 401, code: 'token.invalid', headers: { 'www-authenticate': /^Bearer/ } },
      });
    });
  }

  it('take the scheme in any case', async () => {
    for (const scheme of ['bearer', 'BEARER']) {
      const reply = await project.get('/city/unit', { headers: { authorization: `${scheme} ${good}` } });
      expect(reply.status).toBe(200);
    }
  });

  it('expire on time, even if they were verified before', async () => {
    const brief = sign({ exp: now + 1 });
    await project.as(brief).get('/city/unit');
    // The clock decides, not the memory of a token.
    while (Date.now() / 1000 <= now + 1) await project.as(brief).get('/city/unit');
    expect((await project.as(brief).get('/city/unit')).status).toBe(401);
  });

  it('of one project are rejected in another, even if both were verified', async () => {
    expect((await project.get('/city/unit')).status).toBe(200);
    const reply = await send(service.service, {
      path: '/api/lib/kind/unit',
      headers: { 'kind-project-key': other.id, authorization: `Bearer ${project.token ?? ''}` },
    });
    expectWellFormed(reply);
    expect(reply.status).toBe(401);
  });
});

describe('public kinds without a token', () => {
  const open = anonymous(project);
  it('serve every operation on units', async () => {
    const made = await open.post('/open/unit', { name: 'Rome' });
    expect(made.status).toBe(200);
    const path = `/open/unit/${made.body.content.id as string}`;
    expect((await open.get(path)).status).toBe(200);
    expect((await open.get('/open/unit?filter=eq(name,Rome)')).body.content.count).toBe(1);
    expect((await open.put(path, { name: 'Oslo' })).body.content.name).toBe('Oslo');
    expect((await open.get('/open/struct')).status).toBe(200);
    expect((await open.get(`${path}/struct`)).status).toBe(200);
    expect(await open.delete(path)).toMatchObject({ status: 200, body: { content: null } });
  });

  it('do not open their definition', async () => {
    for (const path of ['/kind/unit/open', '/kind/unit', '/kind/struct', '/group/unit', '/string/unit/name']) {
      expect((await open.get(path)).status, path).toBe(401);
    }
  });
});
