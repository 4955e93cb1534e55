/** `all()` matches every unit, wherever a filter is taken. */
import { describe, expect, it } from 'vitest';
import { asMember, defineKinds } from '../../support/callers.js';
import { createdId, ok, refusalOf } from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const admin = await service.project();
await defineKinds(
  admin,
  { id: 'country', parameters: [{ id: 'name', kind_id: 'string' }] },
  { id: 'city', parameters: ['name', { id: 'country', kind_id: 'unit', reference_kind: 'country' }] },
  { id: 'own', parameters: ['name'], access: { read: 'all()', update: 'not(all())' } },
);
const member = await asMember(admin);
await ok(admin.post('/group/unit', { id: 'places', kind_list: ['country', 'city'] }));
const italy = await createdId(admin.post('/country/unit', { name: 'Italy' }));
await createdId(admin.post('/country/unit', {}));
const rome = await createdId(admin.post('/city/unit', { name: 'Rome', country: italy }));
const own = await createdId(admin.post('/own/unit', { name: 'x' }));
await ok(admin.post(`/city/unit/${rome}/link/link/country/unit/${italy}`));

describe('all()', () => {
  it.each([
    ['/country/unit?filter=all()', 2],
    ['/country/unit?filter=%20all%20(%20)%20', 2],
    ['/country/unit?limit=1&filter=all()', 2],
    ['/country/unit?filter=not(all())', 0],
    ['/country/unit?filter=and(all(),eq(name,Italy))', 1],
    ['/country/unit?filter=or(eq(name,Italy),all())', 2],
    ['/country/unit?filter=exists(city.country,all())', 1],
    ['/country/unit?filter=linked(link,parent,city,all())', 1],
    ['/group/places/unit?filter=all()', 3],
    ['/country/aggregate?select=count()&filter=all()', 1],
    ['/country/aggregate?group=name&select=count()&having=all()', 2],
    [`/city/unit/${rome}/link/child?filter=all()`, 1],
    ['/kind/unit?filter=and(all(),eq(id,city))', 1],
    ['/country/struct?filter=all()', 1],
  ])('%s', async (path, count) => {
    const content = (await ok(admin.get(path))) as { count: number };
    expect(path.includes('struct') ? content.count > 0 : content.count === count).toBe(true);
  });

  it('is a rule', async () => {
    expect((await ok(member.get('/own/unit'))) as object).toMatchObject({ count: 1 });
    expect(refusalOf(await member.put(`/own/unit/${own}`, { name: 'y' }))).toEqual({
      status: 403,
      messages: ['access.denied'],
    });
  });

  it.each([
    ['all', 'filter.syntax'],
    ['all(name)', 'filter.syntax'],
    ['all(name,x)', 'filter.syntax'],
    ['ALL()', 'filter.unknown_operator'],
  ])('is not %s', async (filter, code) => {
    expect(refusalOf(await admin.get(`/country/unit?filter=${filter}`))).toEqual({ status: 400, messages: [code] });
  });

  it('counts as a test', async () => {
    const many = (count: number) => `and(${Array(count).fill('all()').join(',')})`;
    expect((await admin.get(`/country/unit?filter=${many(200)}`)).status).toBe(200);
    expect(refusalOf(await admin.get(`/country/unit?filter=${many(201)}`))).toEqual({
      status: 400,
      messages: ['filter.too_large'],
    });
  });
});
