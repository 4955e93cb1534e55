/** The pages of the console about the model, used as a person would. */
import { readFile } from 'node:fs/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { defineKinds, signUp, withMembers } from '../support/callers.js';
import { startChromium } from '../support/chromium.js';
import { ConsolePage, EVIL } from '../support/console.js';
import { definitionsOf, ok } from '../support/definitions.js';
import { setSettings } from '../support/mailbox.js';
import { startTestService } from '../support/service.js';

vi.setConfig({ testTimeout: 60_000 });

const service = await startTestService();
const project = await service.project();
await defineKinds(
  project,
  { id: 'country', label: 'Country', parameters: [{ id: 'code', label: 'Code', kind_id: 'string', is_primary: true }] },
  {
    id: 'city',
    label: 'City',
    parameters: [
      { id: 'name', label: 'Name', kind_id: 'string', indexed: true },
      { id: 'size', label: 'Size', kind_id: 'integer', indexed: true },
      { id: 'country', label: 'In', kind_id: 'unit', reference_kind: 'country' },
    ],
  },
  { id: 'evil', label: EVIL, parameters: [{ id: 'evil', kind_id: 'string', label: EVIL, helper_text: EVIL }] },
);
await ok(project.post('/link/unit', { id: 'road', label: 'Road', parameters: [{ id: 'lanes', kind_id: 'integer' }] }));
await ok(project.post('/city/unit', [{ name: 'Rome', size: 3 }, { name: 'Nice', size: 1 }, { name: 'Empty' }]));
const browser = await startChromium();

const opened = await ConsolePage.signedIn(browser, project);
const { page, complaints } = opened;
const url = (hash: string) => opened.url(hash);
beforeEach(() => void complaints.splice(0));
// A form with changes does not let go of its page.
afterEach(() => page.goto('about:blank'));

/** What is shown has no fault, in both colors. */
async function expectAccessible(): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    expect([colorScheme, await opened.accessibilityFaults()]).toEqual([colorScheme, []]);
  }
}

/** The name of the definition; its parameters and the preview can have fields of that name too. */
const nameField = () => page.getByRole('textbox', { name: 'Name', exact: true }).first();
/** Opens the list of a control that chooses. */
const choose = (label: string) => page.getByRole('combobox', { name: label, exact: true }).click({ force: true });

describe('the list of the model', () => {
  it('shows kinds, link types, groups and parameters, and finds them', async () => {
    await page.getByRole('link', { name: 'Model', exact: true }).click();
    const city = page.getByRole('article', { name: 'City' });
    await city.getByRole('link', { name: 'Size' }).waitFor();
    expect(await city.textContent()).toContain('→ Country');
    await page.getByRole('article', { name: 'Road' }).waitFor();
    // Hostile names are shown.
    await page.getByRole('article', { name: EVIL }).waitFor();
    await expectAccessible();
    await opened.screenshot('model-list');
    await page.getByRole('searchbox', { name: 'Find by name' }).fill('size');
    await expect.poll(() => page.getByRole('article').count()).toBe(1);
    await page.getByRole('searchbox', { name: 'Find by name' }).fill('nothing such');
    await page.getByText('Nothing has such a name.').waitFor();
    expect(complaints).toEqual([]);
  });
});

