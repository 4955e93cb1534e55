/** The size of rules is limited when they are stored. Larger ones from before the limit match no unit, and do no other harm. */
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../src/shared/limits.js';
import { asMember } from '../../support/callers.js';
import { ok, query, refusalOf } from '../../support/definitions.js';
import { alternatives, defineFarKinds, farWays, shareOf } from '../../support/far-kinds.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
const member = await asMember(project);
await defineFarKinds(project);
const OPERATIONS = ['read', 'create', 'update', 'delete', 'link', 'function'];
const ownText = 'eq(name,@member.p_text)';
const { items } = (await ok(project.get('/a/unit'))) as { items: { id: string; name: string }[] };
const [unit, other] = [items[0]?.id ?? '', items[1]?.id ?? ''];
const { items: people } = (await ok(project.get('/person/unit'))) as { items: { id: string }[] };
const me = people[0]?.id ?? '';
await ok(project.put(`/person/unit/${me}`, { p_text: 'n0', p_num: 0 }));

const define = (read: unknown) => project.put('/kind/unit/a', { access: { read } });
/** Rules of so many tests, over so many references. */
function rules(tests: number, lookups: number): string[] {
  const ways = farWays(lookups);
  return alternatives(
    tests,
    (at) => (lookups > 0 ? `ne(${shareOf(ways, at)}.name,x${at})` : `ne(name,x${at})`),
    (at) => `ne(n,${at + 1000})`,
  );
}

describe('rules of one operation', () => {
  it('have a limited number of tests, all together', async () => {
    await ok(define(rules(LIMITS.ruleTests, 0)));
    const refused = await define([...rules(LIMITS.ruleTests, 0), 'isnull(name)']);
    expect(refusalOf(refused)).toEqual({ status: 400, messages: ['filter.too_large access'] });
    expect(refused.body.messages[0]?.text).toBe('access.read: the rules have 251 tests; 250 is the most');
  });

  it('look up a limited number of referenced units, each path once', async () => {
    await ok(define(rules(LIMITS.ruleTests, LIMITS.ruleLookups)));
    const refused = await define(rules(60, LIMITS.ruleLookups + 1));
    expect(refusalOf(refused)).toEqual({ status: 400, messages: ['filter.too_large access'] });
    expect(refused.body.messages[0]?.text).toBe(
      'access.read: the rules look up 21 units over references, or as the member, the same way counted once; 20 is the most',
    );
  });

  it('count each use of a value of the member', async () => {
    const list = Array.from({ length: LIMITS.ruleTests + 1 }, () => '@member.p_text');
    const refused = await define(`in(name,[${list.join()}])`);
    expect(refusalOf(refused)).toEqual({ status: 400, messages: ['filter.too_large access'] });
  });

  it.each([
    ['over references', rules(LIMITS.ruleTests, LIMITS.ruleLookups)],
    [
      'with values of the member',
      alternatives(
        LIMITS.ruleTests,
        () => ownText,
        () => 'get(n,@member.p_num)',
      ),
    ],
    [
      'with both',
      alternatives(
        LIMITS.ruleTests,
        (at) => `ne(${shareOf(farWays(20), at)}.name,@member.p_text)`,
        () => 'get(n,@member.p_num)',
      ),
    ],
  ])('can be used for everything, as large as they may be: %s', async (_, all) => {
    const access = Object.fromEntries(OPERATIONS.map((operation) => [operation, all]));
    await ok(project.put('/kind/unit/a', { access }));
    expect(await ok(member.get('/a/unit?limit=1'))).toMatchObject({ items: [{ id: unit }] });
    expect(await ok(member.get(`/a/unit/${unit}`))).toMatchObject({ id: unit });
    expect(await ok(member.put(`/a/unit/${unit}`, { n: 0, name: 'n0' }))).toMatchObject({ id: unit });
    const bodies = [7, 8].map((n) => ({ n, name: 'n0' }));
    const made = (await ok(member.post('/a/unit', bodies))) as { items: { id: string }[] };
    expect(made).toMatchObject({ count: 2, items: bodies });
    const ids = made.items.map((each) => each.id);
    const [id = ''] = ids;
    await ok(member.post(`/a/unit/${unit}/link/link/a/unit/${id}`));
    expect(await ok(member.get(`/a/unit/${unit}/link/child?depth=3`))).toMatchObject({ items: [{ id }] });
    expect(await ok(project.get(`/a/unit/${unit}/access?member=${me}`))).toMatchObject({
      operations: Object.fromEntries(OPERATIONS.map((operation) => [operation, { allowed: true }])),
    });
    for (const each of ids) await ok(member.delete(`/a/unit/${each}`));
  });
});

