/** Error texts say what would be right. */
import { describe, expect, it } from 'vitest';
import { PARAMETER_TYPES } from '../../../src/model/parameter-type/type-by-id.js';
import { anonymous, defineKinds } from '../../support/callers.js';
import { sharedService } from '../../support/service.js';
import { send } from '../../support/wire.js';

const service = await sharedService();
const project = await service.project();
await defineKinds(
  project,
  { id: 'country', label: 'Country', parameters: [{ id: 'name', kind_id: 'string' }] },
  {
    id: 'city',
    label: 'City',
    public: true,
    parameters: [
      { id: 'country', kind_id: 'unit', reference_kind: 'country' },
      { id: 'size', kind_id: 'integer' },
      { id: 'extra', kind_id: 'json' },
    ],
  },
);
const open = anonymous(project);

it('a header similar to the project header is named in the error', async () => {
  const { body } = await send(service.service, { path: '/api/lib/city/unit', headers: { 'project-key': project.id } });
  const text = "The header kind-project-key is missing (there is 'project-key': did you mean 'kind-project-key'?)";
  expect(body.messages).toEqual([{ code: 'project.missing', text }]);
});

it('an unknown type is reported with the known ones', async () => {
  const types = [...PARAMETER_TYPES.keys()];
  expect(types).toHaveLength(12);
  for (const [kindId, hint] of [
    ['strng', " (did you mean 'string'?)"],
    ['identifier', ''],
    [7, ''],
  ]) {
    const { body } = await project.post('/kind/unit', {
      id: 'x',
      label: 'X',
      parameters: [{ id: 'y', kind_id: kindId }],
    });
    const text = `parameters[0].kind_id: must be a parameter type${hint ?? ''}: ${types.join(', ')}`;
    expect(body.messages).toEqual([{ code: 'parameter.bad_value', parameter: 'parameters', text }]);
  }
});

describe('operators are listed in all of their spellings', () => {
  it('if one is unknown', async () => {
    const { body } = await project.get('/city/unit?filter=greater(size,1)');
    expect(body.messages[0]?.text).toMatch(
      /; there are eq, ne, .*, lt, lte, gt, ge, gte, get, in, isnull, eq_field, .*, near, similar, and, or, not, all, exists, linked, referred$/,
    );
  });

  it('if a type does not have one', async () => {
    const { body } = await project.get('/city/unit?filter=contains(size,1)');
    expect(body.messages[0]?.text).toMatch(/; it has eq, ne, lt, lte, gt, ge, gte, get, in, isnull$/);
  });

  it('in the API document', async () => {
    const { body } = await project.get('/doc/openapi.json');
    const { components } = body as unknown as { components: { parameters: { filter: { description: string } } } };
    for (const operator of ['gt', 'ge', 'gte', 'get'])
      expect(components.parameters.filter.description).toContain(`\`${operator}\``);
  });
});

it.each([
  [
    'include=id,country.name',
    'include',
    "include: 'country.name': a bearer token is needed to follow it, at character 1",
  ],
  ['order=country.name;asc', 'order', "order: 'country.name': a bearer token is needed to follow it, at character 1"],
  [
    'filter=eq(country.name,x)',
    'country.name',
    "'country.name': a bearer token is needed to follow it, at character 4",
  ],
])('a path that needs a token is named: %s', async (query, parameter, text) => {
  const { status, body } = await open.get(`/city/unit?${query}`);
  expect({ status, messages: body.messages }).toEqual({
    status: 401,
    messages: [{ code: 'token.missing', parameter, text }],
  });
});

