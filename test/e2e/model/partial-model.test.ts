/** A partial model file: what it does not name stays, at every level, and only what it drops goes. */
import { beforeAll, describe, expect, it } from 'vitest';
import { expectNoDrift, ok } from '../../support/definitions.js';
import { applyModel, dumpModel, planModel } from '../../support/model-files.js';
import { sharedService, type TestProject } from '../../support/service.js';

const service = await sharedService();
const BASE = `format: kind-model
version: 1
parameters:
  price:
    type: integer
  title:
    type: string
kinds:
  article:
    label: An article
    access:
      read: anyone
      create: member
    changes: feed
    parameters:
      title:
      summary:
        type: string
        own: true
      price:
  page:
    parameters:
      title:
      price:
groups:
  things: [article]
links:
  cites:
    access:
      create: member
      delete: admin
    parameters:
      line:
        type: integer
webhooks:
  x:
    url: https://example.org/h
    kinds: [article]
identity_providers:
  y:
    issuer: https://login.example.org
    client_id: x
    scopes: openid
    member_kind: kind_admin
`;
const CONTENT = BASE.slice(BASE.indexOf('parameters'));

/** What is in a partial file, and its steps. */
const CHANGED: readonly (readonly [string, readonly object[]])[] = [
  ['drop: [article]', [{ change: 'drop', name: 'article' }]],
  ['drop: [article.title]', [{ change: 'drop', name: 'article.title' }]],
  ['drop: [article.summary]', [{ change: 'drop', name: 'article.summary' }]],
  ['drop: [parameters.price]', [{ change: 'drop', name: 'parameters.price' }]],
  ['drop: [groups.things]', [{ change: 'drop', name: 'groups.things' }]],
  ['drop: [groups.things.article]', [{ change: 'edit', name: 'groups.things', fields: ['kind_list'] }]],
  ['drop: [links.cites]', [{ change: 'drop', name: 'links.cites' }]],
  ['drop: [links.cites.line]', [{ change: 'drop', name: 'links.cites.line' }]],
  ['drop: [webhooks.x]', [{ change: 'drop', name: 'webhooks.x' }]],
  ['drop: [identity_providers.y]', [{ change: 'drop', name: 'identity_providers.y' }]],
  [
    'drop: [no, no.title, article.no, parameters.no, groups.no, groups.things.no, links.no, webhooks.no, identity_providers.no]',
    [],
  ],
  ['kinds: { article: { label: null } }', [{ change: 'edit', name: 'article', fields: ['label'] }]],
  ['kinds: { article: { access: { create: null } } }', [{ change: 'edit', name: 'article:create' }]],
  [
    'kinds: { article: { access: null } }',
    [
      { change: 'edit', name: 'article:read' },
      { change: 'edit', name: 'article:create' },
    ],
  ],
  ['kinds: { article: { access: { update: admin } } }', [{ change: 'edit', name: 'article:update' }]],
  ['links: { cites: { access: { delete: nobody } } }', [{ change: 'edit', name: 'links.cites:delete' }]],
  [
    'kinds: { article: { parameters: { more: { type: string, own: true } } } }',
    [{ change: 'add', name: 'article.more' }],
  ],
  ['kinds: { article: { parameters: { price: } } }', []],
  [
    'parameters: { price: { min_value: 1, nullable: null } }',
    [{ change: 'edit', name: 'parameters.price', fields: ['min_value'] }],
  ],
  [
    'kinds: { article: { parameters: { rest: { was: summary, own: true, max_length: 9 } } } }',
    [{ change: 'rename', name: 'article.rest', was: 'article.summary', fields: ['max_length'] }],
  ],
  [
    'kinds: { post: { was: article, parameters: { rest: { was: summary, own: true, max_length: 9 } } } }',
    [
      { change: 'rename', name: 'post', was: 'article' },
      { change: 'rename', name: 'post.rest', was: 'post.summary', fields: ['max_length'] },
    ],
  ],
  [
    'kinds: { page: { parameters: { title: { type: string, max_length: 9 } } } }',
    [{ change: 'edit', name: 'parameters.title', fields: ['max_length'] }],
  ],
  [
    'drop: [article.title]\nkinds: { article: { label: Art, parameters: { more: { type: string, own: true } } } }',
    [
      { change: 'add', name: 'article.more' },
      { change: 'edit', name: 'article', fields: ['label'] },
      { change: 'drop', name: 'article.title' },
    ],
  ],
  ['groups: { things: [page] }', [{ change: 'edit', name: 'groups.things', fields: ['kind_list'] }]],
  ['groups: { things: [article] }', []],
  [
    'links: { cites: { parameters: { note: { type: string } } } }',
    [
      { change: 'add', name: 'parameters.note' },
      { change: 'add', name: 'links.cites.note' },
    ],
  ],
  [
    'identity_providers: { y: { scopes: null } }',
    [{ change: 'edit', name: 'identity_providers.y', fields: ['scopes'] }],
  ],
];

