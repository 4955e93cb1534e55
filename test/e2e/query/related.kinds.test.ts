/** How many kinds the functions over linked units of one query may test without naming them. */
import { expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { sharedService } from '../../support/service.js';
import { LIMITS } from '../../../src/shared/limits.js';

const KINDS = 120;
const service = await sharedService();
const project = await service.project();
const name = { id: 'name', kind_id: 'string' };
await defineKinds(project, { id: 'k0', parameters: [name] });
const ids = Array.from({ length: KINDS - 1 }, (_, at) => `k${at + 1}`);
for (const id of ids) await defineKinds(project, { id, parameters: ['name'] });

const any = 'linked(link,child,eq(name,x))';
const list = (filter: string, more = '') => project.get(`/k0/unit?filter=${filter}${more}`);
const AT = /linked units of more than 500 kinds would be tested: name the kinds, at character (\d+)$/;

it('refuses the function that reaches the limit, at its place', async () => {
  const allowed = Math.floor(LIMITS.relatedKinds / KINDS);
  const filter = `and(${Array.from({ length: allowed + 1 }, () => any).join()})`;
  const { status, body } = await list(filter);
  expect([status, body.messages[0]?.code]).toEqual([400, 'filter.too_large']);
  const [, at] = AT.exec(body.messages[0]?.text ?? '') ?? [];
  expect(filter.slice(Number(at) - 1)).toBe(`${any.slice(7)})`);
});

it('adds up those of the filter, of the order and of `include`, and those inside others', async () => {
  const count = 'count_linked(link,child,eq(name,x))';
  const codes = async (reply: ReturnType<typeof list>) => (await reply).body.messages.map(({ code }) => code);
  expect(await codes(list(`and(${any},${any})`, `&order=${count}&include=a:${count},b:${count}`))).toEqual([
    'filter.too_large',
  ]);
  const inside = `linked(link,child,linked(link,child,${any}))`;
  expect(await codes(list(inside, '&limit=1'))).toEqual(['filter.too_large']);
});

it('does not count kinds that are named, or that need no test', async () => {
  const all = [
    ...Array.from({ length: 8 }, () => 'linked(link,child,[k0,k1],eq(name,x))'),
    ...Array.from({ length: 8 }, () => 'linked(link,child)'),
  ];
  expect((await list(`and(${all.join()})`)).status).toBe(200);
});