describe('the model as a file', () => {
  it('is downloaded, planned and applied, with what it loses and opens allowed one by one', async () => {
    await defineKinds(project, {
      id: 'memo',
      parameters: ['text', 'more'].map((id) => ({ id, kind_id: 'string', own: true })),
    });
    await ok(project.post('/memo/unit', [{ more: 'x' }, { more: 'y' }]));
    await page.goto(url('#/model'));
    await page.getByRole('button', { name: 'Model as a file' }).click();
    const dialog = page.getByRole('dialog', { name: 'The model as a file' });
    // A page without a picker saves it as any download.
    await page.evaluate('window.showSaveFilePicker = undefined');
    const downloading = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Download' }).click();
    const stored = await readFile(await (await downloading).path(), 'utf8');
    expect(stored).toContain('format: kind-model');
    expect(stored).toContain('  memo:');

    const choose = (text: string) =>
      dialog
        .locator('input[type=file]')
        .setInputFiles({ name: 'model.yaml', mimeType: 'application/yaml', buffer: Buffer.from(text) });
    await choose(stored);
    await dialog.getByText('there is nothing to do').waitFor();
    await choose(stored.replace('  memo:', '  memo:\n    lable: Memo'));
    await dialog.getByText("did you mean 'label'").waitFor();
    const part = 'format: kind-model\nversion: 1\npartial: true\n';
    await choose(`${part}kinds: {memo: {label: A memo, public: true, access: {read: anyone}}}\ndrop: [memo.more]`);
    const steps = dialog.getByRole('region', { name: 'What will change' });
    await steps.getByText('memo.more is removed').waitFor();
    await dialog.getByRole('region', { name: 'For programs' }).getByText('memo.more is gone').waitFor();
    const apply = dialog.getByRole('button', { name: 'Apply', exact: true });
    expect(await apply.isDisabled()).toBe(true);
    await opened.screenshot('model-file');
    await expectAccessible();
    await steps.getByRole('checkbox', { name: 'Lose what is there (2). (memo.more)' }).check();
    expect(await apply.isDisabled()).toBe(true);
    for (const box of await steps.getByRole('checkbox', { name: 'Let others do more' }).all()) await box.check();
    await apply.click();
    await dialog.waitFor({ state: 'detached' });
    const { records } = await definitionsOf(project);
    expect(records.kinds.find(({ id }) => id === 'memo')).toMatchObject({ label: 'A memo', parameters: ['text'] });
    await ok(project.delete('/kind/unit/memo?cascade=true'));
    expect(complaints.filter((each) => !each.includes('400'))).toEqual([]);
  });

  it('is the only way to change a model that is locked', async () => {
    await setSettings(project, { model: 'locked' });
    await page.goto(url('#/model'));
    await page.getByText('The model of this project is locked').first().waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'New kind' }).focus();
    expect(await page.getByRole('button', { name: 'New kind' }).getAttribute('aria-disabled')).toBe('true');
    await page.goto(url('#/model/kind/edit/city'));
    expect(await nameField().isDisabled()).toBe(true);
    await setSettings(project, { model: 'open' });
    await page.reload();
    await expect.poll(() => nameField().isDisabled()).toBe(false);
    expect(complaints).toEqual([]);
  });
});

describe('the diagram', () => {
  it('shows kinds with their references, and one with those beside it', async () => {
    await page.goto(url('#/model?view=diagram'));
    await page.locator('.graph-box').first().waitFor();
    await page.getByText('4 of 4 kinds').waitFor();
    expect(await page.locator('.react-flow__edge').count()).toBe(1);
    await expectAccessible();
    await opened.screenshot('model-diagram');
    await page.getByRole('button', { name: 'Show Country with the kinds beside it, or all' }).click();
    await page.getByText('2 of 4 kinds').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByText('4 of 4 kinds').waitFor();
    expect(complaints).toEqual([]);
  });
});

