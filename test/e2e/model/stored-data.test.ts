/** What protects stored units from changes of their definitions. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/shared/json.js';
import {
  expectNoDrift,
  expectRefused,
  itRefuses,
  ok,
  refusalOf,
  type Method,
  type RefusalRow,
} from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();

/** 3000 characters that cannot be compressed into an index. */
const LONG = Array.from({ length: 40 }, (_, at) => createHash('sha512').update(String(at)).digest('base64'))
  .join('')
  .slice(0, 3000);

/** One kind per type, with values that some rules would not allow; `null` is one of them. */
const STORED: readonly { type: string; values: readonly unknown[]; more?: object }[] = [
  { type: 'string', values: ['a', 'a', 'abc', '😀😀', null] },
  { type: 'text', values: ['', 'abc', LONG, null] },
  { type: 'integer', values: [-5, 0, 0, 7, null] },
  { type: 'float', values: [-0.5, 1e300, 1, null] },
  { type: 'decimal', values: ['1.25', '1.2', '-3', null] },
  { type: 'boolean', values: [true, true, false] },
  { type: 'date', values: ['2024-01-01', '2024-01-01', null] },
  { type: 'time', values: ['09:30:00', null] },
  { type: 'datetime', values: ['2024-01-01T00:00:00Z', null] },
  { type: 'binary', values: ['AAEC', '', null] },
  { type: 'json', values: [{ a: 1 }, [], null] },
];
for (const { type, values } of STORED) {
  await ok(project.post('/kind/unit', { id: `of_${type}`, parameters: [{ id: `v_${type}`, kind_id: type }] }));
  await ok(
    project.post(
      `/of_${type}/unit`,
      values.map((value) => ({ [`v_${type}`]: value })),
    ),
  );
}
await ok(
  project.post('/kind/unit', {
    id: 'lists',
    parameters: [
      { id: 'tags', kind_id: 'string', multiple: true },
      { id: 'counts', kind_id: 'integer', multiple: true },
    ],
  }),
);
await ok(
  project.post('/lists/unit', [
    { tags: ['a', 'b'], counts: [1, 2] },
    { tags: ['a', 'a'], counts: [1, 1, 9] },
    { tags: ['long one'], counts: [] },
    { tags: [], counts: null },
  ]),
);
await ok(
  project.post('/kind/unit', {
    id: 'pairs',
    parameters: [
      { id: 'left', kind_id: 'string' },
      { id: 'right', kind_id: 'integer' },
    ],
  }),
);
await ok(
  project.post('/pairs/unit', [
    { left: 'x', right: 1 },
    { left: 'x', right: 1 },
    { left: 'x', right: 2 },
    { left: null, right: 1 },
    { left: null, right: 1 },
  ]),
);
await ok(project.post('/kind/unit', { id: 'also', parameters: ['v_string'] }));
await ok(project.post('/also/unit', [{ v_string: 'longest' }, { v_string: 'a' }]));
await ok(
  project.post('/kind/unit', {
    id: 'natural',
    parameters: [
      { id: 'code', kind_id: 'string', is_primary: true },
      { id: 'note', kind_id: 'string' },
    ],
  }),
);
await ok(project.post('/natural/unit', [{ code: 'IT' }, { code: 'FR', note: 'x' }]));
await ok(
  project.post('/kind/unit', { id: 'refers', parameters: [{ id: 'ref', kind_id: 'unit', reference_kind: 'natural' }] }),
);
await ok(project.post('/refers/unit', [{ ref: 'IT' }, { ref: null }]));

const put = (path: string, body: object): RefusalRow['call'] => ['PUT', path, body];
const violated = (parameter: string, call: RefusalRow['call'], ...counts: number[]): RefusalRow => ({
  name: `${call[0]} ${call[1]} ${JSON.stringify(call[2] ?? null).slice(0, 80)}`,
  call,
  status: 409,
  messages: counts.map(() => `parameter.violated ${parameter}`),
  text: new RegExp(counts.map((count) => `(^|\\n)${count} units? of `).join('[^]*')),
});

