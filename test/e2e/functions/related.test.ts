/** Related units in functions, with the tag `filter`; and in lists of remote kinds, which have none. */
import { expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { FunctionsFolder } from '../../support/functions.js';
import { startTestService } from '../../support/service.js';

const folder = new FunctionsFolder({
  'article.ts': `
    import { filter, kind } from 'kind';
    const article = kind('article');
    export default article.module({
      functions: {
        discussed: article.function({
          description: 'Articles with a comment of some state',
          parameters: { state: { type: 'string' } },
          methods: ['GET'],
          run: async ({ units, parameters }) =>
            await units('article').list({
              filter: filter\`exists(comment.article,eq(state,\${parameters.state ?? ''}))\`,
              include: ['title', 'n:count_related(comment.article,eq(state,new))', 'all:related(comment.article,order=-state,limit=2)'],
              order: '-count_related(comment.article)',
            }),
        }),
      },
    });`,
  'zone.ts': `
    import { kind } from 'kind';
    export default kind('zone').module({ remote: { list: () => ({ count: 0, items: [] }) } });`,
});
const service = await startTestService({ functionsDir: folder.path });
const project = await service.project();
await defineKinds(
  project,
  { id: 'article', parameters: [{ id: 'title', kind_id: 'string' }] },
  {
    id: 'comment',
    parameters: [
      { id: 'article', kind_id: 'unit', reference_kind: 'article' },
      { id: 'state', kind_id: 'string' },
      { id: 'concealed', kind_id: 'string', hidden: true },
    ],
  },
  { id: 'zone', remote: true, parameters: [{ id: 'name', kind_id: 'string' }] },
);

it('a function lists units by related ones, without what is hidden in these', async () => {
  const article = await createdId(project.post('/article/unit', { title: 'one' }));
  await createdId(project.post('/article/unit', { title: 'two' }));
  await ok(project.post('/comment/unit', { article, state: 'a,")', concealed: 'c' }));
  await ok(project.post('/comment/unit', { article, state: 'new' }));
  const content = (await ok(project.get(`/article/function/discussed?state=${encodeURIComponent('a,")')}`))) as {
    count: number;
    items: { all: object[] }[];
  };
  expect(content).toMatchObject({
    count: 1,
    items: [{ title: 'one', n: 1, all: [{ state: 'new' }, { state: 'a,")' }] }],
  });
  expect(JSON.stringify(content)).not.toContain('concealed');
});

it.each([
  'filter=exists(comment.article)',
  'order=count_related(comment.article)',
  'include=n:count_related(comment.article)',
])('a remote kind refuses %s', async (search) => {
  const { status, body } = await project.get(`/zone/unit?${search}`);
  expect([status, body.messages[0]?.text]).toEqual([400, expect.stringContaining("can't be tested here")]);
});
