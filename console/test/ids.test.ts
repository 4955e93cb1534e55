/** The ids that forms make from labels are those that the service makes. */
import { describe, expect, it } from 'vitest';
import { identifierFromLabel } from '../../src/shared/identifiers.js';
import { bodyOf, draftOf, ownerOf } from '../src/model/definition-draft.js';
import { idOf, newParameter, sentParameter } from '../src/model/parameter-drafts.js';
import type { Model } from '../src/model/use-model.js';

const none = new Map<string, never>();
const model: Model = {
  kinds: none,
  parameters: none,
  groups: none,
  linkTypes: none,
  memberKinds: new Set(),
  types: ['string'],
};

describe.each([
  ['Ärger', 'arger'],
  ['  Café (2. Etage) ', 'cafe_2_etage'],
  ['ﬁne print', 'fine_print'],
  ['constructor', 'constructor'],
  ['a'.repeat(63), 'a'.repeat(63)],
  ['2nd floor', undefined],
  ['Ελλάδα', undefined],
  ['a'.repeat(64), undefined],
  ['\u202e', undefined],
])('the label %j', (label, id) => {
  const parameter = { ...newParameter('string'), inputs: { label } };

  it('gives the id of the service in the form and its preview', () => {
    expect(identifierFromLabel(label)).toBe(id);
    expect(ownerOf({ ...draftOf(undefined), label })).toBe(id ?? '');
    expect(idOf(parameter, 'kind', model)).toBe(id ?? '');
  });

  it('without an id is sent without one, so that the service asks for it', () => {
    const before = draftOf(undefined);
    const expected = id === undefined ? { label } : { id, label };
    expect(bodyOf('kind', { ...before, label }, before, true, model)).toEqual(expected);
    expect(sentParameter(parameter, 'kind', model)).toMatchObject(expected);
  });
});