describe('constraints that stored units violate are 409 with their number, and nothing changes', () => {
  itRefuses(project, [
    violated('v_string', put('/string/unit/v_string', { max_length: 2 }), 1, 1),
    violated('v_string', put('/string/unit/v_string', { max_length: 3 }), 1),
    violated('v_string', put('/string/unit/v_string', { min_length: 2 }), 2, 1),
    violated('v_string', put('/string/unit/v_string', { unique: true }), 2),
    violated('v_string', put('/string/unit/v_string', { nullable: false }), 1),
    violated('v_string', put('/string/unit/v_string', { values: ['a', 'abc'] }), 1, 1),
    violated('v_string', put('/string/unit/v_string', { pattern: '^[a-z]+$' }), 1),
    violated('v_string', put('/string/unit/v_string', { pattern: '^.$' }), 2, 1),
    violated('v_text', put('/text/unit/v_text', { max_length: 2999 }), 1),
    violated('v_text', put('/text/unit/v_text', { min_length: 1 }), 1),
    violated('v_text', put('/text/unit/v_text', { nullable: false }), 1),
    violated('v_integer', put('/integer/unit/v_integer', { min_value: 0 }), 1),
    violated('v_integer', put('/integer/unit/v_integer', { max_value: -1 }), 3),
    violated('v_integer', put('/integer/unit/v_integer', { values: [0, 7] }), 1),
    violated('v_integer', put('/integer/unit/v_integer', { unique: true }), 2),
    violated('v_float', put('/float/unit/v_float', { min_value: 0 }), 1),
    violated('v_float', put('/float/unit/v_float', { max_value: 0.5 }), 2),
    violated('v_decimal', put('/decimal/unit/v_decimal', { scale: 1 }), 1),
    violated('v_decimal', put('/decimal/unit/v_decimal', { scale: 0 }), 2),
    violated('v_decimal', put('/decimal/unit/v_decimal', { min_value: '1.21' }), 2),
    violated('v_decimal', put('/decimal/unit/v_decimal', { max_value: 1.2 }), 1),
    violated('v_boolean', put('/boolean/unit/v_boolean', { unique: true }), 2),
    violated('v_date', put('/date/unit/v_date', { unique: true }), 2),
    violated('v_time', put('/time/unit/v_time', { nullable: false }), 1),
    violated('v_datetime', put('/datetime/unit/v_datetime', { nullable: false }), 1),
    violated('v_binary', put('/binary/unit/v_binary', { max_length: 2 }), 1),
    violated('v_json', put('/json/unit/v_json', { nullable: false }), 1),
    violated('tags', put('/string/unit/tags', { unique: true }), 1),
    violated('tags', put('/string/unit/tags', { max_length: 1 }), 1),
    violated('tags', put('/string/unit/tags', { values: ['a', 'long one'] }), 1),
    violated('tags', put('/string/unit/tags', { pattern: '^.$' }), 1),
    violated('counts', put('/integer/unit/counts', { max_value: 1 }), 2),
    violated('counts', put('/integer/unit/counts', { nullable: false }), 1),
    violated('unique', put('/kind/unit/pairs', { unique: [['left', 'right']] }), 2),
    violated('unique', put('/kind/unit/pairs', { unique: [['left']] }), 3),
    violated('unique', put('/kind/unit/pairs', { unique: [['left', 'right'], ['right']] }), 2, 4),
    violated(
      'fresh',
      put('/kind/unit/pairs', { parameters: ['left', 'right', { id: 'fresh', kind_id: 'date', nullable: false }] }),
      5,
    ),
    violated(
      'fresh',
      put('/kind/unit/pairs', {
        parameters: ['left', 'right', { id: 'fresh', kind_id: 'integer', unique: true, default_integer: 1 }],
      }),
      5,
    ),
    {
      ...violated('v_text', put('/text/unit/v_text', { indexed: true }), 1),
      messages: ['parameter.violated'],
      text: /too long for an index/,
    },
    {
      name: 'several rules at once: each is told',
      call: put('/string/unit/v_string', { max_length: 2, nullable: false, unique: true }),
      status: 409,
      messages: [...Array<string>(4).fill('parameter.violated v_string')],
    },
  ]);

  it('the field of the definition is named, also for bytes', async () => {
    const { body } = await project.put('/binary/unit/v_binary', { max_length: 2 });
    expect(body.messages.map(({ text }) => text)).toEqual([
      "1 unit of 'of_binary' would violate the new max_length of 'v_binary'",
    ]);
  });

  it('bad input is reported before conflicts with stored data', async () => {
    await expectRefused(project, () => project.put('/string/unit/v_string', { max_length: 1, min_length: 2 }), {
      status: 400,
      messages: ['parameter.bad_definition min_length'],
    });
  });

  it('numbers go to administrators only', async () => {
    // A level below administrators is given the right to define parameters.
    await ok(project.put('/kind/unit/string', { access: { read: 'anyone', update: 'anyone' } }));
    const reply = await project.as(undefined).put('/string/unit/v_string', { max_length: 2 });
    expect(refusalOf(reply)).toEqual({
      status: 409,
      messages: ['parameter.violated v_string', 'parameter.violated v_string'],
    });
    expect(reply.body.messages.map(({ text }) => text).join()).not.toMatch(/\d unit/);
    await ok(project.put('/kind/unit/string', { access: null }));
  });
});

