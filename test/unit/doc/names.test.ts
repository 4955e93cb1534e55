/** Names in a document: distinct without case and punctuation, and unchanged when kinds are added. */
import { describe, expect, it } from 'vitest';
import { bareName, BUILT_IN_PREFIX, DistinctNames, KindNames, SCHEMA_FORMS } from '../../../src/doc/openapi/names.js';
import { TAGS } from '../../../src/http/route/api-route.js';
import { SHARED_SCHEMAS } from '../../../src/doc/openapi/schema/shared.schemas.js';

const namesOf = (...ids: string[]) => new KindNames(ids, Object.keys(TAGS));
const schemasOf = (names: KindNames, ids: readonly string[]) =>
  ids.flatMap((id) => SCHEMA_FORMS.map((form) => names.schema(id, form)));

describe('names of schemas', () => {
  it('of built-in schemas never collide with those of kinds', () => {
    for (const name of Object.keys(SHARED_SCHEMAS)) {
      expect(name.startsWith(BUILT_IN_PREFIX)).toBe(true);
      expect([...SCHEMA_FORMS, 'value', 'input'].filter((form) => bareName(name).endsWith(form))).toEqual([]);
    }
  });

  it('say what they describe', () => {
    const forms = ['record', 'answer', 'page', 'create', 'update', 'created', 'created_many'].map(
      (form) => `book.${form}`,
    );
    expect(schemasOf(namesOf('book'), ['book'])).toEqual(forms);
  });

  it('are distinct for ids that look like other names, or differ by an underscore', () => {
    const ids = ['order', 'order_update', 'order_create', 'orderupdate', 'order_', 'o_rder', 'session', 'kinderror'];
    const names = namesOf(...ids);
    const all = [...schemasOf(names, ids), ...Object.keys(SHARED_SCHEMAS)];
    expect(new Set(all.map(bareName)).size).toBe(all.length);
    expect(names.schema('order_update', 'create')).toBe('order_update.create');
    expect(names.schema('orderupdate', 'create')).toMatch(/^orderupdate_[0-9a-f]{4}\.create$/);
  });

  it('stay when kinds are added', () => {
    const ids = ['ab', 'a_b', 'links', 'links_kind', 'a__b'];
    for (let count = 1; count < ids.length; count += 1) {
      const [before, after] = [namesOf(...ids.slice(0, count)), namesOf(...ids.slice(0, count + 1))];
      for (const id of ids.slice(0, count)) {
        expect([after.schema(id, 'record'), after.tag(id)]).toEqual([before.schema(id, 'record'), before.tag(id)]);
      }
    }
  });
});

describe('tags', () => {
  it('of kinds differ from the built-in ones', () => {
    const names = namesOf('links', 'service', 'city');
    expect(['links', 'service', 'city'].map((id) => names.tag(id))).toEqual(['links (kind)', 'service (kind)', 'city']);
    expect(Object.keys(TAGS)).toContain('Links');
  });
});

describe('distinct names', () => {
  it('give the first free choice, then always the same', () => {
    const names = () => new DistinctNames(['A b']);
    expect(names().take('c', 'd')).toBe('c');
    expect(names().take('a_B', 'c')).toBe('c');
    expect(names().take('ab')).toBe(names().take('ab'));
    expect(names().take('ab')).toMatch(/^ab_[0-9a-f]{4}$/);
  });
});