describe('a new kind', () => {
  it('is made with the form alone, with a preview, and after faults are named at their fields', async () => {
    await page.goto(url('#/model/kind/new'));
    // The service makes no id of it either.
    await nameField().fill('2nd floor');
    await page.getByText('None can be made from the name; give one').waitFor();
    await nameField().fill('Customer');
    await expect.poll(() => page.getByRole('textbox', { name: 'Id' }).inputValue()).toBe('customer');
    await page.getByRole('button', { name: 'Add a new parameter' }).click();
    await page.getByRole('textbox', { name: 'Name' }).last().fill('Full name');
    await page.getByRole('checkbox', { name: 'Required' }).check();
    await page.getByRole('button', { name: 'Add a new parameter' }).click();
    const second = page.getByRole('region', { name: 'New parameter' });
    await second.getByRole('textbox', { name: 'Name' }).fill('Age');
    const age = page.getByRole('region', { name: 'Age' });
    await age
      .getByRole('combobox', { name: 'Type' })
      .or(age.getByRole('textbox', { name: 'Type' }))
      .first()
      .click();
    await page.getByRole('option', { name: 'Whole number' }).waitFor();
    await expectAccessible();
    await page.getByRole('option', { name: 'Whole number' }).click();
    await age.getByRole('button', { name: 'More settings' }).click();
    await age.getByRole('checkbox', { name: 'Of this kind alone' }).check();
    await age.getByRole('textbox', { name: 'Smallest' }).fill('young');
    await page.getByRole('region', { name: 'Preview' }).getByRole('textbox', { name: 'Full name' }).waitFor();
    await expectAccessible();
    await page.getByRole('button', { name: 'Review and save' }).click();
    await age.getByText('Must be a whole number').waitFor();
    // The first fault has the focus, in the words of the form.
    await page.keyboard.type('1');
    expect(await age.getByRole('textbox', { name: 'Smallest' }).inputValue()).toBe('young1');
    await age.getByRole('textbox', { name: 'Smallest' }).fill('18');
    await age.getByRole('textbox', { name: 'Largest' }).fill('17');
    await page.getByRole('button', { name: 'Review and save' }).click();
    await age.getByText('Must not be above “Largest”, got 18 and 17').waitFor();
    await age.getByRole('textbox', { name: 'Largest' }).fill('');
    await age.getByRole('textbox', { name: 'Smallest' }).fill('18');
    await opened.screenshot('model-editor');
    await page.getByRole('button', { name: 'Review and save' }).click();
    const dialog = page.getByRole('dialog', { name: 'What will change' });
    await dialog.getByText('Kind “Customer (customer)” is created').waitFor();
    await dialog.getByText('New table customer').waitFor();
    await dialog.getByText(/^customer, Create, .*Read.*: Members/).waitFor();
    expect((await project.get('/kind/unit/customer')).status).toBe(404);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('No units yet.').waitFor();
    const { items } = (await project.get('/customer/struct')).body.content as { items: object[] };
    // The last one is the metadata that every unit has.
    expect(items.slice(0, 2)).toMatchObject([
      { id: 'full_name', type: 'string', required: true },
      { id: 'age', type: 'integer' },
    ]);
    expect((await project.get('/integer/unit/customer.age')).body.content).toMatchObject({ own: true, min_value: 18 });
  });

  it('that is half done is not lost by a click', async () => {
    await page.goto(url('#/model/kind/new'));
    await nameField().fill('Half');
    await page.getByRole('link', { name: 'Model', exact: true }).click();
    await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Stay' }).click();
    expect(await nameField().inputValue()).toBe('Half');
    // An address that is typed, too.
    await page.evaluate("location.hash = '#/model'");
    await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Stay' }).click();
    expect(await nameField().inputValue()).toBe('Half');
    expect(page.url()).toContain('#/model/kind/new');
    await page.evaluate("location.hash = '#/model'");
    await page.getByRole('dialog').getByRole('button', { name: 'Leave', exact: true }).click();
    await page.getByRole('heading', { name: 'Model' }).waitFor();
  });
});