const locked = (name: string, call: RefusalRow['call'], parameter: string, text: RegExp = /while '/): RefusalRow => ({
  name,
  call,
  status: 409,
  messages: [`parameter.locked_by_units ${parameter}`],
  text,
});

describe('fields that never change while there are units', () => {
  itRefuses(project, [
    locked('multiple, on', put('/boolean/unit/v_boolean', { multiple: true }), 'v_boolean', /3 units/),
    locked('multiple, off', put('/integer/unit/counts', { multiple: false }), 'counts', /4 units/),
    locked('reference_kind', put('/unit/unit/ref', { reference_kind: 'pairs' }), 'ref', /2 units/),
    {
      name: 'is_primary, a second one',
      call: put('/string/unit/note', { is_primary: true }),
      status: 400,
      messages: ['kind.bad_definition parameters'],
    },
    locked('is_primary, on', put('/string/unit/left', { is_primary: true }), 'left', /5 units/),
    locked('is_primary, off', put('/string/unit/code', { is_primary: false }), 'code', /2 units/),
    locked('a key that is taken away', put('/kind/unit/natural', { parameters: ['note'] }), 'code', /2 units/),
    locked(
      'a key that is taken away, even with cascade',
      put('/kind/unit/natural?cascade=true', { parameters: ['note'] }),
      'code',
    ),
    {
      name: 'the value of a natural key',
      call: put('/natural/unit/IT', { code: 'ES' }),
      status: 409,
      messages: ['unit.key_immutable code'],
    },
  ]);

  it('can change while there are none', async () => {
    await ok(
      project.post('/kind/unit', {
        id: 'empty',
        parameters: [
          { id: 'k', kind_id: 'string' },
          { id: 'm', kind_id: 'integer', indexed: true },
        ],
      }),
    );
    await ok(
      project.post('/kind/unit', {
        id: 'to_empty',
        parameters: [
          { id: 'e', kind_id: 'unit', reference_kind: 'empty' },
          { id: 'self', kind_id: 'unit', reference_kind: 'to_empty' },
        ],
      }),
    );
    await ok(project.put('/integer/unit/m', { multiple: true }));
    await expectNoDrift(project);
    await ok(project.put('/string/unit/k', { is_primary: true }));
    await expectNoDrift(project);
    await ok(project.put('/unit/unit/e', { reference_kind: 'pairs' }));
    await expectNoDrift(project);
    await ok(project.put('/unit/unit/e', { reference_kind: 'empty', on_delete: 'cascade' }));
    await expectNoDrift(project);
    await ok(project.post('/empty/unit', { k: 'key', m: [1, 2] }));
    await ok(project.post('/to_empty/unit', { e: 'key' }));
    await ok(project.delete('/empty/unit/key'));
    expect(await ok(project.get('/to_empty/unit'))).toMatchObject({ count: 0 });
    await ok(project.put('/string/unit/k', { is_primary: false }));
    await expectNoDrift(project);
  });
});

