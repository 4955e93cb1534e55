/** Callers who may not read a group see neither its units, kinds and struct, nor whether it exists. */
import { describe, expect, it } from 'vitest';
import { anonymous, asMember, defineKinds, documented } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import { scenarios } from '../../support/scenario.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();

async function projectWhere(access: object | null) {
  const admin = await service.project();
  const member = await asMember(admin);
  await defineKinds(admin, { id: 'open', parameters: [{ id: 'name', kind_id: 'string' }], public: true });
  await ok(admin.post('/group/unit', { id: 'seen', label: 'Seen', kind_list: ['open'] }));
  await ok(admin.post('/group/unit', { id: 'veiled', label: 'Veiled label', kind_list: ['open'] }));
  await ok(admin.put('/kind/unit/group', { access }));
  return documented({ admin, member, nobody: anonymous(admin) });
}

const PARTS = ['unit', 'unit/0190163d-8694-739b-aea5-966c26f8ad91', 'kind', 'struct'];
const hidden = /Veiled label/;

describe('a group of administrators', async () => {
  const callers = await projectWhere({ read: 'admin' });
  scenarios(
    callers,
    PARTS.flatMap((part) => [
      ...['veiled', 'nosuchgroup'].flatMap((group) => [
        {
          name: `its ${part} for a member: ${group}`,
          request: `GET /group/${group}/${part}?bad=1`,
          as: 'member' as const,
          expect: { status: 403, code: 'access.denied' as const, notBody: hidden },
        },
        {
          name: `its ${part} without a token: ${group}`,
          request: `GET /group/${group}/${part}?bad=1`,
          as: 'nobody' as const,
          expect: { status: 401, code: 'token.missing' as const, notBody: hidden },
        },
      ]),
    ]),
  );

  it('is open to administrators only', async () => {
    for (const part of ['unit', 'kind', 'struct']) {
      expect((await callers.admin.get(`/group/veiled/${part}`)).status).toBe(200);
    }
  });
});

describe('a group that a rule hides', async () => {
  const callers = await projectWhere({ read: 'eq(id,seen)' });
  scenarios(
    callers,
    PARTS.flatMap((part) => [
      ...['veiled', 'nosuchgroup'].map((group) => ({
        name: `its ${part} is not there: ${group}`,
        request: `GET /group/${group}/${part}?bad=1`,
        as: 'member' as const,
        expect: { status: 404, code: 'group.unknown' as const, notBody: hidden },
      })),
    ]),
  );

  it('is treated as missing, one that it shows is not', async () => {
    for (const part of ['unit', 'kind', 'struct']) {
      expect((await callers.member.get(`/group/seen/${part}`)).status).toBe(200);
    }
  });
});

describe('a group with default access', async () => {
  const callers = await projectWhere(null);
  scenarios(callers, [
    {
      name: 'the types of parameters',
      request: 'GET /group/parameter/kind',
      as: 'member',
      expect: { status: 200, content: { count: 12 } },
    },
    { name: 'needs a token', request: 'GET /group/parameter/kind', as: 'nobody', expect: { status: 401 } },
  ]);
});
