/** A project becomes what a model file says. */
import { describe, expect, it } from 'vitest';
import { expectNoDrift, ok } from '../../support/definitions.js';
import { applyModel, dumpModel, planModel } from '../../support/model-files.js';
import { LIMITS } from '../../../src/shared/limits.js';
import { observeStatements } from '../../support/sent-statements.js';
import { sharedService } from '../../support/service.js';
import { sideConnection } from '../../support/side-connection.js';
import { Database } from '../../../src/database/database.js';

const service = await sharedService();
const FILE = `format: kind-model
version: 1
parameters:
  price:
    type: decimal
    min_value: "0"
    scale: 2
  title:
    type: string
    label: Title
    max_length: 200
    required: true
kinds:
  article:
    label: Article
    unique:
      - [title, author]
    access:
      read: ["eq(state,published)", "eq(author,@member.id)"]
      create: member
    changes: history
    parameters:
      title:
      state:
        type: string
        default: draft
        values: [draft, published]
        own: true
      price:
      author:
        type: unit
        reference_kind: person
      about:
        type: unit
        reference_kind: page
  kind_admin:
    access:
      update: nobody
  page:
    parameters:
      title:
      price:
      first:
        type: unit
        reference_kind: article
  person:
    label: Person
    changes: feed
    parameters:
      age:
        type: integer
groups:
  kind_auth_member: [person]
  things:
    label: Things
    kind_list: [page, article]
links:
  cites:
    label: Cites
    access:
      create: ["eq(parent.state,published)"]
    parameters:
      page_number:
        type: integer
webhooks:
  audit:
    url: https://example.org/h
    kinds: [article]
identity_providers:
  login:
    issuer: https://login.example.org
    client_id: x
    member_kind: person
`;

describe('an apply', () => {
  it('makes a whole model in a new project, and does nothing the second time', async () => {
    const project = await service.project();
    await applyModel(project, FILE);
    expect(await dumpModel(project)).toBe(FILE);
    await expectNoDrift(project);
    expect((await applyModel(project, FILE)).steps).toEqual([]);
  });

  it('removes what a whole file lacks', async () => {
    const project = await service.project();
    await applyModel(project, FILE);
    await applyModel(project, 'format: kind-model\nversion: 1\n');
    expect(await dumpModel(project)).toBe('format: kind-model\nversion: 1\n');
    await expectNoDrift(project);
  });

  it('renames, also what changes places', async () => {
    const project = await service.project();
    await applyModel(project, FILE);
    const page = (await ok(project.post('/page/unit', { title: 'A page' }))) as { id: string };
    const swapped = FILE.replaceAll('article', 'xxx').replaceAll('page', 'article').replaceAll('xxx', 'page');
    const text = swapped
      .replace('  page:\n    label', '  page:\n    was: article\n    label')
      .replace('  article:\n    parameters', '  article:\n    was: page\n    parameters')
      .replace('article_number:\n', 'article_number:\n        was: page_number\n');
    await expect(applyModel(project, text)).rejects.toThrow(
      "kinds.article.was: 'article' and 'page' may have changed places already",
    );
    const { version } = await planModel(project, text);
    await applyModel(project, text, { version });
    expect(await ok(project.get(`/article/unit/${page.id}`))).toMatchObject({ title: 'A page' });
    await expect(applyModel(project, text, { version })).rejects.toMatchObject({ code: 'model.changed' });
    await expectNoDrift(project);
  });
});

describe('a plan', () => {
  it('names what is lost and opened, and changes nothing', async () => {
    const project = await service.project();
    await applyModel(project, FILE);
    await ok(project.post('/page/unit', { title: 'A page', price: '2.00' }));
    const text = FILE.replace(
      '  page:\n    parameters:\n      title:\n      price:\n',
      '  page:\n    access:\n      read: anyone\n    parameters:\n      title:\n',
    );
    const { steps } = await planModel(project, text);
    expect(steps).toEqual([
      { change: 'drop', name: 'page.price', loses: 1 },
      { change: 'edit', name: 'page:read', opens: [{ who: 'anyone', what: 'read' }] },
    ]);
    expect(await dumpModel(project)).toBe(FILE);
  });

  it('has settings, of which those stay that are not named', async () => {
    const project = await service.project();
    const closed = 'format: kind-model\nversion: 1\nsettings:\n  access_default: closed\n  verify_email: on\n';
    expect((await applyModel(project, closed)).steps.map(({ name }) => name)).toEqual([
      'settings.access_default',
      'settings.verify_email',
    ]);
    expect(await dumpModel(project)).toBe(closed);
    expect((await applyModel(project, 'format: kind-model\nversion: 1\n')).steps).toEqual([]);
    await applyModel(project, `${closed}kinds:\n  post: {}\n`);
    const { steps } = await planModel(project, `${closed.replace('closed', 'open')}kinds:\n  post: {}\n`);
    expect(steps).toEqual([expect.objectContaining({ name: 'settings.access_default' })]);
    expect(steps[0]?.opens).toContainEqual({ who: 'member', what: 'post:read' });
  });
});