describe('a change of a kind', () => {
  it('that loses values says so, loses nothing when it is cancelled, and is made when it is confirmed', async () => {
    const before = await definitionsOf(project);
    await page.goto(url('#/model/kind/edit/city'));
    await page.getByRole('button', { name: 'Remove Size' }).click();
    await page.getByRole('button', { name: 'Review and save' }).click();
    const dialog = page.getByRole('dialog', { name: 'What will change' });
    await dialog.getByText('The value of “Size (size)” in 2 units of “City (city)”').waitFor();
    await dialog.getByText('The column size of city is dropped').waitFor();
    await expectAccessible();
    await opened.screenshot('model-review');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await definitionsOf(project)).toEqual(before);
    expect((await project.get('/city/unit?filter=eq(size,3)')).body.content.count).toBe(1);
    await page.getByRole('button', { name: 'Review and save' }).click();
    await dialog.getByRole('button', { name: 'Save, and lose this' }).click();
    await page.getByRole('heading', { name: 'Model' }).waitFor();
    expect((await project.get('/kind/unit/city')).body.content['parameters']).toEqual(['name', 'country']);
  });

  it('that meets another one shows both', async () => {
    await page.goto(url('#/model/kind/edit/city'));
    await nameField().fill('Town');
    await ok(project.put('/kind/unit/city', { label: 'Municipality' }));
    await page.getByRole('button', { name: 'Review and save' }).click();
    const conflict = page.getByRole('dialog', { name: 'Somebody else has changed this definition' });
    await conflict.getByRole('radio', { name: 'Municipality' }).waitFor();
    await expectAccessible();
    await conflict.getByRole('button', { name: 'Use these values' }).click();
    await page.getByRole('dialog', { name: 'What will change' }).getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Model' }).waitFor();
    expect((await project.get('/kind/unit/city')).body.content['label']).toBe('Town');
  });

  it('that stored units forbid is refused in words', async () => {
    await ok(project.post('/city/unit', { name: 'Rome' }));
    await page.goto(url('#/model/parameter/string/name'));
    await page.getByRole('checkbox', { name: 'Unique' }).check();
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page.getByText("2 units of 'city' would violate").waitFor();
    expect(await page.evaluate('document.activeElement.tagName')).not.toBe('BODY');
  });

  it('with unique sets and indexes builds them', async () => {
    await page.goto(url('#/model/kind/edit/city'));
    await page.getByRole('button', { name: 'Add to: Indexes' }).click();
    await choose('Indexes, set 1');
    await page.getByRole('option', { name: 'Name' }).click();
    await page.getByRole('option', { name: 'In', exact: true }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Review and save' }).click();
    const dialog = page.getByRole('dialog', { name: 'What will change' });
    await dialog.getByText('New index of city by name, country').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Model' }).waitFor();
    expect((await project.get('/kind/unit/city')).body.content['indexes']).toEqual([['name', 'country']]);
  });

  it('shows hostile names as text, in the editor and in the review', async () => {
    await page.goto(url('#/model/kind/edit/evil'));
    await page.getByRole('heading', { name: EVIL }).waitFor();
    await page.getByRole('button', { name: `Remove ${EVIL}` }).click();
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page.getByRole('dialog').getByText('The column evil of evil is dropped').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect(complaints).toEqual([]);
  });
});