describe('data is deleted only on request', () => {
  const surprise = (
    name: string,
    method: Method,
    path: string,
    messages: string[],
    text: RegExp,
    body?: object,
  ): RefusalRow => ({ name, call: [method, path, body], status: 409, messages, text });
  itRefuses(project, [
    surprise(
      'a kind with units',
      'DELETE',
      '/kind/unit/pairs',
      ['kind.has_units'],
      /^5 units of 'pairs'.*cascade=true/,
    ),
    surprise('a kind with units that becomes remote', 'PUT', '/kind/unit/pairs', ['kind.has_units'], /5 units/, {
      remote: true,
    }),
    surprise(
      'a parameter that a kind uses',
      'DELETE',
      '/string/unit/left',
      ['parameter.in_use'],
      /1 kind.*'pairs'.*cascade=true/,
    ),
    surprise(
      'a parameter that two kinds use',
      'DELETE',
      '/string/unit/v_string',
      ['parameter.in_use'],
      /2 kinds.*'of_string', 'also'/,
    ),
    surprise(
      'a parameter with values taken from a kind',
      'PUT',
      '/kind/unit/pairs',
      ['parameter.has_values left'],
      /3 units.*cascade=true/,
      { parameters: ['right'] },
    ),
    surprise(
      'two of them',
      'PUT',
      '/kind/unit/pairs',
      ['parameter.has_values left', 'parameter.has_values right'],
      /3 units[^]*5 units/,
      { parameters: [] },
    ),
    surprise(
      'through the link endpoint',
      'DELETE',
      '/kind/unit/pairs/link/parameter/string/unit/left',
      ['parameter.has_values left'],
      /3 units/,
    ),
    surprise(
      'a parameter with values that is no longer stored',
      'PUT',
      '/string/unit/left',
      ['parameter.has_values left'],
      /3 units/,
      { only_run_time: true },
    ),
    surprise('a kind that another refers to', 'DELETE', '/kind/unit/natural', ['kind.referenced'], /'refers' by 'ref'/),
    surprise(
      'a kind that another refers to, even with cascade',
      'DELETE',
      '/kind/unit/natural?cascade=true',
      ['kind.referenced'],
      /'refers' by 'ref'/,
    ),
    surprise(
      'a kind that another refers to, made remote',
      'PUT',
      '/kind/unit/natural?cascade=true',
      ['kind.referenced remote'],
      /'refers' by 'ref'/,
      { remote: true },
    ),
    surprise(
      'a unit that others refer to',
      'DELETE',
      '/natural/unit/IT',
      ['unit.referenced'],
      /1 of 'refers' by 'ref'/,
    ),
  ]);

  it.each(['cascade=yes', 'cascade=', 'cascade=true&cascade=true', 'cascade=1'])('?%s is no flag', async (flag) => {
    await expectRefused(project, () => project.delete(`/kind/unit/pairs?${flag}`), {
      status: 400,
      messages: ['query.bad_value cascade'],
    });
  });

  it('?cascade=false changes nothing', async () => {
    await expectRefused(project, () => project.delete('/kind/unit/pairs?cascade=false'), {
      status: 409,
      messages: ['kind.has_units'],
    });
    await expectRefused(project, () => project.delete('/kind/unit/pairs?casade=true'), {
      status: 400,
      messages: ['query.unknown casade'],
    });
  });

  it('a parameter without values is removed without confirmation', async () => {
    await ok(project.post('/kind/unit', { id: 'quiet', parameters: [{ id: 'none', kind_id: 'string' }] }));
    await ok(project.post('/quiet/unit', [{ none: null }, {}]));
    await ok(project.put('/kind/unit/quiet', { parameters: [] }));
    expect(await ok(project.get('/quiet/unit'))).toMatchObject({ count: 2 });
    await ok(project.delete('/string/unit/none'));
  });

  it('cascade=true does it', async () => {
    await ok(
      project.post('/kind/unit', {
        id: 'doomed',
        parameters: [
          { id: 'd1', kind_id: 'string' },
          { id: 'd2', kind_id: 'integer' },
          { id: 'd3', kind_id: 'date' },
        ],
        unique: [['d1', 'd2'], ['d3']],
        indexes: [['d2', 'd1']],
      }),
    );
    await ok(project.post('/doomed/unit', { d1: 'a', d2: 1, d3: '2024-01-01' }));
    await ok(project.put('/date/unit/d3?cascade=true', { only_run_time: false }));
    await ok(project.delete('/kind/unit/doomed/link/parameter/string/unit/d1?cascade=true'));
    expect(await ok(project.get('/kind/unit/doomed'))).toMatchObject({
      parameters: ['d2', 'd3'],
      unique: [['d3']],
      indexes: [],
    });
    await expectNoDrift(project);
    await ok(project.delete('/integer/unit/d2?cascade=true'));
    expect(await ok(project.get('/kind/unit/doomed'))).toMatchObject({ parameters: ['d3'] });
    await ok(project.put('/kind/unit/doomed?cascade=true', { parameters: [], unique: [] }));
    expect(await ok(project.get('/doomed/unit'))).toMatchObject({ count: 1, items: [{ kind_id: 'doomed' }] });
    await ok(project.delete('/kind/unit/doomed?cascade=true'));
    await expectNoDrift(project);
    // What was taken from the kind is still there, and can be used again.
    expect(await ok(project.get('/string/unit/d1'))).toMatchObject({ id: 'd1' });
    expect(refusalOf(await project.get('/integer/unit/d2'))).toEqual({ status: 404, messages: ['unit.unknown'] });
  });

  it('a remote kind that references another one does not protect its units', async () => {
    await ok(
      project.post('/kind/unit', {
        id: 'far',
        remote: true,
        parameters: [
          { id: 'near', kind_id: 'unit', reference_kind: 'natural' },
          { id: 'nearer', kind_id: 'unit', reference_kind: 'natural', on_delete: 'cascade' },
        ],
      }),
    );
    await ok(project.post('/natural/unit', { code: 'XX' }));
    await ok(project.delete('/natural/unit/XX'));
    await expectRefused(project, () => project.delete('/natural/unit/IT'), {
      status: 409,
      messages: ['unit.referenced'],
    });
    await ok(project.delete('/kind/unit/far'));
  });

  it('kinds that refer to themselves, or to each other through kinds deleted first, can be deleted', async () => {
    await ok(
      project.post('/kind/unit', {
        id: 'tree',
        parameters: [{ id: 'parent_tree', kind_id: 'unit', reference_kind: 'tree' }],
      }),
    );
    const root = (await ok(project.post('/tree/unit', {}))) as { id: string };
    await ok(project.post('/tree/unit', { parent_tree: root.id }));
    await ok(project.delete('/kind/unit/tree?cascade=true'));
    await expectNoDrift(project);
  });
});

