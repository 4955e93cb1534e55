/** Lists are parsed once and planned for their values each time; a get by id has one plan. */
import { describe, expect, it } from 'vitest';
import { GenericPlans } from '../../../src/unit/table/read/generic-plans.js';
import { defineKinds } from '../../support/callers.js';
import { startTestService } from '../../support/service.js';

const service = await startTestService({ databasePool: 1 });
const project = await service.project();
await defineKinds(project, {
  id: 'note',
  label: 'Note',
  parameters: [{ id: 'place', kind_id: 'string', indexed: true }],
});
const made = await project.post('/note/unit', { place: 'Oslo' });

interface Prepared {
  readonly statement: string;
  readonly generic_plans: number;
  readonly custom_plans: number;
}

/** What PostgreSQL keeps, on the one connection of this service, of the statements that have a text. */
async function prepared(text: string): Promise<Prepared[]> {
  const rows = await service.service.database.run<Prepared>({
    text: 'SELECT statement, generic_plans::int, custom_plans::int FROM pg_prepared_statements',
    values: [],
  });
  return rows.filter(({ statement }) => statement.includes(text));
}

describe('the plan of', () => {
  it('a filtered list is planned for its values each time', async () => {
    for (let at = 0; at < 12; at += 1) {
      const found = await project.get(`/note/unit?filter=eq(place,${at % 2 ? 'Oslo' : 'Rome'})`);
      expect(found.body.content).toMatchObject({ count: at % 2 });
    }
    expect(await prepared('WITH _page')).toMatchObject([{ generic_plans: 0, custom_plans: 11 }]);
  });

  it('a repeated list is made once, as long as it is the one for its values', async () => {
    await defineKinds(project, {
      id: 'visit',
      parameters: ['place', { id: 'rank', kind_id: 'integer', indexed: true }],
    });
    const { database, app } = service.service;
    const places = Array.from({ length: 1000 }, (_, at) => (at < 4 ? 'rare' : `common${at % 4}`));
    for (let at = 0; at < 5; at += 1)
      await project.post(
        '/visit/unit',
        places.map((place, rank) => ({ place, rank })),
      );
    await database.run({ text: `ANALYZE "project_${project.id}"."visit"`, values: [] });
    const generic = async () => {
      const found = await prepared('CASE WHEN $2::boolean');
      return found.filter(({ statement }) => statement.includes('"visit"')).map((each) => each.generic_plans);
    };
    const plans = app.get(GenericPlans);
    const repeat = async (place: string, times: number) => {
      for (let at = 0; at < times; at += 1) {
        const found = await project.get(`/visit/unit?filter=eq(place,${place})&order=rank&limit=10&count=none`);
        expect(found.body.content['items']).toHaveLength(10);
        await plans.settled();
      }
    };
    await repeat('rare', 30);
    expect(await generic()).toEqual([]);
    for (let round = 0; round < 50 && (await generic()).length === 0; round += 1) await repeat('common1', 10);
    await repeat('common1', 10);
    const [used = 0] = await generic();
    expect(used).toBeGreaterThan(0);
    await repeat('rare', 10);
    expect(await generic()).toEqual([used]);
  });

  it('an unfiltered list and a get are planned once, after a few custom plans', async () => {
    const { id } = made.body.content as { id: string };
    for (let at = 0; at < 12; at += 1) {
      await project.get('/note/unit');
      await project.get(`/note/unit/${id}`);
    }
    const ofNotes = [...(await prepared('WHERE true ORDER BY')), ...(await prepared('CROSS JOIN LATERAL'))];
    expect(
      ofNotes.filter(({ statement }) => statement.includes('."note"')).map((each) => each.generic_plans > 0),
    ).toEqual([true, true]);
  });
});
