/** A project becomes what a model file says. */
import { describe, expect, it } from 'vitest';
import { ModelApply } from '../../../src/model-file/apply-model.js';
import { ModelFiles } from '../../../src/model-file/model-files.js';
import { printModelFile } from '../../../src/model-file/print.js';
import { readModelFile } from '../../../src/model-file/read-model-file.js';
import { Provisioning } from '../../../src/catalog/project/provisioning.js';
import { EventLoopYield } from '../../../src/shared/event-loop-yield.js';
import { SYSTEM } from '../../../src/tenancy/caller.js';
import { projectOf } from '../../../src/tenancy/project.js';
import { expectNoDrift, ok } from '../../support/definitions.js';
import { sharedService, type TestProject } from '../../support/service.js';

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

const ALL = new Set(['all']);

async function apply(project: TestProject, text: string, undo = false) {
  const file = await readModelFile(text, 'yaml', new EventLoopYield());
  const row = await service.service.app.get(Provisioning).getActive(project.id);
  return service.service.app.get(ModelApply).apply(row, file, { caller: SYSTEM, undo, allowLoss: ALL, allowOpen: ALL });
}

async function dump(project: TestProject): Promise<string> {
  const row = await service.service.app.get(Provisioning).getActive(project.id);
  return printModelFile((await service.service.app.get(ModelFiles).dump(projectOf(row))).file);
}

describe('an apply', () => {
  it('makes a whole model in a new project, and does nothing the second time', async () => {
    const project = await service.project();
    await apply(project, FILE);
    expect(await dump(project)).toBe(FILE);
    await expectNoDrift(project);
    expect((await apply(project, FILE)).steps).toEqual([]);
  });

  it('removes what a whole file lacks', async () => {
    const project = await service.project();
    await apply(project, FILE);
    await apply(project, 'format: kind-model\nversion: 1\n');
    expect(await dump(project)).toBe('format: kind-model\nversion: 1\n');
    await expectNoDrift(project);
  });

  it('renames, also what changes places', async () => {
    const project = await service.project();
    await apply(project, FILE);
    const page = (await ok(project.post('/page/unit', { title: 'A page' }))) as { id: string };
    const swapped = FILE.replaceAll('article', 'xxx').replaceAll('page', 'article').replaceAll('xxx', 'page');
    const text = swapped
      .replace('  page:\n    label', '  page:\n    was: article\n    label')
      .replace('  article:\n    parameters', '  article:\n    was: page\n    parameters')
      .replace('article_number:\n', 'article_number:\n        was: page_number\n');
    await apply(project, text);
    expect(await ok(project.get(`/article/unit/${page.id}`))).toMatchObject({ title: 'A page' });
    await expectNoDrift(project);
  });
});

describe('a plan', () => {
  it('names what is lost and opened, and changes nothing', async () => {
    const project = await service.project();
    await apply(project, FILE);
    await ok(project.post('/page/unit', { title: 'A page', price: '2.00' }));
    const text = FILE.replace(
      '  page:\n    parameters:\n      title:\n      price:\n',
      '  page:\n    access:\n      read: anyone\n    parameters:\n      title:\n',
    );
    const { steps } = await apply(project, text, true);
    expect(steps).toEqual([
      { change: 'drop', name: 'page.price', loses: 1 },
      { change: 'edit', name: 'page:read', opens: [{ who: 'anyone', what: 'read' }] },
    ]);
    expect(await dump(project)).toBe(FILE);
  });

  it('has settings, of which those stay that are not named', async () => {
    const project = await service.project();
    const closed = 'format: kind-model\nversion: 1\nsettings:\n  access_default: closed\n  verify_email: on\n';
    expect((await apply(project, closed)).steps.map(({ name }) => name)).toEqual([
      'settings.access_default',
      'settings.verify_email',
    ]);
    expect(await dump(project)).toBe(closed);
    expect((await apply(project, 'format: kind-model\nversion: 1\n')).steps).toEqual([]);
    await apply(project, `${closed}kinds:\n  post: {}\n`);
    const { steps } = await apply(project, `${closed.replace('closed', 'open')}kinds:\n  post: {}\n`, true);
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
    const one = await apply(project, text('{ code: IT, name: Italy }, { code: FR, name: France }'));
    expect(one.steps).toContainEqual({ change: 'edit', name: 'units.country', units: 2 });
    const two = await apply(project, text('{ code: IT, name: Italia }, { code: NO, name: Norge }'));
    expect(two.steps).toEqual([{ change: 'edit', name: 'units.country', units: 2 }]);
    expect(await ok(project.get('/country/unit?order=code;asc&include=code,name'))).toMatchObject({
      items: [
        { code: 'FR', name: 'France' },
        { code: 'IT', name: 'Italia' },
        { code: 'NO', name: 'Norge' },
      ],
    });
    expect((await apply(project, text('{ code: IT, name: Italia }'))).steps).toEqual([]);
  });
});
