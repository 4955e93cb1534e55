import { describe, expect, it, vi } from 'vitest';
import { expectRefused, definitionsOf, expectNoDrift, ok, query } from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
await ok(
  project.post('/kind/unit', {
    id: 'city',
    parameters: [
      { id: 'name', kind_id: 'string' },
      { id: 'size', kind_id: 'integer' },
    ],
  }),
);
await ok(
  project.post('/city/unit', [
    { name: 'Rome', size: 1 },
    { name: 'Rome', size: 2 },
    { name: null, size: null },
  ]),
);

interface Row {
  readonly name: string;
  readonly call: readonly ['post' | 'put' | 'delete', string, unknown?];
  readonly status: number;
  readonly messages: readonly string[];
}

const FAILURES: readonly Row[] = [
  {
    name: 'a kind whose last inline parameter is wrong',
    call: [
      'post',
      '/kind/unit',
      {
        id: 'town',
        parameters: [
          { id: 'a', kind_id: 'string' },
          { id: 'b', kind_id: 'string', min_length: 2, max_length: 1 },
        ],
      },
    ],
    status: 400,
    messages: ['parameter.bad_definition parameters'],
  },
  {
    name: 'a kind whose inline parameters are right, with a unique list that is not',
    call: [
      'post',
      '/kind/unit',
      {
        id: 'town',
        parameters: [{ id: 'a', kind_id: 'string', unique: true, indexed: true }],
        unique: [['a', 'nope']],
      },
    ],
    status: 400,
    messages: ['kind.bad_definition unique'],
  },
  {
    name: 'a kind whose reference leads nowhere, found after the parameters were written',
    call: [
      'post',
      '/kind/unit',
      {
        id: 'town',
        parameters: [
          { id: 'a', kind_id: 'string' },
          { id: 'r', kind_id: 'unit', reference_kind: 'nowhere' },
        ],
      },
    ],
    status: 400,
    messages: ['parameter.bad_reference parameters'],
  },
  {
    name: 'an edit that adds a parameter and a uniqueness which stored units violate',
    call: [
      'put',
      '/kind/unit/city',
      { parameters: ['name', 'size', { id: 'mayor', kind_id: 'string', indexed: true }], unique: [['name']] },
    ],
    status: 409,
    messages: ['parameter.violated unique'],
  },
  {
    name: 'an edit that adds one column and takes another that has values',
    call: ['put', '/kind/unit/city', { parameters: ['name', { id: 'mayor', kind_id: 'string' }] }],
    status: 409,
    messages: ['parameter.has_values size'],
  },
  {
    name: 'a uniqueness that stored units violate',
    call: ['put', '/string/unit/name', { label: 'Title', unique: true }],
    status: 409,
    messages: ['parameter.violated name'],
  },
  {
    name: 'a deletion of a parameter in use',
    call: ['delete', '/string/unit/name'],
    status: 409,
    messages: ['parameter.in_use'],
  },
  {
    name: 'a deletion of a kind with units',
    call: ['delete', '/kind/unit/city'],
    status: 409,
    messages: ['kind.has_units'],
  },
];

describe('a failed definition leaves nothing behind', () => {
  it.each(FAILURES)('$name', async ({ call: [method, path, body], ...refusal }) => {
    await expectRefused(project, () => project.call(method.toUpperCase(), path, body), refusal);
    await expectNoDrift(project);
  });

  it('when PostgreSQL fails in the middle of the steps', async () => {
    const before = await definitionsOf(project);
    // Something of another hand stands where the second index wants to be: the first step has run by then.
    await query(project, 'CREATE TABLE $schema."blocked" ("x" int)');
    const reply = await project.post('/kind/unit', {
      id: 'blocked',
      parameters: [{ id: 'z', kind_id: 'string', indexed: true }],
    });
    expect(reply.status).toBe(500);
    expect(reply.text).not.toMatch(/CREATE|relation|blocked/);
    await query(project, 'DROP TABLE $schema."blocked"');
    expect(await definitionsOf(project)).toEqual(before);
    await ok(
      project.post('/kind/unit', { id: 'blocked', parameters: [{ id: 'z', kind_id: 'string', indexed: true }] }),
    );
  });

  it('when the connection is lost before the commit', async () => {
    const before = await definitionsOf(project);
    const { database } = service.service;
    const transaction = database.transaction.bind(database);
    const cut = vi.spyOn(database, 'transaction').mockImplementation((work, options) =>
      transaction(async (tx) => {
        const result = await work(tx);
        await tx.run({ text: 'SELECT pg_terminate_backend(pg_backend_pid())', values: [] }).catch(() => undefined);
        return result;
      }, options),
    );
    const reply = await project.post('/kind/unit', { id: 'lost', parameters: [{ id: 'l', kind_id: 'string' }] });
    cut.mockRestore();
    expect(reply.status).toBe(503);
    expect(await definitionsOf(project)).toEqual(before);
    await ok(project.post('/kind/unit', { id: 'lost', parameters: [{ id: 'l', kind_id: 'string' }] }));
  });

  it('only committed changes are announced', async () => {
    const { version } = await definitionsOf(project);
    await project.post('/kind/unit', { id: 'Bad Id' });
    expect((await definitionsOf(project)).version).toBe(version);
    await ok(project.post('/kind/unit', { id: 'good_id' }));
    expect((await definitionsOf(project)).version).toBe(version + 1);
  });
});