describe('what units have to satisfy', () => {
  beforeAll(async () => {
    const extent = { id: 'extent', label: 'Extent', kind_id: 'integer' };
    await defineKinds(project, { id: 'site', label: 'Site', parameters: ['name', extent] });
  });

  it('is checks, whose faults are at their fields', async () => {
    await page.goto(url('#/model/kind/edit/site'));
    await page.getByRole('button', { name: 'Add to: Checks' }).click();
    const field = (name: string) => page.getByRole('textbox', { name: `${name}, check 1` });
    await field('Condition').fill('gte(extend,0)');
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page.getByText('Must be a text of at most').waitFor();
    await field('Text').fill('No site is smaller than nothing');
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page.getByText(/^No parameter 'extend'/).waitFor();
    await field('Condition').and(page.locator('[aria-invalid=true]')).waitFor();
    await expectAccessible();
    await opened.screenshot('model-checks');
    await field('Condition').fill('gte(extent,0)');
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page.getByRole('dialog').getByText('New check check_1 of site').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Model' }).waitFor();
  });

  it('is transitions, and numbers are told in words', async () => {
    await page.goto(url('#/model/kind/edit/site'));
    await page.getByRole('button', { name: 'Add a new parameter' }).click();
    const added = page.getByRole('region', { name: 'New parameter' });
    await added.getByRole('textbox', { name: 'Name' }).fill('Step');
    const step = page.getByRole('region', { name: 'Step' });
    const values = step.getByLabel('Allowed values');
    for (const value of ['plan', 'built']) {
      await values.fill(value);
      await values.press('Enter');
    }
    await step.getByRole('button', { name: 'More settings' }).click();
    await step.getByRole('button', { name: 'Add to: Transitions' }).click();
    await choose('To, transition 1');
    await page.getByRole('option', { name: 'plan' }).click();
    await step.getByRole('button', { name: 'Add to: Transitions' }).click();
    await choose('From, transition 2');
    await page.getByRole('option', { name: 'plan' }).click();
    await choose('To, transition 2');
    await page.getByRole('option', { name: 'built' }).click();
    await step.getByRole('textbox', { name: 'When, transition 2' }).fill('gt(extent,1)');
    await expectAccessible();
    await opened.screenshot('model-transitions');
    await page.getByRole('button', { name: 'Add a new parameter' }).click();
    await added.getByRole('textbox', { name: 'Name' }).fill('Number');
    const number = page.getByRole('region', { name: 'Number' });
    await number
      .getByRole('combobox', { name: 'Type' })
      .or(number.getByRole('textbox', { name: 'Type' }))
      .first()
      .click();
    await page.getByRole('option', { name: 'Whole number' }).click();
    await number.getByRole('button', { name: 'More settings' }).click();
    await number.getByRole('checkbox', { name: 'Numbered' }).check();
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByText('Number: The next number of the kind').waitFor();
    expect(await preview.getByRole('textbox', { name: 'Number' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Review and save' }).click();
    const dialog = page.getByRole('dialog', { name: 'What will change' });
    await dialog.getByText(/^New sequence /).waitFor();
    await opened.screenshot('model-review');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Model' }).waitFor();
    const stored = (await project.get('/string/unit/step')).body.content['transitions'];
    expect(stored).toEqual({ initial: ['plan'], plan: [{ to: 'built', when: 'gt(extent,1)' }] });
  });
});

describe('groups, link types and deletions', () => {
  it('makes a group', async () => {
    await page.goto(url('#/model/group/new'));
    await nameField().fill('Places');
    await choose('Kinds');
    await page.getByRole('option', { name: 'Country' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('article', { name: 'Places' }).waitFor();
    expect((await project.get('/group/unit/places')).body.content).toMatchObject({ kind_list: ['country'] });
  });

  it('gives a kind another id, and its units stay', async () => {
    const { count } = await ok(project.get('/city/unit'));
    await page.goto(url('#/model/kind/edit/city'));
    await page.getByLabel('Id', { exact: true }).fill('town');
    await page.getByRole('button', { name: 'Review and save' }).click();
    const dialog = page.getByRole('dialog', { name: 'What will change' });
    await dialog.getByText('gets another id: city becomes town').waitFor();
    await dialog.getByText('The table city is renamed to town').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Model' }).waitFor();
    expect(await ok(project.get('/town/unit'))).toMatchObject({ count });
    await ok(project.put('/kind/unit/town', { rename_to: 'city' }));
    await page.reload();
  });

  it('deletes a kind after it has said how many units go', async () => {
    await page.goto(url('#/model/kind/edit/city'));
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'What will change' });
    await dialog.getByText('4 units of “Town (city)”').waitFor();
    await dialog.getByRole('button', { name: 'Delete, and lose this' }).click();
    await page.getByRole('heading', { name: 'Model' }).waitFor();
    expect((await project.get('/kind/unit/city')).status).toBe(404);
  });
});

describe('a kind whose units come from elsewhere', () => {
  it('is marked so', async () => {
    await ok(project.post('/kind/unit', { id: 'weather', label: 'Weather' }));
    await page.goto(url('#/model/kind/edit/weather'));
    await page.reload();
    await page.getByRole('checkbox', { name: 'Remote' }).check();
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('article', { name: 'Weather' }).getByText('remote').waitFor();
    expect((await project.get('/kind/unit/weather')).body.content).toMatchObject({ remote: true });
  });
});

describe('a member who may not change the model', () => {
  it('sees it, is told so before, and if it may no longer, why, and loses nothing typed', async () => {
    const open = await withMembers(await service.project());
    await defineKinds(open, { id: 'city', label: 'City', parameters: [] });
    await signUp(open, 'ann');
    await ok(open.put('/kind/unit/kind', { access: { update: 'admin', create: 'admin' } }));
    const theirs = await ConsolePage.open(browser, open);
    await theirs.page.goto(theirs.url('#/model'));
    await theirs.signIn('ann', 'secret of ann');
    await theirs.page.getByRole('article', { name: 'City' }).getByRole('link', { name: 'City' }).click();
    const refusal = theirs.page.getByText('You may not change definitions of this type');
    await refusal.waitFor();
    const name = theirs.page.getByRole('textbox', { name: 'Name', exact: true });
    expect(await name.isDisabled()).toBe(true);
    await ok(open.put('/kind/unit/kind', { access: { update: 'member' } }));
    await theirs.page.reload();
    await name.fill('Town');
    await ok(open.put('/kind/unit/kind', { access: { update: 'admin' } }));
    await theirs.page.getByRole('button', { name: 'Review and save' }).click();
    await theirs.page.getByRole('alert').waitFor();
    await refusal.waitFor();
    expect(await theirs.page.getByRole('alert').textContent()).toMatch(/update|administrators/i);
    expect(await name.inputValue()).toBe('Town');
    expect(await theirs.accessibilityFaults()).toEqual([]);
    await theirs.context.close();
  });

  it('who may not even read it is told why', async () => {
    const closed = await withMembers(await service.project());
    await signUp(closed, 'bob');
    await ok(closed.put('/kind/unit/kind', { access: { read: 'admin' } }));
    const theirs = await ConsolePage.open(browser, closed);
    await theirs.page.goto(theirs.url('#/model'));
    await theirs.signIn('bob', 'secret of bob');
    const alert = theirs.page.getByRole('main').getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).toContain("'kind'");
    expect(await theirs.accessibilityFaults()).toEqual([]);
    await theirs.context.close();
  });
});

describe('a project of 200 kinds', () => {
  it('is listed, found and drawn', { timeout: 240_000 }, async () => {
    const large = await service.project();
    const ids = Array.from({ length: 200 }, (_, at) => `thing_${at}`);
    const referring = (at: number) => ({ id: `to_${at}`, kind_id: 'unit', reference_kind: ids[Math.floor(at / 4)] });
    const kinds = ids.map((id, at) => ({
      id,
      label: `Thing ${at}`,
      parameters: at % 3 === 1 && at < 150 ? [referring(at)] : [],
    }));
    await defineKinds(large, ...kinds);
    const other = await ConsolePage.signedIn(browser, large);
    await other.page.goto(other.url('#/model'));
    await other.page.getByRole('article').nth(24).waitFor();
    expect(await other.page.getByRole('article').count()).toBeLessThan(30);
    await other.page.getByRole('button', { name: 'Show 25 more of 201' }).click();
    await other.page.getByRole('article').nth(49).waitFor();
    await other.page.getByRole('searchbox', { name: 'Find by name' }).fill('thing 19');
    await expect.poll(() => other.page.getByRole('article').count(), { timeout: 15_000 }).toBe(11);
    await other.page.goto(other.url('#/model?view=diagram'));
    await other.page.getByText('201 of 201 kinds').waitFor();
    const began = Date.now();
    await other.page.locator('.graph-box').first().waitFor();
    expect(Date.now() - began).toBeLessThan(10_000);
    await other.screenshot('model-diagram-200');
    await other.page.getByRole('button', { name: 'Show everything' }).click();
    await other.page.locator('.graph-box').nth(199).waitFor();
    await other.screenshot('model-diagram-200-all');
    await other.page.goto(other.url('#/model?view=diagram&focus=thing_5'));
    await other.page.getByText(/^[2-9] of 201 kinds/).waitFor();
    expect(other.complaints).toEqual([]);
  });
});

it('fits a telephone', async () => {
  await page.setViewportSize({ width: 320, height: 640 });
  for (const hash of ['#/model', '#/model?view=diagram', '#/model/kind/edit/country']) {
    await page.goto(url(hash));
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect([hash, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([hash, 320]);
  }
});
