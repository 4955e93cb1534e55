/** What a plan of a model file says of the units that are stored, and what an apply does with them. */
import { afterAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../../src/shared/limits.js';
import { expectNoDrift, ok } from '../../support/definitions.js';
import { applyModel, dumpModel, planModel } from '../../support/model-files.js';
import { sharedService, type TestProject } from '../../support/service.js';

const service = await sharedService();
const { rewrittenUnits } = LIMITS;
afterAll(() => void Object.assign(LIMITS, { rewrittenUnits }));

const withTitle = (title: string, more = '') => `kinds:
  article:
    changes: history${more}
    parameters:
      title: { type: string, own: true${title} }
`;

async function withArticles(...titles: (string | null)[]): Promise<{ project: TestProject; ids: string[] }> {
  const project = await service.project();
  await applyModel(project, withTitle(''));
  const ids: string[] = [];
  for (const title of titles) ids.push(((await ok(project.post('/article/unit', { title }))) as { id: string }).id);
  return { project, ids };
}

describe('a plan', () => {
  it('names the units that contradict it, and goes on with the rest', async () => {
    const { project, ids } = await withArticles('a', 'a', null, 'long');
    const before = await dumpModel(project);
    const refused = async (title: string, more?: string) => (await planModel(project, withTitle(title, more))).steps;
    const edit = { change: 'edit', name: 'article.title' };
    expect(await refused(', nullable: false')).toEqual([
      { ...edit, fields: ['nullable'], refused: { number: 1, ids: [ids[2]] } },
    ]);
    expect(await refused(', unique: true, max_length: 3')).toEqual([
      {
        ...edit,
        fields: ['max_length', 'unique'],
        refused: { number: 3, ids: expect.arrayContaining(ids.slice(0, 2)) as string[] },
      },
    ]);
    expect(await refused(', pattern: "[a-z]{4}"')).toEqual([
      { ...edit, fields: ['pattern'], refused: { number: 2, ids: [] } },
    ]);
    expect(await refused('', '\n    checks: [{ id: short, filter: "ne(title,long)", text: No. }]')).toEqual([
      { change: 'edit', name: 'article', fields: ['checks'], refused: { number: 1, ids: [ids[3]] } },
    ]);
    expect(await refused(', nullable: false }\n      more: { type: integer')).toEqual([
      { change: 'add', name: 'parameters.more' },
      expect.objectContaining({ name: 'article.title', refused: { number: 1, ids: [ids[2]] } }),
      { change: 'add', name: 'article.more' },
    ]);
    expect(await dumpModel(project)).toBe(before);
    await expectNoDrift(project);
    await expect(applyModel(project, withTitle(', nullable: false'))).rejects.toMatchObject({
      code: 'parameter.violated',
    });
  });

  it('leaves tables of many units as they are, and says so', async () => {
    const { project, ids } = await withArticles('a', null, null);
    Object.assign(LIMITS, { rewrittenUnits: 2 });
    try {
      const { steps } = await planModel(project, withTitle(', nullable: false'));
      expect(steps).toEqual([{ change: 'edit', name: 'article.title', fields: ['nullable'], estimated: true }]);
      const dropped = await planModel(project, 'kinds: { page: {} }\n');
      expect(dropped.steps).toContainEqual({
        change: 'drop',
        name: 'article',
        loses: expect.any(Number) as number,
        estimated: true,
      });
    } finally {
      Object.assign(LIMITS, { rewrittenUnits });
    }
    expect(await ok(project.get('/article/unit?include=id'))).toMatchObject({ count: ids.length });
  });

  it('holds no lock on tables once it is judged', async () => {
    const { project } = await withArticles('a');
    const [plan, written] = await Promise.all([
      planModel(project, withTitle(', unique: true')),
      project.post('/article/unit', { title: 'b' }),
    ]);
    expect(plan.steps).toHaveLength(1);
    expect(written.status).toBe(200);
  });
});

describe('fill', () => {
  it('is the value of units that have none, recorded as any edit of theirs', async () => {
    const { project, ids } = await withArticles('a', null, null);
    const text = withTitle(
      ', nullable: false, fill: none, max_length: 5 }\n      rank: { type: integer, own: true, nullable: false, fill: 3',
    );
    const { steps } = await planModel(project, text);
    expect(steps).toContainEqual(expect.objectContaining({ name: 'article.title', units: 2 }));
    expect(steps).toContainEqual({ change: 'add', name: 'article.rank', units: 3 });
    await applyModel(project, text);
    await expectNoDrift(project);
    expect(await ok(project.get('/article/unit?order=title&include=title,rank'))).toMatchObject({
      items: [
        { title: 'a', rank: 3 },
        { title: 'none', rank: 3 },
        { title: 'none', rank: 3 },
      ],
    });
    expect(await ok(project.get(`/article/unit/${ids[1] ?? ''}/history`))).toMatchObject({
      items: [{ changes: { rank: [null, 3] } }, { changes: { title: [null, 'none'] } }, { operation: 'create' }],
    });
    expect((await planModel(project, text)).steps).toEqual([]);
    expect(await project.post('/article/unit', { title: null, rank: 1 })).toMatchObject({ status: 400 });
  });

  it('is a value that the parameter may have', async () => {
    const { project } = await withArticles(null);
    await expect(planModel(project, withTitle(', nullable: false, fill: [a]'))).rejects.toThrow(
      /line 7: kinds\.article\.parameters\.title\.fill must be a string/,
    );
    await expect(planModel(project, withTitle(', nullable: false, max_length: 2, fill: long'))).rejects.toThrow(
      /title\.fill at most 2 characters/,
    );
  });
});
