/** What is wrong in a model file is told with its line and path, before it meets a project. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readModelFile, type FileType } from '../../../src/model-file/read-model-file.js';
import { modelFileSchema } from '../../../src/model-file/schema.js';
import { KindError } from '../../../src/shared/errors.js';
import { codeBlocks } from '../../docs/markdown.js';
import { EventLoopYield } from '../../../src/shared/event-loop-yield.js';
import { LIMITS } from '../../../src/shared/limits.js';

const HEAD = 'format: kind-model\nversion: 1\n';

const EXAMPLE =
  codeBlocks(readFileSync(join(import.meta.dirname, '../../../docs/model-as-code.md'), 'utf8')).find(
    ({ info }) => info === 'yaml model',
  )?.text ?? '';

async function faultsIn(text: string, type: FileType = 'yaml'): Promise<string[]> {
  try {
    await readModelFile(text, type, new EventLoopYield());
    return [];
  } catch (error) {
    if (!(error instanceof KindError)) throw error;
    expect(error.messages.every(({ code }) => code === 'model.bad_file')).toBe(true);
    return error.messages.map((message) => message.text);
  }
}

describe('a check of a file', () => {
  it.each<[string, string, ...string[]]>([
    ['a tab', `${HEAD}kinds:\n\ta: {}\n`, 'line 4: is indented with a tab; indent with spaces'],
    ['a repeated key', `${HEAD}kinds:\n  a: {}\n  a: {}\n`, 'line 5: kinds.a is there twice, first in line 4'],
    [
      'an anchor and an alias',
      `${HEAD}kinds:\n  a: &a {}\n  b: *a\n`,
      "line 4: kinds.a '&a' marks",
      "line 5: kinds.b '*a' names",
    ],
    ['a merge key', `${HEAD}kinds:\n  a:\n    <<: {}\n`, "line 5: kinds.a '<<' merges"],
    ['a tag', `${HEAD}kinds:\n  a:\n    label: !!str x\n`, "line 5: kinds.a.label has the tag 'tag:yaml.org,2002:str'"],
    ['several documents', `${HEAD}---\na: 1\n`, 'line 3: has several documents'],
    ['an empty file', '', 'line 1: is empty'],
    ['a list', '- a\n', 'line 1: must be an object, got array'],
    [
      'another format',
      'format: x\nversion: 2\n',
      "line 1: format must be 'kind-model'",
      'line 2: version 2 is of a newer release',
    ],
    ['an unknown key', `${HEAD}kind:\n  a: {}\n`, "line 3: kind is no field of a model file (did you mean 'kinds'?)"],
    [
      'an unknown field',
      `${HEAD}kinds:\n  a:\n    lable: A\n`,
      "line 5: kinds.a.lable is no field of an entry of kinds (did you mean 'label'?)",
    ],
    ['an id that is none', `${HEAD}kinds:\n  No: {}\n`, 'line 4: kinds.No is no id'],
    [
      'an unknown type',
      `${HEAD}parameters:\n  a: {type: strin}\n`,
      "line 4: parameters.a.type must be a parameter type (did you mean 'string'?)",
    ],
    [
      'a setting of another type',
      `${HEAD}parameters:\n  a: {type: boolean, max_length: 3}\n`,
      'line 4: parameters.a.max_length is no field of a parameter of type boolean',
    ],
    ['a value of another type', `${HEAD}kinds:\n  a:\n    active: yes\n`, 'line 5: kinds.a.active must be'],
    [
      'a default that does not fit',
      `${HEAD}parameters:\n  a:\n    type: integer\n    max_value: 3\n    default: 4\n`,
      'line 7: parameters.a.default at most 3',
    ],
    [
      'two definitions of one parameter',
      `${HEAD}kinds:\n  a:\n    parameters:\n      x: {type: string}\n  b:\n    parameters:\n      x: {type: text}\n`,
      'line 9: kinds.b.parameters.x is another definition than kinds.a.parameters.x in line 6',
    ],
    [
      'a name that nothing has',
      `${HEAD}kinds:\n  a:\n    parameters:\n      x:\n`,
      'line 6: kinds.a.parameters.x is no parameter of the file',
    ],
    ['a former id that is its own', `${HEAD}kinds: { a: { was: a } }\n`, 'line 3: kinds.a.was is its id as it is'],
    [
      'headers that are none',
      `${HEAD}webhooks:\n  a: {url: "https://a.example", headers: 5}\n  b: {headers: {x: 5, y: {env: Y}, z: {env: MODEL_Z}}}\n`,
      'line 4: webhooks.a.headers must be an object, got number',
      'line 5: webhooks.b.headers.x must be a text, got number',
      'line 5: webhooks.b.headers.y.env must be the name of a variable',
    ],
    [
      'names that nothing can have',
      `${HEAD}partial: true\ndrop:\n${['settings.otp', 'article:read', 'links.cites.page.x', '""', 'a.b.c', 'webhooks.a.b', 'parameters.a.b', 'units.a'].map((name) => `  - ${name}\n`).join('')}`,
      ...[
        'settings.otp',
        'article:read',
        'links.cites.page.x',
        '',
        'a.b.c',
        'webhooks.a.b',
        'parameters.a.b',
        'units.a',
      ].map((name, at) => `drop[${at}] '${name}' names nothing to drop`),
    ],
    ['a key of all objects', `${HEAD}__proto__: {a: 1}\n`, 'line 3: __proto__ is no field of a model file'],
    ['drop in a whole file', `${HEAD}drop: [a]\n`, 'line 3: drop is for files with partial: true'],
    [
      'an unknown setting',
      `${HEAD}settings: {otpp: on}\n`,
      "line 3: settings.otpp is no setting of a model file (did you mean 'otp'?)",
    ],
    ['a setting that is none', `${HEAD}settings: {second_step: all}\n`, 'line 3: settings.second_step'],
    ['access that is none', `${HEAD}kinds:\n  a:\n    access: {reed: member}\n`, 'line 5: kinds.a.access'],
    [
      'a variable for what is no secret',
      `${HEAD}kinds:\n  a:\n    label: {env: MODEL_A}\n`,
      'line 5: kinds.a.label is no secret',
    ],
    [
      'a number that is not exact',
      `${HEAD}parameters:\n  a: {type: integer, default: 12345678901234567890}\n`,
      "line 4: parameters.a.default '12345678901234567890' is too large",
    ],
  ])('tells of %s', async (_, text, ...expected) => {
    expect(await faultsIn(text)).toEqual(expected.map((each) => expect.stringContaining(each) as string));
  });

  it('passes a partial file with drops, renames, fills, seeds and variables', async () => {
    const text = `${HEAD}partial: true
drop: [article.summary]
kinds:
  article:
    was: post
    parameters:
      title: {type: string, was: headline, fill: none}
      price:
    access: {read: null}
groups: {things: [article]}
identity_providers:
  login: {client_secret: {env: MODEL_LOGIN}}
units:
  country: {by: [code], items: [{code: IT, no: yes}]}
`;
    expect(await faultsIn(text)).toEqual([]);
  });

  it('takes an object with the key env for a value where it is no secret', async () => {
    expect(
      await faultsIn(`${HEAD}kinds:
  a:
    metadata: {env: prod}
    parameters:
      b: {type: json, default: {env: prod}}
`),
    ).toEqual([]);
  });

  it('leaves to the project what a partial file does not have', async () => {
    expect(
      await faultsIn(`${HEAD}partial: true
drop: [settings, groups.things.article, links.cites.page, webhooks.a, article.b]
kinds:
  a:
    parameters:
      state: {type: string, own: true, transitions: {open: [solved]}}
      tags: {type: string, default: [x]}
`),
    ).toEqual([]);
  });

  it('refuses what is nested too deeply or too large', async () => {
    expect(await faultsIn(`${HEAD}kinds: ${'['.repeat(20_000)}\n`)).toHaveLength(1);
    expect(await faultsIn(`${HEAD}# ${'x'.repeat(1024 * 1024)}\n`)).toEqual([expect.stringContaining('at most 1mb')]);
    const json = JSON.stringify({ format: 'kind-model', version: 1, kinds: { a: { label: 'x'.repeat(2 ** 21) } } });
    expect(await faultsIn(json, 'json')).toEqual([expect.stringContaining('kinds.a.label')]);
  });

  it.each([
    ['{\n"a": 1,\n"a": 2}', 'line 3: a is there twice, first in line 2'],
    ['{"a": {"x": ":\\":", "y": 1,\n"x": 2}}', 'line 2: a.x is there twice, first in line 1'],
    ['{"a":\n12345678901234567890}', "line 2: a '12345678901234567890' is too large"],
    ['{"a":\n1e400}', "line 2: a '1e400' is no number of JSON"],
    [
      '{"format": "kind-model", "version": 1,\n"kinds": {"a": {"label": {"x": [":"]}}}}',
      'line 2: kinds.a.label must be',
    ],
  ])('tells in JSON of the same: %s', async (text, expected) => {
    expect(await faultsIn(text, 'json')).toEqual([expect.stringContaining(expected)]);
  });

  it('reads JSON as JSON', async () => {
    const metadata = { a: ':', 'b"': '\\": ', c: [{ d: ':' }, 1.5] };
    const text = JSON.stringify({ format: 'kind-model', version: 1, kinds: { a: { metadata } } }, null, 2);
    const file = await readModelFile(text, 'json', new EventLoopYield());
    expect(file.definitions.get('kinds/a')?.values).toEqual({ metadata });
  });

  it('reads the example of docs/model-as-code.md', async () => {
    expect(EXAMPLE).toContain('kinds:');
    expect(await faultsIn(EXAMPLE)).toEqual([]);
  });
});

describe('the time for reading', () => {
  const { modelFileSeconds } = LIMITS;
  afterEach(() => void Object.assign(LIMITS, { modelFileSeconds }));

  it('is limited', async () => {
    Object.assign(LIMITS, { modelFileSeconds: 0.001 });
    const text = HEAD + 'a: [' + '{ b: [] }, '.repeat(50_000) + ']';
    expect(await faultsIn(text)).toEqual([expect.stringContaining('takes longer than 0.001 seconds to read')]);
  });
});

describe('the schema for editors', () => {
  const ajv = new Ajv({ strictTypes: false, strictRequired: false });
  formats.default(ajv);
  const validate = ajv.compile(modelFileSchema());
  const accepts = (text: string): boolean => validate(parse(text));

  it('accepts the example of docs/model-as-code.md, and what a partial file has', () => {
    expect([accepts(EXAMPLE), validate.errors]).toEqual([true, null]);
    expect(
      accepts(`${HEAD}partial: true\ndrop: [a.b]\nkinds: { a: { was: c, label: null, parameters: { b: null } } }\n`),
    ).toBe(true);
    expect(accepts(`${HEAD}partial: true\nkinds: { a: { access: { read: null }, parameters: null } }\n`)).toBe(true);
    expect(accepts(`${HEAD}units: { country: { by: [code], items: [{ code: IT }] } }\n`)).toBe(true);
  });

  it.each([
    'kinds: { a: { lable: A } }',
    'kinds: { a: { parameters: { b: { type: text, lable: B } } } }',
    'kinds: { a: { parameters: { b: { type: txt } } } }',
    'kinds: { a: { access: { reads: anyone } } }',
    'kinds: { A: {} }',
    'settings: { quota: 5 }',
    'settings: { access_default: shut }',
    'webhooks: { a: { secret: { env: PATH } } }',
  ])('refuses %s', async (text) => {
    expect(accepts(`${HEAD}${text}\n`)).toBe(false);
    expect(await faultsIn(`${HEAD}${text}\n`)).not.toEqual([]);
  });
});
