/** What a change lets somebody do with what was there: decided by who may do what before and after. */
import { expect, it } from 'vitest';
import { openings } from '../../../src/access/openings.js';
import { runSync } from '../../../src/shared/work-in-pieces.js';
import { kind, modelWith, parameter } from '../../support/models.js';

const NO = {
  read: 'admin',
  create: 'admin',
  update: 'admin',
  delete: 'admin',
  link: 'admin',
  function: 'admin',
  history: 'admin',
};

it.each<[string, object, object, string[]]>([
  ['the same', { access: NO }, { access: NO }, []],
  ['a wider level', { access: NO }, { access: { ...NO, read: 'member' } }, ['post:read member']],
  ['a narrower level', { access: { ...NO, read: 'anyone' } }, { access: NO }, []],
  ['a rule in place of nobody', { access: NO }, { access: { ...NO, read: ['eq(title,a)'] } }, ['post:read member']],
  [
    'a further rule',
    { access: { ...NO, read: ['eq(title,a)'] } },
    { access: { ...NO, read: ['eq(title,a)', 'eq(title,b)'] } },
    ['post:read member'],
  ],
  [
    'another rule',
    { access: { ...NO, read: ['eq(title,a)'] } },
    { access: { ...NO, read: ['eq(title,b)'] } },
    ['post:read member'],
  ],
  [
    'a rule less',
    { access: { ...NO, read: ['eq(title,a)', 'eq(title,b)'] } },
    { access: { ...NO, read: ['eq(title,a)'] } },
    [],
  ],
  [
    'a level in place of a rule',
    { access: { ...NO, read: ['eq(title,a)'] } },
    { access: { ...NO, read: 'member' } },
    ['post:read member'],
  ],
  [
    'a rule in place of a level',
    { access: { ...NO, read: 'member' } },
    { access: { ...NO, read: ['eq(title,a)'] } },
    [],
  ],
  [
    'what is public',
    { access: { ...NO, read: ['eq(title,a)'] } },
    { access: { ...NO, read: ['eq(title,a)'] }, public: true },
    ['post:read anyone'],
  ],
  [
    'what is active again',
    { access: { ...NO, read: 'member' }, active: false },
    { access: { ...NO, read: 'member' } },
    ['post:read member'],
  ],
])('%s', (_, before, after, expected) => {
  const model = (more: object) =>
    modelWith({ kinds: [kind('post', ['title'], more)], parameters: [parameter('title', 'string')] });
  const found = runSync(openings(model(before), model(after)));
  expect(found.map(({ name, who }) => `${name} ${who}`).filter((each) => !each.endsWith(' admin'))).toEqual(expected);
});

const NOTE = (more: object) => ({
  links: [{ id: 'cites', parameters: ['note'] }],
  parameters: [parameter('note', 'string', more)],
});

it.each<[string, object, object, string[]]>([
  ['values that everyone reads', NOTE({ read_access: 'admin' }), NOTE({}), ['links.cites.note:read anyone']],
  [
    'values that members write',
    NOTE({ write_access: 'nobody' }),
    NOTE({ write_access: 'member' }),
    ['links.cites.note:write member'],
  ],
  [
    'values that are shown',
    NOTE({ hidden: true }),
    NOTE({}),
    ['links.cites.note:read anyone', 'links.cites.note:write anyone'],
  ],
  ['values that fewer read', NOTE({}), NOTE({ read_access: 'admin' }), []],
  [
    'a new link type from kinds that strangers link from',
    { kinds: [kind('post', [], { public: true, access: { link: 'anyone' } })] },
    {
      kinds: [kind('post', [], { public: true, access: { link: 'anyone' } })],
      links: [{ id: 'cites', parameters: [] }],
    },
    ['links.cites:create anyone'],
  ],
  [
    'a new link type',
    { kinds: [kind('post', [], { access: NO })] },
    { kinds: [kind('post', [], { access: NO })], links: [{ id: 'cites', parameters: [] }] },
    [],
  ],
])('of link types: %s', (_, before, after, expected) => {
  const found = runSync(openings(modelWith(before), modelWith(after)));
  expect(found.map(({ name, who }) => `${name} ${who}`)).toEqual(expected);
});

const DRAFT = ['draft', 'sent', 'paid'];
const WAYS = { draft: ['sent'], sent: [{ to: 'paid', when: 'admin' }] };

it.each<[string, object | null, object | null, string[]]>([
  ['gone', WAYS, null, ['post.state:write anyone']],
  ['with a further value', WAYS, { ...WAYS, draft: ['sent', 'paid'] }, ['post.state:write anyone']],
  ['without a condition', WAYS, { ...WAYS, sent: ['paid'] }, ['post.state:write anyone']],
  ['the same in another order', WAYS, { sent: WAYS.sent, draft: WAYS.draft }, []],
  ['with more to begin with', { ...WAYS, initial: ['draft'] }, WAYS, ['post.state:write anyone']],
  ['with less to begin with', WAYS, { ...WAYS, initial: ['draft'] }, []],
  ['fewer', WAYS, { draft: ['sent'] }, []],
  ['where there were none', null, WAYS, []],
])('transitions: %s', (_, before, after, expected) => {
  const model = (transitions: object | null) =>
    modelWith({
      kinds: [kind('post', ['state'])],
      parameters: [parameter('state', 'string', { values: DRAFT, transitions: transitions as never })],
    });
  const found = runSync(openings(model(before), model(after)));
  expect(found.map(({ name, who }) => `${name} ${who}`)).toEqual(expected);
});