describe('larger rules', async () => {
  const tooMany = rules(LIMITS.ruleTests, 0).concat(ownText);
  const access = Object.fromEntries(OPERATIONS.map((operation) => [operation, tooMany]));
  await ok(project.put('/kind/unit/a', { access: {} }));
  await ok(project.post('/group/unit', { id: 'both', kind_list: ['a', 'b'] }));
  await ok(project.post(`/b/unit/${await first('b')}/link/link/a/unit/${unit}`));
  const of = await first('b');
  await ok(project.put(`/b/unit/${of}`, { to_a: unit }));
  const keep = async () => {
    await query(project, 'UPDATE $schema."kind" SET "access" = $1 WHERE "id" = $2', [JSON.stringify(access), 'a']);
    await query(project, 'UPDATE $schema."_model" SET "version" = "version" + 1');
  };

  async function first(kind: string): Promise<string> {
    const {
      items: [found],
    } = (await ok(project.get(`/${kind}/unit?limit=1`))) as { items: { id: string }[] };
    return found?.id ?? '';
  }

  it('rules stored before the limit existed admit only administrators, and explain why', async () => {
    await keep();
    const denied = { status: 403, messages: ['access.denied'] };
    const list = await member.get('/a/unit');
    expect(refusalOf(list)).toEqual(denied);
    expect(list.body.messages[0]?.text).toBe(
      "You may not read units of 'a': its rules are more than is allowed, and have to be made shorter",
    );
    expect(refusalOf(await member.get(`/a/unit/${unit}`))).toEqual(denied);
    expect(refusalOf(await member.post('/a/unit', { n: 1 }))).toEqual(denied);
    expect(refusalOf(await member.put(`/a/unit/${unit}`, { n: 1 }))).toEqual(denied);
    expect(refusalOf(await member.delete(`/a/unit/${unit}`))).toEqual(denied);
    expect(refusalOf(await member.post(`/a/unit/${unit}/link/link/a/unit/${other}`))).toEqual(denied);
    for (const asked of ['filter=isnull(to_a.name)', 'include=to_a.name', 'order=to_a.name;asc']) {
      const refused = await member.get(`/b/unit?${asked}`);
      expect(refused).toMatchObject({ status: 403, body: { messages: [{ code: 'access.denied' }] } });
    }
  });

  it('hide the units everywhere else', async () => {
    expect(await ok(member.get('/group/both/unit?limit=0'))).toMatchObject({ count: 20 });
    expect(await ok(project.get('/group/both/unit?limit=0'))).toMatchObject({ count: 40 });
    expect(await ok(member.get(`/b/unit/${of}/link/child`))).toMatchObject({ count: 0 });
    expect(await ok(member.get(`/b/unit/${of}?load_links=true&include=links`))).toMatchObject({ links: { child: [] } });
  });

  it('do not restrict administrators, who are informed and can shorten them', async () => {
    expect(await ok(project.get('/a/unit?limit=0'))).toMatchObject({ count: 20 });
    const { operations } = (await ok(project.get(`/a/unit/${unit}/access?member=${me}`))) as {
      operations: Record<string, object>;
    };
    expect(operations['read']).toMatchObject({
      allowed: false,
      because: 'the rules are more than is allowed, and let nobody in',
    });
    await ok(project.put('/kind/unit/a', { access: { read: ownText } }));
    expect(await ok(member.get('/a/unit'))).toMatchObject({ count: 1 });
  });
});

describe('a query', () => {
  const text = (count: number) => farWays(count).map((way) => `isnull(${way}.name)`);

  it('looks up a limited number of referenced units, each path once', async () => {
    const most = LIMITS.queryLookups;
    await ok(project.put('/kind/unit/a', { access: {} }));
    await ok(project.get(`/a/unit?filter=and(${text(most).join()})&order=${farWays(most)[0]}.n;asc&include=to_b.name`));
    const told = `filter, order and include look up ${most + 1} units over references, the same way counted once; ${most} is the most`;
    const last = farWays(most + 1).at(-1) ?? '';
    const filter = `filter=and(${text(most).join()})`;
    for (const path of [
      `/a/unit?filter=and(${text(most + 1).join()})`,
      `/a/unit?${filter}&order=${last}.n;asc`,
      `/a/unit?${filter}&include=${last}.n`,
      `/a/unit?${filter}&order=count_related(b.to_a,isnull(to_c.name))`,
      `/a/unit?${filter}&include=found:count_related(b.to_a,isnull(to_c.name))`,
      `/a/unit?${filter}&include=found:related(b.to_a,order=to_c.name)`,
      `/group/both/unit?${filter}&include=${last}.n`,
      `/a/unit/${unit}/link/child?${filter}&include=${last}.n`,
    ]) {
      const refused = await project.get(path);
      expect({ path, ...refusalOf(refused) }).toEqual({ path, status: 400, messages: ['query.too_large'] });
      expect(refused.body.messages[0]?.text).toBe(told);
    }
  });

  it('is rejected if the rules of the kinds on its path make it too large', async () => {
    for (const kind of farWays(7)) {
      await ok(project.put(`/kind/unit/${kind.slice(3)}`, { access: { read: rules(100, LIMITS.ruleLookups) } }));
    }
    const filter = (count: number) => `/a/unit?filter=or(${text(count).join()})`;
    await ok(member.get(filter(1)));
    const refused = await member.get(filter(20));
    expect(refusalOf(refused)).toEqual({ status: 400, messages: ['query.too_large'] });
    expect(refused.body.messages[0]?.text).toMatch(
      /^This would take a statement of [\d,]+ points, and 2,000 is the most/,
    );
    await ok(project.get(filter(20)));
  });
});