it.each([
  ['order=extra.a)x;asc', 'order', 'order: expected the end of the order at character 8'],
  ['order=extra.;asc', 'order', 'order: expected a parameter at character 7'],
  ['order=extra."a;asc', 'order', `order: expected '"' at character 13`],
  ['include=id,extra.a)x', 'include', "include: expected '.' or the end of the parameter at character 8"],
  ['filter=eq(size,1)x', undefined, 'expected the end of the filter at character 11'],
  ['order=size desc,id', 'order', "order: expected ';' at character 6 (did you mean 'size;desc'?)"],
  [
    'order=-count_related(city.country) asc',
    'order',
    "order: expected ';' at character 30 (did you mean 'count_related(city.country);asc'?)",
  ],
  ['order=size:DESC', 'order', "order: expected ';' at character 5 (did you mean 'size;desc'?)"],
  ['include=[size,can(update)]', 'include', 'include: expected can() without arguments at character 1'],
])('what is wrong with a path is told of what it stands in: %s', async (query, parameter, text) => {
  const { status, body } = await project.get(`/city/unit?${query}`);
  expect({ status, messages: body.messages }).toMatchObject({
    status: 400,
    messages: [{ text, ...(parameter && { parameter }) }],
  });
});

describe('what other products call otherwise is understood as what may be meant:', () => {
  it.each([
    ['unit?sort=size', "No query parameter 'sort' here (did you mean 'order'?)"],
    ['unit?select=size', "No query parameter 'select' here (did you mean 'include'?)"],
    ['unit?filter[size]=1', "No query parameter 'filter[size]' here (did you mean 'filter'?)"],
    ['unit?filter=eq(size,null)', "(did you mean 'isnull(size)'?)"],
    ['unit?filter=ne(country.name,null)', undefined],
    ['unit?filter=ne(size,null)', "(did you mean 'isnull(size,false)'?)"],
    ['unit?filter=not(lt(size,size))', "(did you mean 'lt_field(size,size)'?)"],
    ['unit?filter=lt(size,hidden)', 'at character 9'],
    ['unit?filter=contains(size,size)', /it has eq, .*, isnull$/],
    ['unit?filter=in(size,1,@member.id)', ': @member. and @before. are known in rules of access, not in filters'],
    [
      'unit?filter=eq(@member.id,id)',
      ': @member. and @before. are known in rules of access, not in filters, at character 4',
    ],
    ['aggregate?select=count(*)', "expected a parameter or ')' at character 7 (did you mean 'count()'?)"],
    ['aggregate?select=mean(size)', "unknown function 'mean' at character 1 (did you mean 'avg'?)"],
    ['aggregate?select=mul(size,2)', '(what is of each unit stands inside sum, avg, min or max), at character 5'],
  ])('%s', async (query, told) => {
    const { body } = await project.get(`/city/${query}`);
    const [message] = body.messages;
    if (told === undefined) expect(message).toBeUndefined();
    else if (typeof told === 'string') expect(message?.text.endsWith(told) && message.text).toContain(told);
    else expect(message?.text).toMatch(told);
  });

  it.each([
    [
      { kind_id: 'integer', default: 1 },
      "parameters[0].default: 'integer' has no such parameter (did you mean 'default_integer'?)",
    ],
    [{ kind_id: 'string', enum: ['a'] }, "parameters[0].enum: 'string' has no such parameter (did you mean 'values'?)"],
    [{ kind_id: 'string', name: 'x' }, "parameters[0].name: 'string' has no such parameter (did you mean 'label'?)"],
    [{ kind_id: 'varchar' }, /must be a parameter type \(did you mean 'string'\?\)/],
    [
      { kind_id: 'integer', transitions: {} },
      "parameters[0].transitions: 'integer' has no such parameter, only string",
    ],
    [
      { kind_id: 'boolean', max_value: 3 },
      "parameters[0].max_value: 'boolean' has no such parameter, only integer, float, decimal",
    ],
    [{ kind_id: 'datetime', default_datetime: '@now-7d' }, /default_datetime: may be a fixed time, or '@now' alone/],
    [{ kind_id: 'date', default_date: 'now()' }, /default_date: may be a fixed time, or '@now' alone/],
  ])('%j', async (definition, told) => {
    const { body } = await project.post('/kind/unit', { id: 'made', parameters: [{ id: 'y', ...definition }] });
    expect(body.messages).toHaveLength(1);
    expect(body.messages[0]?.text).toMatch(told);
  });

  it('a check of two parameters', async () => {
    const { body } = await project.put('/kind/unit/city', {
      checks: [{ id: 'c', filter: 'lt(size,size)', text: 'x' }],
    });
    expect(body.messages[0]?.text).toMatch("(did you mean 'lt_field(size,size)'?)");
  });
});
