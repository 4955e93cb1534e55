/** `@now` in filters and rules: times relative to PostgreSQL's. */
import { describe, expect, it } from 'vitest';
import { asMember, defineKinds } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
const ann = await asMember(project);
await defineKinds(project, {
  id: 'event',
  access: { read: 'or(eq(owner,@member.id),gt(starts,@now))', update: 'gt(starts,@now-2h)', create: 'member' },
  parameters: [
    { id: 'label', kind_id: 'string' },
    { id: 'owner', kind_id: 'unit', reference_kind: 'person' },
    { id: 'starts', kind_id: 'datetime' },
    { id: 'day', kind_id: 'date' },
    { id: 'days', kind_id: 'date', multiple: true },
  ],
});
const HOUR = 3_600_000;
const at = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString();
const day = (hours: number) => at(hours).slice(0, 10);
await ok(
  project.post('/event/unit', [
    { label: 'past', starts: at(-240), day: day(-240), days: [day(-240), day(0)] },
    { label: 'recent', starts: at(-1), day: day(0) },
    { label: 'soon', starts: at(1), day: day(24) },
    { label: '@now', starts: at(240), day: day(240) },
  ]),
);
interface Labelled {
  readonly items: readonly { readonly label: string }[];
}
const labels = async (filter: string, as = project) =>
  (
    (await ok(as.get(`/event/unit?include=label&order=starts&filter=${encodeURIComponent(filter)}`))) as Labelled
  ).items.map(({ label }) => label);

describe('a filter', () => {
  it.each([
    ['lt(starts,@now)', ['past', 'recent']],
    ['gt(starts,@now)', ['soon', '@now']],
    ['and(gte(starts,@now-2h),lte(starts,@now+90m))', ['recent', 'soon']],
    ['gt(starts,"@now-7d")', ['recent', 'soon', '@now']],
    ['eq(day,@now)', ['recent']],
    ['ne(day,@now)', ['past', 'soon', '@now']],
    ['in(day,@now,@now+1d)', ['recent', 'soon']],
    ['in(day,[@now-10d,2020-01-01])', ['past']],
    ['contains(days,@now)', ['past']],
    ['in(days,@now,2020-01-01)', ['past']],
    ['eq(days,[@now-10d,@now])', ['past']],
    ['eq(label,@now)', ['@now']],
    ['not(gt(starts,@now-36525d))', []],
  ])('%s', async (filter, found) => {
    expect(await labels(filter)).toEqual(found);
  });

  it('may have a + that was not encoded', async () => {
    const { items } = await ok(project.get('/event/unit?filter=gt(starts,@now+100h)&include=label'));
    expect(items).toEqual([{ label: '@now' }]);
  });

  it.each(['@now-1y', '@now-', '@now7d', '@now-1.5h', '@now-36526d', '@now-99999999d', '@nowhere', '@member.id'])(
    'refuses %s, and says what is right',
    async (value) => {
      const refused = await project.get(`/event/unit?filter=gt(starts,${value})`);
      expect(refused).toMatchObject({ status: 400, body: { messages: [{ code: 'filter.bad_value' }] } });
      expect(refused.body.messages[0]?.text).toContain('@now-7d');
    },
  );
});

describe('a rule', () => {
  it('sees the time at which it is judged', async () => {
    expect(await labels('all()', ann)).toEqual(['soon', '@now']);
    expect((await ok(ann.post('/event/unit', { label: 'mine', starts: at(1) }))).label).toBe('mine');
  });

  it.each(['gt(starts,@now-1y)', 'gt(starts,@nowhere)', 'eq(label,@nowhere)'])(
    '%s is refused when stored',
    async (read) => {
      const refused = await project.put('/kind/unit/event', { access: { read } });
      expect(refused.status).toBe(400);
      expect(refused.body.messages[0]?.text).toContain('at character');
    },
  );
});