describe('definitions that become wider, or that all units satisfy, are accepted', () => {
  it.each([
    [
      '/string/unit/v_string',
      { max_length: 7, min_length: 1, values: ['a', 'abc', '😀😀', 'longest'], pattern: '^[^b-z]|l' },
    ],
    ['/string/unit/v_string', { max_length: null, min_length: null, values: null, pattern: null }],
    ['/integer/unit/v_integer', { min_value: -5, max_value: 7, values: [-5, 0, 7], indexed: true }],
    ['/decimal/unit/v_decimal', { scale: 2, min_value: '-3', max_value: '1.25', unique: true }],
    ['/float/unit/v_float', { min_value: -0.5, max_value: 1e300 }],
    ['/binary/unit/v_binary', { max_length: 3 }],
    ['/boolean/unit/v_boolean', { nullable: false }],
    ['/boolean/unit/v_boolean', { nullable: true }],
    ['/string/unit/tags', { max_length: 8, indexed: true }],
    ['/kind/unit/pairs', { indexes: [['left', 'right'], ['right']] }],
    ['/kind/unit/pairs', { indexes: [], parameters: ['right', 'left'] }],
  ])('PUT %s %j', async (path, body) => {
    expect(await ok(project.put(path, body))).toMatchObject(body);
    await expectNoDrift(project);
  });
});

