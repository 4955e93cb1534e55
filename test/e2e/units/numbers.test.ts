/** A number of a body is stored as it was written, or refused: JSON.parse alone would round it without a word. */
import { expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { createdId, ok, refusalOf } from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
await defineKinds(project, {
  id: 'thing',
  label: 'Thing',
  parameters: ['integer', 'float', 'decimal', 'json', 'string', 'boolean'].map((type) => ({
    id: `a_${type}`,
    kind_id: type,
  })),
});

it.each([
  ['a_integer', '9007199254740993', 'parameter.bad_value a_integer'],
  ['a_integer', '9007199254740991.4', 'parameter.bad_value a_integer'],
  ['a_integer', '0.99999999999999999999', 'parameter.bad_value a_integer'],
  ['a_integer', '1e-400', 'parameter.bad_value a_integer'],
  ['a_decimal', '1.00000000000000000001', 'parameter.bad_value a_decimal'],
  ['a_decimal', '0.30000000000000001', 'parameter.bad_value a_decimal'],
  ['a_decimal', '12345678901234567890', 'parameter.bad_value a_decimal'],
  ['a_json', '{"deep":[12345678901234567890]}', 'parameter.bad_value a_json'],
  ['a_json', '0.123456789012345678', 'parameter.bad_value a_json'],
  ['metadata', '{"id":9007199254740993}', 'parameter.bad_value metadata'],
  ['metadata', '9007199254740993', 'parameter.bad_type metadata'],
  ['a_string', '9007199254740993', 'parameter.bad_type a_string'],
  ['a_boolean', '9007199254740993', 'parameter.bad_type a_boolean'],
])('%s: %s is refused', async (name, number, message) => {
  const text = `{"${name}":${number}}`;
  expect(refusalOf(await project.post('/thing/unit', text))).toEqual({ status: 400, messages: [message] });
  const inBulk = await project.post('/thing/unit', `[{},${text}]`);
  expect(inBulk.body.messages).toMatchObject([{ index: 1 }]);
});

it.each([
  ['a_integer', '9007199254740991', 9007199254740991],
  ['a_integer', '1000.00000000000000000000', 1000],
  ['a_decimal', '"12345678901234567890.123"', '12345678901234567890.123'],
  ['a_float', '3.14159265358979323846', Math.PI],
  ['a_float', '12345678901234567890', 12345678901234567000],
  ['a_json', '{"x":0.10000000000000001,"y":[1.5]}', { x: 0.1, y: [1.5] }],
  ['a_json', '{"x":"12345678901234567890"}', { x: '12345678901234567890' }],
])('%s: %s is stored', async (name, number, stored) => {
  const id = await createdId(project.post('/thing/unit', `{"${name}":${number}}`));
  expect(await ok(project.get(`/thing/unit/${id}`))).toMatchObject({ [name]: stored });
});

it('a definition is reported too', async () => {
  const body = '{"id":"limited","max_value":12345678901234567890}';
  expect(refusalOf(await project.post('/decimal/unit', body))).toEqual({
    status: 400,
    messages: ['parameter.bad_value max_value'],
  });
  expect(refusalOf(await project.post('/kind/unit', '12345678901234567890'))).toEqual({
    status: 400,
    messages: ['body.not_object'],
  });
});
