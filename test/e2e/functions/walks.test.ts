/** Walks inside a call: in a project of many kinds too they see what the call itself linked. */
import { expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import { FunctionsFolder, sharedServiceWith } from '../../support/functions.js';

const KIND1 = `
import { kind } from 'kind';
const one = kind('kind1');

export default one.module({
  functions: {
    first: one.function({ description: 'Makes the first links of two kinds, and follows them', run: async ({ units, links }) => {
      const a = await units('kind1').create({ n: 1 });
      const b = await units('kind2').create({ n: 2 });
      await links.create(a, b);
      const { count, items } = await links.list(a, 'child', { depth: 1 });
      return { count, items: items.map(({ n }) => n) };
    } }),
    pages: one.function({ description: 'Pages through linked units', run: async ({ units, links }) => {
      const [start, ...others] = await units('kind1').createAll([1, 2, 3, 4].map((n) => ({ n })));
      await links.createAll(start, 'child', others.map((unit) => ({ unit })));
      const pages = [];
      for (let cursor = ''; cursor !== null; ) {
        const { count, items, next } = await links.list(start, 'child', { cursor, limit: 2, order: '-n' });
        pages.push([count, ...items.map(({ n }) => n)]);
        cursor = next;
      }
      return { pages, plain: Object.keys(await links.list(start, 'child')) };
    } }),
    path: one.function({ description: 'Shortest paths', run: async ({ units, links }) => {
      const [a, b, c, d] = await units('kind1').createAll([1, 2, 3, 4].map((n) => ({ n })));
      await links.create(a, b);
      await links.create(b, c);
      const shown = async (...call) => (await links.path(...call))?.map(({ n, secret, link }) => [n, secret, link.depth]) ?? null;
      const refusals = [];
      for (const to of [{ kind_id: 'kind1', id: 'no' }, { kind_id: 'nope', id: 'x' }, 'x']) {
        await links.path(a, to).catch((error) => refusals.push(error.code ?? error.name));
      }
      return {
        found: await shown(a, c),
        whole: await links.path(a, b, { include: ['n'] }),
        back: await shown(c, a, { direction: 'parent' }),
        far: await shown(a, c, { depth: 0 }),
        none: await shown(a, d),
        self: await shown(a, a),
        refusals,
      };
    } }),
  },
});
`;

const service = await sharedServiceWith(new FunctionsFolder({ 'kind1.ts': KIND1 }));
const project = await service.project();
await ok(project.post('/integer/unit', { id: 'n' }));
await ok(project.post('/string/unit', { id: 'secret', default_string: 's', hidden: true }));
await defineKinds(
  project,
  ...Array.from({ length: 14 }, (_, at) => ({ id: `kind${at}`, parameters: at === 1 ? ['n', 'secret'] : ['n'] })),
);

it('the first link of a kind is followed in the call that made it', async () => {
  expect(await ok(project.post('/kind1/function/first'))).toEqual({ count: 1, items: [2] });
});

it('linked units are read page by page', async () => {
  expect(await ok(project.post('/kind1/function/pages'))).toEqual({
    pages: [
      [3, 4, 3],
      [3, 2],
    ],
    plain: ['count', 'items'],
  });
});

it('a shortest path has hidden parameters, which no answer contains; it is null if there is none', async () => {
  expect(await ok(project.post('/kind1/function/path'))).toMatchObject({
    found: [
      [2, 's', 0],
      [3, 's', 1],
    ],
    back: [
      [2, 's', 0],
      [1, 's', 1],
    ],
    far: null,
    none: null,
    self: [],
    refusals: ['unit.unknown', 'kind.unknown', 'TypeError'],
  });
  const { whole } = (await ok(project.post('/kind1/function/path'))) as { whole: [object] };
  expect(Object.keys(whole[0])).toEqual(['n', 'link']);
});