describe('units of a file', () => {
  it('are made, or edited where they differ, and never deleted', async () => {
    const project = await service.project();
    const text = (items: string) => `format: kind-model
version: 1
kinds:
  country:
    parameters:
      code: { type: string, unique: true }
      name: { type: string }
units:
  country: { by: [code], items: [${items}] }
`;
    const one = await applyModel(project, text('{ code: IT, name: Italy }, { code: FR, name: France }'));
    expect(one.steps).toContainEqual({ change: 'edit', name: 'units.country', units: 2 });
    const two = await applyModel(project, text('{ code: IT, name: Italia }, { code: NO, name: Norge }'));
    expect(two.steps).toEqual([{ change: 'edit', name: 'units.country', units: 2 }]);
    expect(await ok(project.get('/country/unit?order=code;asc&include=code,name'))).toMatchObject({
      items: [
        { code: 'FR', name: 'France' },
        { code: 'IT', name: 'Italia' },
        { code: 'NO', name: 'Norge' },
      ],
    });
    expect((await applyModel(project, text('{ code: IT, name: Italia }'))).steps).toEqual([]);
  });
});

describe('another type', () => {
  const withType = (rest: string) => `kinds:
  article:
    changes: history
    checks: [{ id: few, filter: "lt(number,100)", text: Too many. }]
    parameters:
      state: ${rest.split('|')[0]}
      number: ${rest.split('|')[1]}
  page:
    parameters:
      number:
`;
  const BEFORE = withType(
    '{ type: string, values: [a, b], default: a, max_length: 5 } | { type: integer, default: 5, min_value: 0, unique: true }',
  );
  const AFTER = withType(
    '{ type: text, default: a, max_length: 5 } | { type: decimal, default: "5", min_value: "0", unique: true }',
  );

  it('is given from string to text, and from integer to decimal, and nothing is lost', async () => {
    const project = await service.project();
    await applyModel(project, BEFORE);
    const { id } = (await ok(project.post('/article/unit', { state: 'b', number: 7 }))) as { id: string };
    await ok(project.put(`/article/unit/${id}`, { number: 8 }));
    await ok(project.post('/page/unit', { number: 9 }));
    expect((await planModel(project, AFTER)).steps).toEqual([
      { change: 'edit', name: 'parameters.state', fields: ['type'] },
      { change: 'edit', name: 'parameters.number', fields: ['type'] },
    ]);
    await applyModel(project, AFTER);
    await expectNoDrift(project);
    expect((await planModel(project, AFTER)).steps).toEqual([]);
    expect(await ok(project.get(`/article/unit/${id}`))).toMatchObject({ state: 'b', number: '8' });
    expect(await ok(project.get('/page/unit?include=number'))).toMatchObject({ items: [{ number: '9' }] });
    expect(await ok(project.get(`/article/unit/${id}/history`))).toMatchObject({
      items: [{ changes: { number: ['7', '8'] } }, { changes: { number: [null, '7'] } }],
    });
    expect(await ok(project.post('/article/unit', { number: '7.5' }))).toMatchObject({ state: 'a', number: '7.5' });
    expect(await project.post('/article/unit', { number: '7.5' })).toMatchObject({ status: 409 });
    expect(await project.post('/article/unit', { number: '100' })).toMatchObject({ status: 400 });
  });

  it('keeps settings that a part of a file does not name, in the form of the new type', async () => {
    const project = await service.project();
    await applyModel(project, BEFORE);
    await applyModel(project, 'partial: true\nparameters: { number: { type: decimal } }\n');
    expect(await dumpModel(project)).toContain('    type: decimal\n    default: "5"\n    min_value: "0"\n');
    await expectNoDrift(project);
  });

  it('is refused where something could be lost, or too much would be written', async () => {
    const project = await service.project();
    await applyModel(project, BEFORE);
    const other = withType('{ type: string } | { type: string }');
    await expect(planModel(project, other)).rejects.toThrow(
      /'number' is of type integer, and of type string.*new parameter/s,
    );
    const { rewrittenUnits } = LIMITS;
    Object.assign(LIMITS, { rewrittenUnits: 1 });
    try {
      await ok(project.post('/article/unit', {}));
      await applyModel(project, BEFORE.replace('string, values: [a, b]', 'text'));
      await ok(project.post('/page/unit', {}));
      await expect(planModel(project, AFTER)).rejects.toMatchObject({ code: 'model.too_large' });
    } finally {
      Object.assign(LIMITS, { rewrittenUnits });
    }
  });
});

