/** The example of docs/model.md is a kind that can be created, with the defaults that the page lists. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sharedService } from '../support/service.js';
import { codeBlocks, tableRows } from './markdown.js';

const page = readFileSync(join(import.meta.dirname, '../../docs/model.md'), 'utf8');
const example = codeBlocks(page).find(({ info }) => info === 'json kind')?.text ?? '';
const project = await (await sharedService()).project();

test('the example can be created', async () => {
  const reply = await project.post('/kind/unit', example);
  const { parameters, ...rest } = JSON.parse(example) as { parameters: { id: string }[] };
  expect(reply).toMatchObject({
    status: 200,
    body: { content: { ...rest, parameters: parameters.map(({ id }) => id) } },
  });
  const flight = { number: 'KI1234', departs: '2024-01-31T09:30:00+01:00' };
  const answer = { number: 'KI1234', departs: '2024-01-31T08:30:00.000000Z', seats: 0 };
  expect(await project.post('/flight/unit', flight)).toMatchObject({ status: 200, body: { content: answer } });
  expect(await project.post('/flight/unit', flight)).toMatchObject({ status: 409 });
  const late = { number: 'KI1', departs: '2024-01-31T09:00:00Z', arrives: '2024-01-31T09:00:00Z' };
  const text = 'It cannot arrive before it departs';
  expect((await project.post('/flight/unit', late)).body.messages).toEqual([
    { code: 'unit.check', text, check: 'times' },
  ]);
});

test('the defaults of a kind are those of the table', async () => {
  const { body } = await project.post('/kind/unit', { id: 'plain' });
  const section = (page.split('## Kinds')[1] ?? '').split('## Parameters')[0] ?? '';
  const told = tableRows(section).filter(([name]) => !name?.includes(','));
  expect(told.length).toBeGreaterThan(5);
  for (const [name = '', value = ''] of told) {
    const field = name.replaceAll('`', '');
    const expected: unknown = value === 'none' ? null : JSON.parse(value.replaceAll('`', ''));
    expect({ [field]: (body.content as Record<string, unknown>)[field] }).toEqual({ [field]: expected });
  }
});

test('every parameter type of the table can be used', async () => {
  const section = page.split('## Parameters')[1] ?? '';
  const types = tableRows(section).slice(0, 12);
  const parameters = types.map(([type = '']) => {
    const id = type.replaceAll('`', '');
    return { id: `a_${id}`, kind_id: id, ...(id === 'unit' && { reference_kind: 'flight' }) };
  });
  expect(await project.post('/kind/unit', { id: 'everything', parameters })).toMatchObject({ status: 200 });
});
