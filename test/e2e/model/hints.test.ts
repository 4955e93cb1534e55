/** A body with many unknown names is told of all of them, and of the nearest known one for the first ones only. */
import { expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { LIMITS } from '../../../src/shared/limits.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
await defineKinds(project, { id: 'book', label: 'Book', parameters: [{ id: 'title', kind_id: 'string' }] });

const names = (near: string) => Array.from({ length: 30 }, (_, at) => `${near}${String.fromCharCode(97 + at)}`);

it.each([
  ['parameters of a kind', '/kind/unit', { id: 'other', parameters: names('title') }],
  ['columns of a unique list', '/kind/unit', { id: 'other', parameters: ['title'], unique: [names('title')] }],
  ['kinds of a group', '/group/unit', { id: 'shelf', kind_list: names('book') }],
  [
    'kinds that are referred to',
    '/kind/unit',
    {
      id: 'other',
      parameters: names('to').map((_, at) => ({ id: `to_${at}`, kind_id: 'unit', reference_kind: `book${at}` })),
    },
  ],
  ['parameters of a unit', '/book/unit', Object.fromEntries(names('title').map((name) => [name, 1]))],
])('%s', async (_, path, body) => {
  const reply = await project.post(path, body);
  expect(reply.status).toBe(400);
  expect(reply.body.messages.length).toBeGreaterThanOrEqual(30);
  const hints = reply.body.messages.filter(({ text }) => text.includes('did you mean'));
  expect(hints.length).toBeGreaterThan(0);
  expect(hints.length).toBeLessThanOrEqual(LIMITS.hints);
});
