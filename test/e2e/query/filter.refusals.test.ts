/** Filters that are refused: with which code, at which character, with which hint. */
import { describe, expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { play } from '../../support/scenario.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
await defineKinds(
  project,
  { id: 'place', label: 'Place', parameters: [{ id: 'code', kind_id: 'integer', is_primary: true }] },
  {
    id: 'city',
    label: 'City',
    parameters: [
      { id: 'name', kind_id: 'string' },
      { id: 'size', kind_id: 'integer' },
      { id: 'ratio', kind_id: 'float' },
      { id: 'price', kind_id: 'decimal' },
      { id: 'open', kind_id: 'boolean' },
      { id: 'day', kind_id: 'date' },
      { id: 'hour', kind_id: 'time' },
      { id: 'moment', kind_id: 'datetime' },
      { id: 'data', kind_id: 'binary' },
      { id: 'meta', kind_id: 'json' },
      { id: 'tags', kind_id: 'string', multiple: true },
      { id: 'sizes', kind_id: 'integer', multiple: true },
      { id: 'place', kind_id: 'unit', reference_kind: 'place' },
      { id: 'twin', kind_id: 'unit', reference_kind: 'city' },
      { id: 'password', kind_id: 'string', hidden: true },
      { id: 'token', kind_id: 'string', only_run_time: true },
      { id: 'guarded', kind_id: 'string', read_access: 'nobody' },
    ],
  },
);
await project.post('/city/unit', { name: 'Rome', password: 'secret' });

type Row = readonly [filter: string, code: string, text: string, parameter?: string];
const rows: readonly Row[] = [
  [
    'eq(day,soon)',
    'filter.bad_value',
    "'day' wants a date as YYYY-MM-DD or DD-MM-YYYY, or a time at most 100 years from now as @now, @now-7d",
    'day',
  ],
  ['eq(hour,noon)', 'filter.bad_value', "'hour' wants a time of day as HH:MM or HH:MM:SS", 'hour'],
  [
    'eq(moment,now)',
    'filter.bad_value',
    'in UTC, or a date as YYYY-MM-DD or DD-MM-YYYY, or a time at most 100 years from now',
    'moment',
  ],
  ['', 'filter.syntax', 'expected an operator at character 1'],
  ['eq', 'filter.syntax', "expected '(' at character 3"],
  ['eq(', 'filter.syntax', 'expected a parameter at character 4'],
  ['eq(name', 'filter.syntax', "expected ',' at character 8"],
  ['eq(name)', 'filter.syntax', "expected ',' at character 8"],
  ['eq(name,)', 'filter.syntax', 'expected a value at character 9'],
  ['eq(name,Rome', 'filter.syntax', "expected ')' at character 13"],
  ['eq(name,"Rome', 'filter.syntax', 'at character 14'],
  ['eq(name,"Rome"s)', 'filter.syntax', "expected ')' at character 15"],
  ['eq(name,"\\n")', 'filter.syntax', 'at character 11'],
  ['eq(name,Rome))', 'filter.syntax', 'expected the end of the filter at character 14'],
  ['eq(name,Rome) or eq(name,Oslo)', 'filter.syntax', 'expected the end of the filter at character 15'],
  ['name=Rome', 'filter.unknown_operator', "unknown operator 'name=Rome' at character 1; there are eq, ne, "],
  ['and()', 'filter.syntax', 'expected an operator at character 5'],
  ['and(eq(name,a),)', 'filter.syntax', 'expected an operator at character 16'],
  ['not()', 'filter.syntax', 'expected an operator at character 5'],
  ['not(eq(name,a),eq(name,b))', 'filter.syntax', "expected ')' at character 15"],
  ['in(name)', 'filter.syntax', "expected ',' at character 8"],
  ['in(name,[])', 'filter.syntax', 'expected a value at character 10'],
  ['in(name,a,)', 'filter.syntax', 'expected a value at character 11'],
  ['in(name,[a,[b]])', 'filter.syntax', 'a value, not a list'],
  ['isnull(name,yes)', 'filter.syntax', 'expected true or false at character 13'],
  ['isnull(name,)', 'filter.syntax', 'expected true or false at character 13'],
  ['EQ(name,Rome)', 'filter.unknown_operator', "unknown operator 'EQ' at character 1 (did you mean 'eq'?)"],
  ['and(eq(name,a),contain(name,Ro))', 'filter.unknown_operator', "at character 16 (did you mean 'contains'?)"],
  ['eq(🙂,1', 'filter.syntax', "expected ')' at character 7"],
  ['eq(name,🙂🙂🙂', 'filter.syntax', "expected ')' at character 12"],
  ['eq(name,\0)', 'filter.syntax', 'expected no NUL at character 9'],
  ['eq(nmae,Rome)', 'filter.unknown_parameter', "(did you mean 'name'?), at character 4", 'nmae'],
  ['and(eq(name,a),not(eq(siez,1)))', 'filter.unknown_parameter', 'at character 23', 'siez'],
  ['eq(links,1)', 'filter.unknown_parameter', 'at character 4', 'links'],
  ['isnull(Name)', 'filter.unknown_parameter', 'at character 8', 'Name'],
  ['eq(password,secret)', 'filter.unknown_parameter', 'at character 4', 'password'],
  ['isnull(password)', 'filter.unknown_parameter', 'at character 8', 'password'],
  ['eq(token,x)', 'filter.unknown_parameter', 'at character 4', 'token'],
  ['eq(guarded,x)', 'filter.unknown_parameter', 'at character 4', 'guarded'],
  ['eq(name.first,x)', 'filter.unknown_parameter', 'at character 4', 'name'],
  ['eq(tags.0,x)', 'filter.unknown_parameter', 'at character 4', 'tags'],
  ['eq(meta.,x)', 'filter.syntax', 'expected a parameter at character 9'],
  ['contains(size,1)', 'filter.bad_operator', 'at character 1', 'size'],
  ['and(eq(size,1),icontains(size,1))', 'filter.bad_operator', 'at character 16', 'size'],
  ['contains(meta.color,r)', 'filter.bad_operator', 'at character 1', 'meta'],
  ['lt(meta.size,3)', 'filter.bad_operator', 'at character 1', 'meta'],
  ['startswith(tags,s)', 'filter.bad_operator', 'at character 1', 'tags'],
  ...['', 'x', '1.5', '1e3', '0x10', '9007199254740992', '-9007199254740992', '+1', '1 2', '１'].map((text): Row => [
    `eq(size,"${text}")`,
    'filter.bad_value',
    "'size' wants a whole number within ±9007199254740991 (integer), at character 9",
    'size',
  ]),
  ...['', 'x', '1e999', 'NaN', 'Infinity', '.5', '1.', '1,5'].map((text): Row => [
    `eq(ratio,"${text}")`,
    'filter.bad_value',
    "'ratio' wants a number (float), at character 10",
    'ratio',
  ]),
  ...['', 'x', '1e3', '1,5', 'NaN', '9'.repeat(1001)].map((text): Row => [
    `eq(price,"${text}")`,
    'filter.bad_value',
    "'price' wants a decimal number",
    'price',
  ]),
  ...['', 'TRUE', '1', 'yes', 'null'].map((text): Row => [
    `eq(open,"${text}")`,
    'filter.bad_value',
    "'open' wants true or false (boolean), at character 9",
    'open',
  ]),
  ...[
    '',
    '2024-02-30',
    '30-02-2024',
    '2023-02-29',
    '2024/01/01',
    '01.01.2024',
    '2024-1-1',
    '20240101',
    '2024-01-01T00:00:00Z',
    '0000-01-01',
    '10000-01-01',
    'today',
    '12-31-2024',
  ].map((text): Row => [`eq(day,"${text}")`, 'filter.bad_value', "'day' wants a date", 'day']),
  ...['', '24:00:00', '9:30', '09:60:00', '09:30:60', '09:30:00.1234567', '09:30:00Z', '9am'].map((text): Row => [
    `eq(hour,"${text}")`,
    'filter.bad_value',
    "'hour' wants a time",
    'hour',
  ]),
  ...[
    '',
    '2024-01-31T09:30:00',
    '2024-01-31T25:00:00Z',
    '2024-02-30T00:00:00Z',
    '2024-01-31T09:30:00+25:00',
    '2024-01-31T09:30:00.1234567Z',
    '31-01-2024T09:30:00Z',
    '1706693400',
    'now',
    'infinity',
  ].map((text): Row => [
    `eq(moment,"${text}")`,
    'filter.bad_value',
    "'moment' wants an ISO 8601 date and time",
    'moment',
  ]),
  ...['A', 'AA', 'AAE', 'AB==', 'A===', '-_==', 'AA ==', '\u00e9'].map((text): Row => [
    `eq(data,"${text}")`,
    'filter.bad_value',
    "'data' wants base64",
    'data',
  ]),
  ['eq(twin,nonsense)', 'filter.bad_value', "'twin' wants the id of a unit of 'city' (unit), at character 9", 'twin'],
  ['in(twin,nonsense)', 'filter.bad_value', "'twin' wants the id of a unit of 'city' (unit), at character 9", 'twin'],
  ['eq(place,x)', 'filter.bad_value', "'place' wants the id of a unit of 'place'", 'place'],
  ['eq(id,nonsense)', 'filter.bad_value', "'id' wants", 'id'],
  ['eq(inserted_at,yesterday)', 'filter.bad_value', "'inserted_at' wants", 'inserted_at'],
  ['in(size,1,x,3)', 'filter.bad_value', 'at character 11', 'size'],
  ['eq(sizes,[1,x])', 'filter.bad_value', 'at character 13', 'sizes'],
  ['contains(sizes,x)', 'filter.bad_value', 'at character 16', 'sizes'],
  ['eq(size,[1,2])', 'filter.bad_value', "'size' wants one value, not a list, at character 9", 'size'],
  ['contains(name,[a])', 'filter.bad_value', 'one value, not a list, at character 15', 'name'],
  ['contains(tags,[a,b])', 'filter.bad_value', 'one value, not a list, at character 15', 'tags'],
];

describe('a filter is refused', () => {
  it.each(rows.map((row) => [row[0], row[1], row] as const))(
    '%s → %s',
    async (_, __, [filter, code, text, parameter]) => {
      await play(project, {
        name: '',
        request: `GET /city/unit?filter=${encodeURIComponent(filter)}`,
        expect: {
          status: 400,
          code: code as never,
          text,
          notBody: /secret/,
          ...(parameter !== undefined && { parameter }),
        },
      });
    },
  );

  it('before a statement is sent, except the check of the version', async () => {
    expect(await project.statements(() => project.get('/city/unit?filter=eq(nope,1)'))).toBeLessThanOrEqual(1);
  });

  it('with the same text for hidden and unknown names', async () => {
    const [hidden, absent] = await Promise.all(
      ['password', 'passworx'].map((name) => project.get(`/city/unit?filter=eq(${name},x)`)),
    );
    expect(hidden?.text.replaceAll('password', 'NAME')).toBe(absent?.text.replaceAll('passworx', 'NAME'));
  });
});

describe('the limits of a filter', () => {
  const get = (filter: string) => project.get(`/city/unit?limit=0&filter=${encodeURIComponent(filter)}`);
  const nested = (levels: number) => `${'not('.repeat(levels)}eq(name,a)${')'.repeat(levels)}`;
  const wide = (tests: number) => `or(${Array.from({ length: tests }, (_, at) => `eq(size,${at})`).join()})`;
  const long = (bytes: number) => `eq(name,${'x'.repeat(bytes - 9)})`;
  it.each([
    ['8 KiB', long(8192), long(8193)],
    ['8 KiB in UTF-8', `eq(name,${'é'.repeat(4091)})`, `eq(name,${'é'.repeat(4092)})`],
    ['200 tests', wide(200), wide(201)],
    ['20 levels', nested(20), nested(21)],
  ])('are %s, and not one more', async (_, inside, outside) => {
    expect(await get(inside)).toMatchObject({ status: 200 });
    expect(await get(outside)).toMatchObject({ status: 400, body: { messages: [{ code: 'filter.too_large' }] } });
  });

  it('can be used all three at once', async () => {
    const deep = `${'and(or('.repeat(10)}${Array.from({ length: 200 }, (_, at) => `icontains(name,${'a%_'.repeat(3)}${at})`).join()}${'))'.repeat(10)}`;
    expect(Buffer.byteLength(deep)).toBeLessThanOrEqual(8192);
    expect((await get(deep)).status).toBe(200);
  });
});
