/** Many links at once in a call: values, rights, refusals, and calls that replace the same links at the same time. */
import { expect, it } from 'vitest';
import { asMember, defineKinds } from '../../support/callers.js';
import { ok, query, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder, sharedServiceWith } from '../../support/functions.js';

const NODE = `
import { kind } from 'kind';
const node = kind('node');
const to = (id, values) => ({ unit: { kind_id: 'node', id }, values });

export default node.module({
  functions: {
    wrong: node.function({ description: 'Mistakes', run: async ({ links }) => {
      const a = { kind_id: 'node', id: 'a' };
      const calls = [[a, 'child', 5], [a, 'child', [a]], [a, 'child', [{ unit: a, values: 1 }]], [a, 'child', [], { replce: true }], [a, 'child', [], { replace: 1 }], ['a', 'child', []]];
      const texts = [];
      for (const call of calls) await links.createAll(...call).catch((error) => texts.push(error.message.replace(/^.*?\\): /, '')));
      return texts;
    } }),
  },
  unitFunctions: {
    link: node.unitFunction({
      description: 'Links a unit with others, with weights, and counts its children',
      parameters: { others: { type: 'string', multiple: true }, weight: { type: 'integer' }, replace: { type: 'boolean' } },
      run: async ({ unit, units, links, parameters: { others, weight, replace } }) => {
        const found = await Promise.all(others.map((id) => units('node').find(id)));
        const given = found.map((each, at) => ({ unit: each ?? { kind_id: 'node', id: others[at] }, values: { weight: weight ?? undefined } }));
        const made = await links.createAll(unit, 'child', given, { type: 'edge', replace: replace ?? undefined });
        const { count } = await links.list(unit, 'child');
        return { made, count };
      },
    }),
    parents: node.unitFunction({ description: 'With the rights of the system', run: async ({ unit, system }) =>
      (await system.links.createAll(unit, 'parent', [to('a'), to('closed')])).length }),
    caught: node.unitFunction({ description: 'Goes on after a refusal', run: async ({ unit, links }) => {
      const refused = await links.createAll(unit, 'child', [to('b'), to('nowhere')]).catch(({ code, status }) => [status, code]);
      return { refused, count: (await links.list(unit, 'child')).count };
    } }),
  },
});
`;

const service = await sharedServiceWith(new FunctionsFolder({ 'node.ts': NODE }));
const admin = await service.project();
const ann = await asMember(admin);
const code = { id: 'code', kind_id: 'string', is_primary: true };
await defineKinds(admin, { id: 'node', parameters: [code], access: { link: 'ne(code,closed)' } });
await ok(admin.post('/link/unit', { id: 'edge', parameters: [{ id: 'weight', kind_id: 'integer' }] }));
const NODES = Array.from({ length: 20 }, (_, n) => `n${n}`);
await ok(
  admin.post(
    '/node/unit',
    ['a', 'b', 'c', 'closed', ...NODES].map((each) => ({ code: each })),
  ),
);
const call = (unit: string, name: string, body: object = {}, caller = admin) =>
  caller.post(`/node/unit/${unit}/function/${name}`, body);

it('creates links and returns their records', async () => {
  const record = (id: string, weight: number) => expect.objectContaining({ parent_id: 'a', child_id: id, weight });
  expect(await ok(call('a', 'link', { others: ['c', 'b'], weight: 3 }))).toEqual({
    made: [record('c', 3), record('b', 3)],
    count: 2,
  });
  expect(await ok(call('a', 'link', { others: ['c', 'closed'], replace: true }))).toMatchObject({
    made: [
      { child_id: 'c', weight: 3 },
      { child_id: 'closed', weight: null },
    ],
    count: 2,
  });
});

it('has the rights of the caller, or of the system', async () => {
  expect(refusalOf(await call('closed', 'link', { others: ['a'] }, ann))).toEqual({
    status: 403,
    messages: ['access.denied'],
  });
  expect(await ok(call('closed', 'parents', {}, ann))).toBe(2);
});

it('is refused as the endpoint would refuse it, and a call can go on', async () => {
  const reply = await call('a', 'link', { others: ['b', 'nowhere', 'b'] });
  expect(reply).toMatchObject({
    status: 400,
    body: {
      messages: [
        { code: 'parameter.duplicate', index: 2 },
        { code: 'parameter.bad_reference', index: 1 },
      ],
    },
  });
  expect(await ok(call('n0', 'caught'))).toEqual({ refused: [400, 'parameter.bad_reference'], count: 0 });
});

it('tells mistakes of the author at the call', async () => {
  expect(await ok(admin.post('/node/function/wrong'))).toEqual([
    'links must be a list, got number',
    'links[0].unit must have a kind_id and an id, both strings; got undefined',
    'links[0].values must be an object, got number',
    "there is no option 'replce'; there are type, replace",
    'options.replace must be true or false, got number',
    'unit must have a kind_id and an id, both strings; got string',
  ]);
});

it('replaces links so that forty calls and requests at once end in one of their sets', async () => {
  const sets = Array.from({ length: 40 }, (_, n) => [NODES[n % 20] ?? '', NODES[(n + 7) % 20] ?? ''].sort());
  const replies = await Promise.all(
    sets.map((others, n) => {
      if (n % 2) return call('b', 'link', { others, replace: true });
      return admin.post('/node/unit/b/link/edge/child', {
        items: others.map((id) => ({ kind_id: 'node', id })),
        replace: true,
      });
    }),
  );
  expect([...new Set(replies.map(({ status }) => status))]).toEqual([200]);
  const rows = await query<{ id: string }>(
    admin,
    `SELECT child_id AS id FROM $schema."_link" WHERE parent_id = 'b' ORDER BY 1`,
  );
  expect(sets).toContainEqual(rows.map(({ id }) => id));
});
