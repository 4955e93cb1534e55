/** Walks inside a call: in a project of many kinds too they see what the call itself linked. */
import { expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import { FunctionsFolder } from '../../support/functions.js';
import { startTestService } from '../../support/service.js';

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
  },
});
`;

const service = await startTestService({ functionsDir: new FunctionsFolder({ 'kind1.ts': KIND1 }).path });
const project = await service.project();
await ok(project.post('/integer/unit', { id: 'n' }));
await defineKinds(project, ...Array.from({ length: 14 }, (_, at) => ({ id: `kind${at}`, parameters: ['n'] })));

it('the first link of a kind is followed in the call that made it', async () => {
  expect(await ok(project.post('/kind1/function/first'))).toEqual({ count: 1, items: [2] });
});
