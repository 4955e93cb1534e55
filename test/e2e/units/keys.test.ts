/** Natural keys: what can be one, how it is written in a path, and that it never changes. */
import { describe, expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { createdId } from '../../support/definitions.js';
import { wireRequest } from '../../support/scenario.js';
import { sharedService } from '../../support/service.js';
import { send } from '../../support/wire.js';

const service = await sharedService();
const project = await service.project();
const KINDS = ['string', 'text', 'integer', 'decimal', 'date'] as const;
await defineKinds(
  project,
  ...KINDS.map((type) => ({
    id: `by_${type}`,
    label: type,
    parameters: [
      { id: `key_${type}`, kind_id: type, is_primary: true },
      { id: `note_${type}`, kind_id: 'string' },
    ],
  })),
  {
    id: 'stripped',
    label: 'Stripped',
    parameters: [{ id: 'stripped_key', kind_id: 'string', is_primary: true, strip: true, max_length: 5 }],
  },
  { id: 'plain', label: 'Plain', parameters: [{ id: 'name', kind_id: 'string' }] },
);
/** Paths go over the wire as they are: a client would normalise dots away. */
const call = (method: string, path: string, body?: unknown) =>
  send(service.service, wireRequest(project, { request: `${method} ${path}`, body }));
const encoded = (key: string) => encodeURIComponent(key).replace(/\./g, '%2E');

describe('a key of text', () => {
  it.each([
    'a',
    'Rome',
    'rome',
    ' ',
    ' a ',
    '...',
    '.a',
    'a.',
    '..a',
    'a/b',
    '/',
    '//',
    '../x',
    'a/../b',
    'unit',
    'struct',
    '%',
    '%25',
    '%2F',
    'a%2Fb',
    '%zz',
    '+',
    'a+b',
    'a b',
    '?',
    '#',
    'a?b#c',
    '&',
    '=',
    ';',
    ':',
    '@',
    '"',
    "'",
    '\\',
    '*',
    '(',
    ',',
    '[x]',
    'é',
    'e\u0301',
    '🙂',
    '👩‍👩‍👧',
    'שלום',
    '\u202eabc',
    '\u200b',
    '\u00a0',
    '\ufeff',
    '\n',
    '\t',
    '\u0001',
    'null',
    'undefined',
    'constructor',
    '__proto__',
    'toString',
    '0',
    '-1',
    '1.0',
    '0190163d-8694-739b-aea5-966c26f8ad91',
    'x'.repeat(1000),
    '🙂'.repeat(500),
  ])('%j is stored, got, listed, edited and deleted', async (key) => {
    for (const kind of ['by_string', 'by_text']) {
      const parameter = kind.replace('by', 'key');
      const path = `/${kind}/unit/${encoded(key)}`;
      const made = await call('POST', `/${kind}/unit`, { [parameter]: key });
      expect(made, made.text.slice(0, 300)).toMatchObject({
        status: 200,
        body: { content: { id: key, kind_id: kind, [parameter]: key } },
      });
      expect((await call('GET', path)).body.content).toEqual(made.body.content);
      expect((await call('GET', `${path}/struct`)).status).toBe(200);
      expect((await call('POST', `/${kind}/unit`, { [parameter]: key })).body.messages).toMatchObject([
        { code: 'parameter.not_unique', parameter },
      ]);
      const filter = encodeURIComponent(
        `and(eq(id,"${key.replace(/["\\]/g, '\\$&')}"),in(${parameter},"${key.replace(/["\\]/g, '\\$&')}"))`,
      );
      expect((await call('GET', `/${kind}/unit?filter=${filter}`)).body.content).toMatchObject({
        count: 1,
        items: [{ id: key }],
      });
      expect((await call('PUT', path, { id: key, [parameter]: key, [kind.replace('by', 'note')]: 'n' })).status).toBe(
        200,
      );
      expect((await call('PUT', path, { [parameter]: `${key}x` })).body.messages).toMatchObject([
        { code: 'unit.key_immutable', parameter },
      ]);
      expect((await call('DELETE', path)).status).toBe(200);
      expect((await call('GET', path)).status).toBe(404);
    }
  });

  it.each(['', '.', '..'])('%j cannot be a key, because it cannot be in a path', async (key) => {
    for (const kind of ['string', 'text']) {
      const reply = await call('POST', `/by_${kind}/unit`, { [`key_${kind}`]: key });
      expect(reply).toMatchObject({
        status: 400,
        body: { messages: [{ code: 'parameter.bad_value', parameter: `key_${kind}` }] },
      });
    }
    expect((await call('POST', '/stripped/unit', { stripped_key: ` ${key} ` })).status).toBe(400);
  });

  it('is decoded once, and only once', async () => {
    await call('POST', '/by_string/unit', { key_string: '50%25' });
    expect((await call('GET', '/by_string/unit/50%25')).status).toBe(404);
    expect((await call('GET', '/by_string/unit/50%2525')).body.content.id).toBe('50%25');
    expect((await call('GET', '/by_string/unit/50%252525')).status).toBe(404);
    expect((await call('GET', '/by_string/unit/50+25')).status).toBe(404);
  });

  it('is compared by its code points, not by their appearance', async () => {
    await call('POST', '/by_string/unit', { key_string: 'caf\u00e9' });
    expect((await call('POST', '/by_string/unit', { key_string: 'cafe\u0301' })).status).toBe(200);
    expect((await call('POST', '/by_string/unit', { key_string: 'CAF\u00c9' })).status).toBe(200);
    expect((await call('GET', `/by_string/unit/${encodeURIComponent('cafe\u0301')}`)).body.content.id).toBe(
      'cafe\u0301',
    );
  });

  it('is stripped and validated', async () => {
    expect((await call('POST', '/stripped/unit', { stripped_key: '  ab ' })).body.content).toMatchObject({
      id: 'ab',
      stripped_key: 'ab',
    });
    expect((await call('POST', '/stripped/unit', { stripped_key: 'abcdef' })).body.messages).toMatchObject([
      { code: 'parameter.too_long' },
    ]);
    expect((await call('PUT', '/stripped/unit/ab', { stripped_key: ' ab' })).status).toBe(200);
    expect((await call('GET', '/stripped/unit/%20ab')).status).toBe(404);
  });

  it('too long for an index is reported as such', async () => {
    const long = Array.from({ length: 9000 }, (_, at) => String.fromCodePoint(0x4e00 + ((at * 7919) % 20_000))).join(
      '',
    );
    expect((await call('POST', '/by_text/unit', { key_text: long })).body.messages).toMatchObject([
      { code: 'parameter.too_long', parameter: 'key_text' },
    ]);
  });

  it('is required and not null', async () => {
    expect((await call('POST', '/by_string/unit', {})).body.messages).toMatchObject([
      { code: 'parameter.required', parameter: 'key_string' },
    ]);
    expect((await call('POST', '/by_string/unit', { key_string: null })).body.messages).toMatchObject([
      { code: 'parameter.null', parameter: 'key_string' },
    ]);
    expect((await call('POST', '/by_string/unit', { id: 'a', key_string: 'a1' })).body.messages).toMatchObject([
      { code: 'parameter.read_only', parameter: 'id' },
    ]);
  });
});

describe('a key of another type', () => {
  it.each<[string, unknown, string, readonly string[]]>([
    ['integer', 7, '7', ['07', '7.0', '+7', ' 7', '7 ', '%37%20', '0x7', '٧', '7e0']],
    ['integer', -5, '-5', ['-05', '- 5']],
    ['integer', 0, '0', ['-0', '00']],
    [
      'integer',
      9007199254740991,
      '9007199254740991',
      ['9007199254740992', '9007199254740991.0', '99999999999999999999'],
    ],
    ['decimal', '12.50', '12.5', ['12.50', '012.5', '+12.5', '1.25e1', '12,5']],
    ['decimal', '-0.0', '0', ['-0', '0.0', '00']],
    ['decimal', '100', '100', ['1e2', '100.']],
    ['date', '2024-01-31', '2024-01-31', ['31-01-2024', '2024-1-31', '2024-01-31T00:00:00Z', '20240131']],
  ])('of %s: %j is %s in a path, and no other text is', async (type, value, key, others) => {
    const made = await call('POST', `/by_${type}/unit`, { [`key_${type}`]: value });
    expect(made.body.content).toMatchObject({ id: key });
    const path = `/by_${type}/unit/${key}`;
    expect((await call('GET', path)).body.content).toEqual(made.body.content);
    expect((await call('PUT', path, { [`key_${type}`]: value, [`note_${type}`]: 'x' })).body.content).toMatchObject({
      id: key,
      [`note_${type}`]: 'x',
    });
    for (const other of others) {
      for (const method of ['GET', 'PUT', 'DELETE'])
        expect(
          (await call(method, `/by_${type}/unit/${encodeURIComponent(other)}`, method === 'PUT' ? {} : undefined))
            .status,
          `${method} ${other}`,
        ).toBe(404);
    }
    expect((await call('POST', `/by_${type}/unit`, { [`key_${type}`]: value })).body.messages).toMatchObject([
      { code: 'parameter.not_unique', parameter: `key_${type}` },
    ]);
    expect((await call('DELETE', path)).status).toBe(200);
  });

  it.each(['boolean', 'float', 'json', 'binary', 'time', 'datetime'])('%s cannot be a key', async (type) => {
    expect((await call('POST', `/${type}/unit`, { id: `no_${type}`, is_primary: true })).status).toBe(400);
  });

  it('orders and filters as its type', async () => {
    await call(
      'POST',
      '/by_integer/unit',
      [2, 10, -1].map((key_integer) => ({ key_integer })),
    );
    const keys = async (query: string) =>
      ((await call('GET', `/by_integer/unit?${query}`)).body.content.items as { id: string }[]).map(({ id }) => id);
    expect(await keys('order=id;asc')).toEqual(['-1', '2', '10']);
    expect(await keys('order=key_integer;desc')).toEqual(['10', '2', '-1']);
    expect(await keys('filter=gt(id,1)&order=id;asc')).toEqual(['2', '10']);
  });
});

describe('a generated key', () => {
  it('is a UUID of version 7, later ones greater', async () => {
    const made: string[] = [];
    for (let at = 0; at < 5; at += 1) made.push(await createdId(call('POST', '/plain/unit', {})));
    made.push(
      ...(
        (
          await call(
            'POST',
            '/plain/unit',
            Array.from({ length: 100 }, () => ({})),
          )
        ).body.content.items as { id: string }[]
      ).map(({ id }) => id),
    );
    for (const id of made) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect([...made].sort()).toEqual(made);
  });

  it('is found in capitals too, and in no other form', async () => {
    const id = await createdId(call('POST', '/plain/unit', {}));
    expect((await call('GET', `/plain/unit/${id.toUpperCase()}`)).body.content.id).toBe(id);
    for (const other of [id.replaceAll('-', ''), `{${id}}`, `${id}x`, `urn:uuid:${id}`, id.slice(1), ` ${id}`])
      expect((await call('GET', `/plain/unit/${encodeURIComponent(other)}`)).status, other).toBe(404);
  });
});
