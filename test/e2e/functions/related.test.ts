/** Related units and values of links in functions, with the tag `filter`; and in lists of remote kinds, which have none. */
import { expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { FunctionsFolder, sharedServiceWith } from '../../support/functions.js';

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
        cited: article.function({
          description: 'Articles that cite another one at a page, and those that this one cites after it',
          parameters: { page: { type: 'integer', required: true }, from: { type: 'string', required: true } },
          methods: ['GET'],
          run: async ({ units, links, parameters: { page, from } }) => {
            const { items } = await units('article').list({
              filter: filter\`linked(cites,child,article,and(gte(link.page,\${page}),isnull(link.kept,false)))\`,
            });
            const after = await links.list({ kind_id: 'article', id: from }, 'child', {
              filter: filter\`and(gt(link.page,\${page}),isnull(link.kept,false))\`,
              order: ['link.page;desc', '-link.kept'],
            });
            const all = await units('article').list({ load_links: true });
            const to = after.items.map((unit) => ({ unit }));
            const again = await links.createAll({ kind_id: 'article', id: from }, 'child', to, { type: 'cites' });
            const kept = after.items.map(({ link }) => link.kept).join('');
            return { citing: items.map(({ title }) => title), after: after.items, all, again, kept };
          },
        }),
      },
    });`,
  'zone.ts': `
    import { kind } from 'kind';
    export default kind('zone').module({ remote: { list: () => ({ count: 0, items: [] }) } });`,
});
const service = await sharedServiceWith(folder);
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
const page = { id: 'page', kind_id: 'integer' };
await ok(
  project.post('/link/unit', { id: 'cites', parameters: [page, { id: 'kept', kind_id: 'string', hidden: true }] }),
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

it('a function tests values of links, also hidden ones, which no answer shows', async () => {
  const ids: string[] = [];
  for (const title of ['a', 'b', 'c']) ids.push(await createdId(project.post('/article/unit', { title })));
  const [a = '', ...others] = ids;
  for (const [at, id] of others.entries()) {
    await ok(project.post(`/article/unit/${a}/link/cites/article/unit/${id}`, { page: 7 + at, kept: 'private' }));
  }
  expect(await ok(project.get(`/article/function/cited?page=8&from=${a}`))).toMatchObject({ citing: ['a'], after: [] });
  const content = await ok(project.get(`/article/function/cited?page=6&from=${a}`));
  expect(content).toMatchObject({
    after: [{ link: { page: 8 } }, { link: { page: 7 } }],
    again: [{ page: 8 }, { page: 7 }],
    kept: 'private'.repeat(2),
  });
  // Functions get hidden values, but these are not enumerable.
  expect(JSON.stringify({ ...(content as object), kept: undefined })).not.toContain('private');
});

it.each([
  'filter=exists(comment.article)',
  'order=count_related(comment.article)',
  'include=n:count_related(comment.article)',
])('a remote kind refuses %s', async (search) => {
  const { status, body } = await project.get(`/zone/unit?${search}`);
  expect([status, body.messages[0]?.text]).toEqual([400, expect.stringContaining("can't be tested here")]);
});
