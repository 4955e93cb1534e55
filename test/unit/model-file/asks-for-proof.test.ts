/** Which openings no API key allows, and a session only after a fresh proof. */
import { expect, it } from 'vitest';
import { asksForProof } from '../../../src/model-file/asks-for-proof.js';
import { kind, modelWith } from '../../support/models.js';

const modelOf = (signup: 'admin' | 'anyone') =>
  modelWith({ kinds: [kind('post', []), kind('person', [], { access: { signup } })], members: ['person'] });
const [CLOSED, OPEN] = [modelOf('admin'), modelOf('anyone')];

const step = (name: string, who: string) => ({
  change: 'edit' as const,
  name,
  opens: [{ who, what: name.split(':')[1] ?? '' }],
});

it.each([
  ['post:create', 'member', false],
  ['post:create', 'anyone', true],
  ['kind_admin:create', 'member', true],
  ['kind:update', 'member', true],
  ['group:link', 'member', true],
  ['link:create', 'member', true],
  ['string:create', 'member', true],
  ['api_key:read', 'member', true],
  ['webhook:create', 'admin', true],
  ['file:read', 'member', false],
  ['person:create', 'member', true],
  ['person:update', 'member', true],
  ['person.role', 'member', true],
  ['person.role:write', 'self', true],
  ['person:read', 'member', false],
  ['settings.access_default', 'member', true],
  ['links.link:create', 'member', false],
])('where nobody signs up: %s to %s is %s', (name, who, expected) => {
  expect(asksForProof(step(name, who), CLOSED, CLOSED)).toBe(expected);
});

it.each(['post:create', 'person:read', 'links.link:create', 'file:read'])(
  'where anyone signs up, before or after, members are strangers: %s',
  (name) => {
    for (const [before, after] of [[OPEN, CLOSED] as const, [CLOSED, OPEN] as const])
      expect(asksForProof(step(name, 'member'), before, after)).toBe(true);
    expect(asksForProof(step(name, 'admin'), OPEN, OPEN)).toBe(false);
  },
);

it('what opens nothing may be changed', () => {
  for (const name of ['kind_admin', 'kind:update', 'person:create', 'settings.access_default'])
    expect(asksForProof({ change: 'edit', name }, OPEN, OPEN)).toBe(false);
});
