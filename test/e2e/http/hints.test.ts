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
      /; there are eq, ne, .*, lt, lte, gt, ge, gte, get, in, isnull, eq_field, .*, near, similar, and, or, not, all, exists, linked$/,
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
])('what is wrong with a path is told of what it stands in: %s', async (query, parameter, text) => {
  const { status, body } = await project.get(`/city/unit?${query}`);
  expect({ status, messages: body.messages }).toMatchObject({
    status: 400,
    messages: [{ text, ...(parameter && { parameter }) }],
  });
});