describe('at the same time', () => {
  it('two applies are both done', async () => {
    const project = await service.project();
    const file = (id: string) => `partial: true\nkinds: { ${id}: { parameters: { name: { type: string } } } }\n`;
    await Promise.all([applyModel(project, file('one')), applyModel(project, file('two'))]);
    expect((await dumpModel(project)).match(/^ {2}(one|two):/gm)).toHaveLength(2);
    await expectNoDrift(project);
  });

  it('what others hold is waited for five times, and then nothing is changed', async () => {
    const project = await service.project();
    await applyModel(project, 'kinds: { note: {} }\n');
    const before = await dumpModel(project);
    const side = await sideConnection();
    const release = await side.lock(project, 'note');
    const { tableLockSeconds } = LIMITS;
    Object.assign(LIMITS, { tableLockSeconds: 0.05 });
    let tried = 0;
    const stop = observeStatements(project.service.app.get(Database), ({ text }) => {
      if (text.includes('LOCK TABLE') && text.includes('"note"')) tried += 1;
    });
    const text = 'kinds: { note: { parameters: { name: { type: string } } }, more: {} }\n';
    try {
      await expect(applyModel(project, text)).rejects.toMatchObject({ code: 'server.busy', status: 503 });
    } finally {
      stop();
      Object.assign(LIMITS, { tableLockSeconds });
      await release();
    }
    expect(tried).toBe(5);
    expect(await dumpModel(project)).toBe(before);
    expect((await applyModel(project, text)).state).toBe('applied');
    await expectNoDrift(project);
  });

  it('nothing is lost that is written meanwhile', async () => {
    const project = await service.project();
    await applyModel(project, 'kinds: { note: { parameters: { name: { type: integer } } } }\n');
    const replies: Promise<{ status: number }>[] = [];
    let isDone = false;
    const writer = async () => {
      for (let n = 0; !isDone || n < 5; n++) {
        const reply = project.post('/note/unit', { name: n });
        replies.push(reply);
        await reply;
      }
    };
    const writers = [writer(), writer()];
    await applyModel(project, 'kinds: { note: { parameters: { name: { type: decimal }, more: { type: string } } } }\n');
    isDone = true;
    await Promise.all(writers);
    const stored = (await Promise.all(replies)).filter(({ status }) => status === 200).length;
    expect(stored).toBeGreaterThan(0);
    expect(await ok(project.get('/note/unit?limit=1'))).toMatchObject({ count: stored });
  });
});

describe('names of a file', () => {
  it('are those of definitions alone', async () => {
    const project = await service.project();
    await applyModel(project, 'kinds: { constructor: { parameters: { toString: { type: string } } } }\n').catch(
      (error: unknown) => expect(error).toMatchObject({ code: 'model.bad_file' }),
    );
    for (const id of ['__proto__', 'a"b', '"no; DROP TABLE x"', '1', 'kind_x']) {
      await expect(applyModel(project, `kinds: { ${id}: {} }\n`)).rejects.toMatchObject({
        code: expect.stringMatching(/^(model\.bad_file|kind\.reserved)$/) as string,
      });
    }
    await applyModel(project, 'kinds: { constructor: { parameters: { valueof: { type: string } } } }\n');
    await applyModel(project, 'kinds: { builder: { was: constructor, parameters: { valueof: { type: string } } } }\n');
    expect(await dumpModel(project)).toContain('  builder:\n');
    await expectNoDrift(project);
  });
});

describe('names that were', () => {
  const post = 'kinds: { post: { parameters: { summary: { type: string, own: true }, body: { type: string } } } }\n';

  it('are those before the apply, of a kind and of what belongs to it at once', async () => {
    const project = await service.project();
    await applyModel(project, post);
    await ok(project.post('/post/unit', { summary: 'Short', body: 'Long' }));
    const text =
      'kinds: { article: { was: post, parameters: { abstract: { type: string, own: true, was: summary }, text: { type: string, was: body } } } }\n';
    const { steps, breaks } = await applyModel(project, text, { allowLoss: [] });
    expect(breaks).toEqual([
      'parameters.body is now parameters.text',
      'post is now article',
      'article.summary is now article.abstract',
    ]);
    expect(steps).toEqual([
      { change: 'rename', name: 'parameters.text', was: 'parameters.body', fields: ['label'] },
      { change: 'rename', name: 'article', was: 'post', fields: ['label'] },
      { change: 'rename', name: 'article.abstract', was: 'article.summary', fields: ['label'] },
    ]);
    expect(await ok(project.get('/article/unit'))).toMatchObject({ items: [{ abstract: 'Short', text: 'Long' }] });
    expect((await applyModel(project, text)).steps).toEqual([]);
  });

  it('say nothing more where what has them now is new, also of several that move on', async () => {
    const project = await service.project();
    await applyModel(project, 'kinds: { a: { label: First }, b: { label: Second } }\n');
    const text = 'kinds: { a: { label: New }, b: { was: a, label: First }, c: { was: b, label: Second } }\n';
    const { steps } = await applyModel(project, text);
    expect(steps).toEqual([
      { change: 'rename', name: 'b', was: 'a' },
      { change: 'rename', name: 'c', was: 'b' },
      { change: 'add', name: 'a' },
    ]);
    expect((await applyModel(project, text)).steps).toEqual([]);
    await expect(applyModel(project, 'partial: true\nkinds: { b: { was: a } }\n')).rejects.toThrow('exists');
  });

  it('are refused where neither they nor the new ones are there', async () => {
    const project = await service.project();
    await expect(applyModel(project, 'kinds: { article: { was: post } }\n')).rejects.toThrow(
      "kinds.article.was: there is no 'post', and no 'article'",
    );
  });
});