let project: TestProject;
beforeAll(async () => {
  project = await service.project();
  await applyModel(project, BASE);
});

function part(text: string): string {
  return `partial: true\n${text}\n`;
}

describe('a partial file', () => {
  it.each(CHANGED.map(([text, steps]) => ({ text, steps })))('$text', async ({ text, steps }) => {
    expect((await planModel(project, part(text))).steps.map(({ opens: _, ...step }) => step)).toEqual(steps);
  });

  it('changes what it names, and the second time nothing', async () => {
    const one = await service.project();
    await applyModel(one, BASE);
    const text = part(`drop: [article.title, groups.things.article, webhooks.x]
kinds: { article: { label: null, access: { create: null, delete: admin }, parameters: { rank: { type: integer, own: true } } } }
groups: { things: [page] }`);
    await applyModel(one, text);
    const expected = CONTENT.replace('    label: An article\n', '')
      .replace('      create: member\n    changes', '      delete: admin\n    changes')
      .replace('    parameters:\n      title:\n      summary', '    parameters:\n      summary')
      .replace('      price:\n  page:', '      price:\n      rank:\n        type: integer\n        own: true\n  page:')
      .replace('things: [article]', 'things: [page]')
      .replace(/webhooks:[^]*(?=identity)/, '');
    expect(await dumpModel(one)).toContain(expected);
    expect((await applyModel(one, text)).steps).toEqual([]);
    await expectNoDrift(one);
  });

  it.each([
    ['drop: [article]\nkinds: { article: {} }', "drop: 'article' is also in the file"],
    ['drop: [article.title]\nkinds: { article: { parameters: { title: } } }', "drop: 'article.title' is also"],
    ['drop: [groups.things.page]\ngroups: { things: [page] }', "drop: 'groups.things.page' is also in the file"],
    ['parameters: { late: { label: New } }', "'late' has no type, and there is no such parameter yet"],
    ['parameters: { price: { max_length: 9 } }', "'price' is of type integer, which has no 'max_length'"],
    ['parameters: { price: { maxi: 9 } }', 'parameters.price.maxi is no field of a parameter'],
    ['parameters: { price: { min_value: many } }', 'min_value'],
  ])('is refused where it contradicts itself or the project: %j', async (text, message) => {
    await expect(planModel(project, part(text))).rejects.toThrow(message);
  });
});

describe('own: true of a shared parameter', () => {
  it('gives each kind that has it one of its own, with its values', async () => {
    const one = await service.project();
    await applyModel(one, BASE);
    const { id } = (await ok(one.post('/page/unit', { title: 'A page' }))) as { id: string };
    const text = part('kinds: { article: { parameters: { title: { type: string, own: true, max_length: 9 } } } }');
    const { steps } = await applyModel(one, text, { allowLoss: [] });
    expect(steps).toEqual([
      { change: 'edit', name: 'article.title', fields: ['own', 'max_length'] },
      { change: 'edit', name: 'page.title', fields: ['own'] },
    ]);
    expect(await ok(one.get(`/page/unit/${id}`))).toMatchObject({ title: 'A page' });
    const dumped = await dumpModel(one);
    expect(dumped).toContain('      title:\n        type: string\n        max_length: 9\n        own: true\n');
    expect(dumped).toContain('      title:\n        type: string\n        own: true\n');
    expect((await applyModel(one, text)).steps).toEqual([]);
    expect((await applyModel(one, dumped)).steps).toEqual([]);
    await expectNoDrift(one);
  });

  it('is no way back, and not for those of links', async () => {
    const one = await service.project();
    await applyModel(one, BASE);
    const own = part('kinds: { article: { parameters: { line: { type: integer, own: true } } } }');
    await applyModel(one, part('kinds: { article: { parameters: { line: } } }'));
    await expect(planModel(one, own)).rejects.toThrow("the link type 'cites' uses it");
    const message = 'kinds.article.parameters.summary belongs to this kind alone, and stays so';
    await expect(planModel(one, BASE.replace('string\n        own: true', 'string'))).rejects.toThrow(message);
    const inline = part('kinds: { article: { parameters: { summary: { type: string } } } }');
    await expect(planModel(one, inline)).rejects.toThrow(message);
    expect((await planModel(one, part('kinds: { article: { parameters: { summary: } } }'))).steps).toEqual([]);
  });
});