describe('a parameter that is added later', () => {
  it.each<[string, Json, Json?]>([
    ['string', 'ab\'"\\ 😀'],
    ['text', 'a\nb'],
    ['integer', -7],
    ['float', 1.5e-7],
    ['decimal', '12.50', '12.5'],
    ['boolean', false],
    ['date', '2024-02-29'],
    ['time', '09:30:00.250000', '09:30:00.25'],
    ['datetime', '2024-02-29T23:59:59.999999+01:00', '2024-02-29T22:59:59.999999Z'],
    ['binary', 'AP8='],
    ['json', { a: ["'", null, '\\'] }],
    ['json', []],
    ['json', 'text'],
  ])(
    'of type %s shows its default %j on units that are there, without rewriting the table',
    async (type, value, given) => {
      const shown = given ?? value;
      const id = `late_${type}_${JSON.stringify(value).length}`;
      await ok(project.post('/kind/unit', { id, parameters: [{ id: `${id}_n`, kind_id: 'integer' }] }));
      await ok(project.post(`/${id}/unit`, [{ [`${id}_n`]: 1 }, { [`${id}_n`]: 2 }]));
      const file = async () => {
        const [row] = await service.service.database.run<{ file: string }>({
          text: 'SELECT pg_relation_filenode($1::regclass)::text AS file',
          values: [`"project_${project.id}"."${id}"`],
        });
        return row?.file;
      };
      const before = await file();
      const definitions = [
        { id: `${id}_one`, kind_id: type, [`default_${type}`]: value, nullable: false },
        { id: `${id}_many`, kind_id: type, multiple: true, [`default_${type}`]: [value, value] },
        { id: `${id}_none`, kind_id: type },
      ];
      await ok(project.put(`/kind/unit/${id}`, { parameters: [`${id}_n`, ...definitions] }));
      expect(await file()).toBe(before);
      const own = { [`${id}_one`]: shown, [`${id}_many`]: [shown, shown], [`${id}_none`]: null };
      const { items } = (await ok(project.get(`/${id}/unit`))) as { items: object[] };
      expect(items).toMatchObject([own, own]);
      // The default is the definition's, not the column's: it can change.
      const other = await ok(project.post(`/${id}/unit`, { [`${id}_many`]: [], [`${id}_none`]: value }));
      expect(other).toMatchObject({ [`${id}_one`]: shown, [`${id}_many`]: [], [`${id}_none`]: shown });
      await ok(project.put(`/${type}/unit/${id}_many`, { [`default_${type}`]: null }));
      expect(await ok(project.post(`/${id}/unit`, {}))).toMatchObject({ [`${id}_many`]: null });
      expect(((await ok(project.get(`/${id}/unit`))) as { items: object[] }).items[0]).toMatchObject(own);
      await expectNoDrift(project);
    },
  );
});
