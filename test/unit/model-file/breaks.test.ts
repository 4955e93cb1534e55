/** What a change of the model breaks for programs that use the API. */
import { describe, expect, it } from 'vitest';
import type { Model } from '../../../src/model/model.js';
import type { ParameterTypeId } from '../../../src/model/parameter-type/parameter-types.js';
import { breaksOf } from '../../../src/model-file/breaks.js';
import { runSync } from '../../../src/shared/work-in-pieces.js';
import { kind, modelWith, parameter } from '../../support/models.js';

type Given = NonNullable<Parameters<typeof parameter>[2]>;

function breaksBetween(before: Model, after: Model): string[] {
  return runSync(breaksOf(before, after, []));
}

function withTitle(type: ParameterTypeId, given: Given): Model {
  return modelWith({ kinds: [kind('post', ['title'])], parameters: [parameter('title', type, given)] });
}

const CHANGED: readonly (readonly [ParameterTypeId, Given, Given, readonly string[], ParameterTypeId?])[] = [
  ['string', {}, { label: 'Title', indexed: true }, []],
  ['string', {}, {}, [], 'text'],
  ['integer', {}, {}, ['is a string, not a number'], 'decimal'],
  ['string', {}, { multiple: true }, ['is a list, each a string, not a string']],
  ['string', {}, { required: true }, ['is required']],
  ['string', {}, { required: true, default_value: 'a' }, []],
  ['string', {}, { nullable: false, default_value: 'a' }, ['may not be null']],
  ['string', { nullable: false, required: true }, { required: true }, ['may be null']],
  ['string', {}, { hidden: true }, ['is not answered']],
  ['string', {}, { unique: true }, ['is unique']],
  ['string', {}, { write_once: true }, ['is written once']],
  ['string', { values: ['a', 'b', 'c'] }, { values: ['c', 'a', 'd'] }, ['takes no b']],
  ['string', { values: ['a'] }, { values: ['a', 'b'] }, []],
  ['string', {}, { values: ['a', 'b'] }, ['takes a, b alone']],
  ['string', { max_length: 10 }, { max_length: 5 }, ['has max_length 5']],
  ['string', { max_length: 10 }, { max_length: 20 }, []],
  ['string', {}, { min_length: 1 }, ['has min_length 1']],
  ['string', { min_length: 3 }, { min_length: 2 }, []],
  ['string', {}, { pattern: '[a-z]' }, ['takes what matches [a-z]']],
  ['decimal', { min_value: '9', max_value: '20' }, { min_value: '10', max_value: '100' }, ['has min_value 10']],
  ['decimal', { scale: 2 }, { scale: 1 }, ['has scale 1']],
];

describe('a parameter', () => {
  it.each(CHANGED.map(([type, was, is, texts, to]) => ({ type, was, is, texts, to: to ?? type })))(
    'of type $type with $was that gets $is of $to: $texts',
    ({ type, was, is, texts, to }) => {
      const found = breaksBetween(withTitle(type, was), withTitle(to, is));
      expect(found).toEqual(texts.map((text) => `post.title ${text}`));
    },
  );

  it('is gone, or is new', () => {
    const [without, having] = [modelWith({ kinds: [kind('post', [])] }), withTitle('string', {})];
    expect(breaksBetween(having, without)).toEqual(['post.title is gone']);
    expect(breaksBetween(without, having)).toEqual([]);
    expect(breaksBetween(without, withTitle('string', { required: true }))).toEqual(['post.title is required']);
  });
});

describe('a kind, a link type', () => {
  const shared = parameter('line', 'integer');
  const cites = (parameters: readonly string[]) => ({ id: 'cites', label: 'cites', access: null, parameters });

  it.each([
    [{ kinds: [kind('post', [])] }, {}, ['post is gone']],
    [{ kinds: [kind('post', [])] }, { kinds: [kind('post', [], { active: false })] }, ['post is not active']],
    [{}, { kinds: [kind('post', [])] }, []],
    [
      { kinds: [kind('post', ['line'])] },
      {
        kinds: [
          kind('post', ['line'], {
            checks: [{ id: 'few', filter: 'lt(line,9)', text: 'No' }],
            unique: [['line', 'id']],
          }),
        ],
      },
      ['post is unique by line, id', 'post has the check few'],
    ],
    [{ links: [cites(['line'])] }, {}, ['links.cites is gone']],
    [{ links: [cites(['line'])] }, { links: [cites([])] }, ['links.cites.line is gone']],
    [
      { kinds: [kind('post', [])], members: ['post'] },
      { kinds: [kind('post', [])] },
      expect.arrayContaining(['groups.kind_auth_member has post no longer']) as string[],
    ],
  ])('%j, then %j: %j', (before, after, texts) => {
    const model = (records: object) => modelWith({ parameters: [shared], ...records });
    expect(breaksBetween(model(before), model(after))).toEqual(texts);
  });
});
