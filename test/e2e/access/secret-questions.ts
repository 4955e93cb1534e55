/** Every request by which a client could learn about a field or a unit: ways to ask times names times values. */
import { COMPARATORS } from '../../../src/filter/filter.ast.js';
import { KEPT, LINK_VALUES, PAIRS, PLAIN, type Parameter, type World } from './secret-model.js';

export interface Question {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
const get = (path: string): Question => ({ method: 'GET', path });

/** What a filter can ask of a name. */
function tests(name: string, [a, b]: readonly unknown[], all: boolean): string[] {
  const value = textOf(a);
  const comparators = all ? COMPARATORS : (['eq', 'ne', 'lt', 'gte', 'icontains', 'startswith'] as const);
  return [
    ...comparators.map((op) => `${op}(${name},${value})`),
    `eq(${name},${textOf(b)})`,
    `in(${name},[${value}])`,
    `isnull(${name})`,
    `not(eq(${name},${value}))`,
    `or(eq(code,open0),eq(${name},${value}))`,
  ];
}

/** The channels of a list through which a name can be asked for. */
function aboutName(kind: string, name: string, values: readonly unknown[], all = true): Question[] {
  const list = (query: string) => get(`/${kind}/unit?${query}`);
  const filters = tests(name, values, all).map((test) => `filter=${encodeURIComponent(test)}`);
  const [filter = ''] = filters;
  const orders = [`order=${name};asc`, `order=${name};desc`];
  return [
    ...filters.map(list),
    ...[`limit=0&${filter}`, `count=estimated&limit=1&${filter}`, `count=none&limit=1&${filter}`].map(list),
    ...orders.flatMap((order) => [list(order), list(`${order}&cursor=&limit=1`), list(`${order}&offset=1&limit=1`)]),
    list(`include=code,${name}`),
    list(`nest=true&include=code,${name}`),
    list(`exclude=${name}`),
    ...[filter, `order=-${name}`, `include=code,${name}`, 'format=ndjson'].map((query) =>
      get(`/${kind}/export?${query}`),
    ),
    get(`/${kind}/struct?include=${name}`),
    get(`/${kind}/by/${name}/${encodeURIComponent(textOf(values[0]))}`),
    get(`/${kind}/by/${name}/${encodeURIComponent(textOf(values[1]))}`),
    ...aggregations(name, filters[0] ?? '').map((query) => get(`/${kind}/aggregate?${query}`)),
    // No unit may be affected, so that the answer tells only whether one matches.
    { method: 'DELETE', path: `/${kind}/unit?max_affected=0&${filter}` },
    { method: 'PUT', path: `/${kind}/unit?max_affected=0&${filter}&include=${name}`, body: {} },
    { method: 'POST', path: `/${kind}/unit?on_conflict=ignore&by=${name}`, body: {} },
  ];
}

/** The parameters of an aggregation in which a name can stand. @param filter `filter=` and a test of the name */
function aggregations(name: string, filter: string): string[] {
  const test = filter.slice('filter='.length);
  return [
    `select=[count(${name}),count_distinct(${name}),first(${name}),last(${name})]`,
    `select=[min(${name}),max(${name})]`,
    `select=[sum(${name}),avg(${name})]`,
    `select=[a:sum(mul(${name},2)),b:max(add(1,${name})),c:div(a,b)]`,
    `select=a:max(days(${name},${name}))`,
    `select=[code:max(code),a:max(${name}),b:sub(a,a)]`,
    `select=[count(),n:count(${test}),first(code,${test})]`,
    `select=count()&${filter}`,
    `group=g:${name}&select=count()`,
    `group=[code,g:bucket(${name},2)]`,
    `group=[code,g:year(${name})]`,
    `group=[code,g:each(${name})]`,
    `group=[code,g:lower(${name})]`,
  ];
}

function aboutFields(kind: string, parameters: readonly Parameter[], prefix = '', all = true): Question[] {
  return parameters.flatMap(({ id, type }) => {
    const name = `${prefix}${id}`;
    const own = [...aboutName(kind, name, PAIRS[type].json, all), ...aboutPairs(kind, name, type)];
    return type === 'json' ? [...own, ...aboutName(kind, `${name}.k`, [1, 2], all)] : own;
  });
}

const PAIR_TESTS = ['eq_field', 'ne_field', 'lt_field', 'lte_field', 'gt_field', 'gte_field'] as const;
const NUMBERS: readonly string[] = ['integer', 'float', 'decimal'];

/** Comparisons of a name with another one, distances from it, and its snippets. */
function aboutPairs(kind: string, name: string, type: Parameter['type']): Question[] {
  const other = `${kind === 'pointer' ? 'to_open.' : ''}o_${type}`;
  const pairs = PAIR_TESTS.flatMap((op) => [`${op}(${name},${other})`, `${op}(${other},${name})`]);
  if (type === 'string') pairs.push(`lt_field(${name},code)`, `gt_field(${name},code)`);
  const at = textOf(PAIRS[type].json[0]);
  const places = NUMBERS.includes(type)
    ? [`${name},${other},${at},${at}`, `${other},${name},${at},${at}`, `${name},${name},${at},${at}`]
    : [];
  const near = places.map((place) => `near(${place},20)`);
  return [
    ...[...pairs, ...near].map((test) => `/${kind}/unit?filter=${test}`),
    ...[...pairs.slice(0, 3), ...near].flatMap((test) => [
      `/${kind}/unit?limit=0&filter=not(${test})`,
      `/${kind}/unit?count=estimated&limit=1&filter=${test}`,
      `/${kind}/aggregate?select=[count(),n:count(${test}),first(code,${test})]`,
    ]),
    ...places.flatMap((place) => [
      `/${kind}/unit?order=distance(${place});asc`,
      `/${kind}/unit?order=distance(${place});desc&cursor=&limit=1`,
    ]),
    ...(type === 'string' || type === 'text' ? aboutTexts(kind, name, at) : []),
  ].map(get);
}

/** Snippets of a name, and how similar its text is to one. */
function aboutTexts(kind: string, name: string, text: string): string[] {
  return [
    `/${kind}/unit?search=alpha&include=[code,snippet(${name})]`,
    `/${kind}/unit?filter=similar(${name},${text})`,
    `/${kind}/unit?limit=0&filter=not(similar(${name},${text},0.1))`,
    `/${kind}/aggregate?select=[count(),n:count(similar(${name},${text},1))]`,
    `/${kind}/unit?order=similarity(${name},${text});desc`,
    `/${kind}/unit?order=similarity(${name},${text});asc&cursor=&limit=1`,
  ];
}

/** Searches: of the words of texts that are kept, and of those of hidden units. */
function aboutWords(list: string): Question[] {
  const searches = ['alpha', 'omega', 'alpha text', 'alpha -text', '-omega', '"omega text"', 'alpha or omega'];
  const some = ['alpha', 'omega', 'text'].map((words) => `search=${words}`);
  const aggregate = list.replace(/unit$/, 'aggregate');
  return [
    ...searches.map((words) => `${list}?search=${encodeURIComponent(words)}`),
    ...some.flatMap((search) => [
      `${list}?${search}&limit=0`,
      `${list}?${search}&count=estimated&limit=1`,
      `${list}?${search}&order=rank();desc`,
      `${list}?${search}&order=rank();asc&cursor=&limit=1`,
      `${list}?${search}&include=[code,snippet(o_text)]`,
      `${list}?${search}&include=[code,snippet(s_text)]`,
      `${list}?${search}&filter=eq(o_string,alpha)`,
      `${aggregate}?${search}&select=[count(),first(code)]`,
      `${aggregate}?${search}&group=o_string&select=count()`,
    ]),
  ].map(get);
}

const LOADED = [
  'true',
  'count',
  'count&kind_id=closed',
  'count&link_id=tie&kind_id=open,ruled',
  'true&direction=child&kind_id=ruled',
  'true&depth=3&kind_id=open',
  'true&include_linked=code,o_string',
  'true&include_linked=code,s_string',
  'true&include_linked=code,holds.code',
  'true&include_linked=owner.username',
  'true&include_linked=*&link_id=tie',
];

/** The values of links: those of links that all may see, and those of links to units that are hidden from some. */
function aboutLinkValues(ids: World['ids']): Question[] {
  const [unit, target] = [`/open/unit/${ids['open0']}`, `/open/unit/${ids['open1']}`];
  const values = [...LINK_VALUES.map(({ id }) => id), 'link_id', 'inserted_at'];
  const asked = values.flatMap((id) => [`gt(link.${id},7)`, `eq(link.${id},8)`, `isnull(link.${id})`]);
  const filters = [
    ...asked,
    ...['child', 'child,open', 'child,ruled', 'child,[open,ruled,closed]'].flatMap((way) =>
      asked.flatMap((test) => [`linked(tie,${way},${test})`, `gt(count_linked(tie,${way},${test}),0)`]),
    ),
    ...LINK_VALUES.flatMap(({ id }) => [
      `linked(tie,child,open,gt_field(link.${id},o_integer))`,
      `linked(tie,child,open,near(link.${id},link.${id},7,7,20))`,
    ]),
  ];
  const lists = ['', '?link_id=tie', '?link_id=tie&depth=2', '?include=link', '?include=code,link.w_plain'];
  return [
    ...[unit, target, '/open/unit', `/group/all/unit/${ids['open0']}`].flatMap((path) =>
      LOADED.map((query) => `${path}?load_links=${query}`),
    ),
    ...lists.flatMap((query) => [`${unit}/link/child${query}`, `${target}/link/parent${query}`]),
    ...values.flatMap((id) => [
      `${unit}/link/child?filter=gt(link.${id},7)`,
      `${unit}/link/child?order=link.${id};desc`,
      `${unit}/link/child?depth=3&filter=or(isnull(link.${id}),gt(o_integer,1))&order=link.${id}`,
      `${unit}/link/child?link_id=tie&order=link.${id}&cursor=&limit=1`,
      `${target}/link/parent?depth=2&filter=gt(link.${id},7)&cursor=&limit=1&count=none`,
      `/open/unit?include=code,n:count_linked(tie,child,gt(link.${id},7))`,
      `/open/unit?order=-count_linked(tie,child,gt(link.${id},7))`,
      `/open/aggregate?select=sum(count_linked(tie,child,gt(link.${id},7)))`,
    ]),
    ...filters.map((test) => `/open/unit?filter=${encodeURIComponent(test)}`),
    '/link/unit/tie',
    '/link/unit',
  ].map(get);
}

/** What can be asked of, and tried at, a unit by its id. */
function aboutUnit(kind: string, id: string, ids: World['ids']): Question[] {
  const path = `/${kind}/unit/${id}`;
  const link = (from: string, to: string, type = 'link') => `${from}/link/${type}/${to}`;
  const open = `/open/unit/${ids['open0']}`;
  // Members may be named by whoever knows their id, where nobody said otherwise (docs/access.md).
  const refer = ['pointer0', 1].map((code): Question => ({
    method: 'POST',
    path: '/pointer/unit',
    body: { code, [`to_${kind}`]: id },
  }));
  return [
    ...[path, `${path}/struct`, `${path}?include=code`, `${path}?include=nope`, `${path}?load_links=true`].map(get),
    ...[`${path}/access`, `${path}/access?member=${ids['ann']}`, `${path}/function/f`].map(get),
    ...['parent', 'child'].flatMap((way) => [get(`${path}/link/${way}`), get(`${path}/link/${way}?depth=3`)]),
    ...WALKS.map((query) => get(`${path}/link/child?${query}`)),
    ...pathsTo(kind, id, ids).map(get),
    get(`/group/all/unit/${id}`),
    get(`/${kind}/unit?filter=eq(id,${id})`),
    get(`/pointer/unit?filter=eq(to_${kind},${id})&include=code`),
    get(`/pointer/unit?filter=eq(to_${kind}.id,${id})`),
    { method: 'PUT', path, body: { nope: 1 } },
    { method: 'POST', path: `${path}/function/f`, body: {} },
    ...(kind === 'person' ? [] : refer),
    { method: 'POST', path: link(open, `${kind}/unit/${id}`).concat('?nope=1') },
    { method: 'DELETE', path: link(`/open/unit/${ids['open1']}`, `${kind}/unit/${id}`) },
    { method: 'POST', path: link(path, `open/unit/${ids['open0']}`).concat('?nope=1') },
    // The access of this type opens it to all, whatever the kinds say.
    ...(['POST', 'DELETE'] as const).flatMap((method) => [
      { method, path: link(open, `${kind}/unit/${id}`, 'bound').concat('?nope=1') },
      { method, path: link(path, `open/unit/${ids['open0']}`, 'bound').concat('?nope=1') },
    ]),
    ...manyLinks(kind, id, ids),
  ];
}

/** Many links at once with a unit. None succeeds: one is with a unit that does not exist, or exists with another value. */
function manyLinks(kind: string, id: string, ids: World['ids']): Question[] {
  const [open, unit] = [`/open/unit/${ids['open0']}/link/tie`, `/${kind}/unit/${id}/link`];
  const missing = { kind_id: 'open', id: NO_UNIT };
  const different = { kind_id: 'open', id: ids['open1'], w_plain: 99 };
  const given = LINK_VALUES.flatMap(({ id: name }) => [7, 8].map((value) => ({ kind_id: kind, id, [name]: value })));
  const ask = (path: string, items: readonly object[], replace = false): Question => {
    return { method: 'POST', path, body: { items, replace } };
  };
  const ways = ['child', 'parent'].flatMap((way) => [
    ask(`${open}/${way}`, [{ kind_id: kind, id }, missing]),
    ask(`${open}/${way}`, [{ kind_id: kind, id }, missing], true),
    ask(`${open}/${way}`, [
      { kind_id: kind, id, nope: 1 },
      { kind_id: kind, id },
    ]),
    ask(`${unit}/tie/${way}`, [{ kind_id: 'open', id: ids['open0'] }, missing], true),
  ]);
  const values = given.map((each) => ask(`${open}/child`, [each, different]));
  return [...ways, ...values, ask(`${unit}/nope/child`, [missing])];
}

const NO_UNIT = '0190f3c0-0000-7000-8000-000000000000';

const WALKS = [
  'depth=3&limit=0',
  'depth=3&filter=eq(s_string,alpha)',
  'depth=3&filter=eq(o_string,alpha)',
  'depth=3&order=o_integer;asc',
  'depth=2&kind_id=open',
  'depth=1&kind_id=ruled&count=estimated',
  'depth=1&load_links=true',
];

/** Shortest paths to a unit, from it, and over it. */
function pathsTo(kind: string, id: string, ids: World['ids']): string[] {
  const open = (name: string) => `/open/unit/${ids[name]}/link/path`;
  const queries = ['', '&include=code', '&depth=0', '&include=s_string', '&depth=x'];
  return [
    ...queries.map((more) => `${open('open0')}?to_kind=${kind}&to_id=${id}${more}`),
    ...queries.map((more) => `/${kind}/unit/${id}/link/path?to_kind=open&to_id=${ids['open1']}${more}`),
    `${open('open1')}?direction=parent&to_kind=${kind}&to_id=${id}`,
    `${open('open0')}?to_kind=open&to_id=${ids['open1']}`,
    `${open('open0')}?to_kind=pointer&to_id=${ids['pointer1']}&include=code`,
  ];
}

const KINDS = ['open', 'ruled', 'closed', 'sealed', 'pointer', 'person'];

/** What can be asked of a kind without a name. None of the writes is to succeed. */
function aboutKind(kind: string): Question[] {
  const secrets = Object.fromEntries(KEPT.map(({ id, type }) => [id, PAIRS[type].json[0]]));
  return [
    ...[
      '',
      '?limit=1',
      '?limit=0',
      '?offset=1',
      '?cursor=&limit=1',
      '?count=estimated&limit=1',
      '?count=none',
      '?load_links=true&depth=2',
    ].map((query) => get(`/${kind}/unit${query}`)),
    ...['code', 'id', 'kind_id', 'metadata', 'inserted_at', 'nope', 's_strin'].map((name) =>
      get(`/${kind}/unit?order=${name};desc&limit=2`),
    ),
    ...[`/kind/unit/${kind}`, `/kind/unit/${kind}/struct`, `/${kind}/struct`, `/${kind}/function/f`].map(get),
    { method: 'POST', path: `/${kind}/unit`, body: { code: 'open0', ...secrets, nope: 1 } },
    { method: 'POST', path: `/${kind}/unit`, body: { code: 'open0', ...secrets, o_string: 7 } },
    ...(kind === 'open' ? [{ method: 'POST' as const, path: '/open/unit', body: { code: 'open0' } }] : []),
  ];
}

/** One field of each flavour, and types whose columns are searched in other ways. */
const SOME_KEPT = KEPT.slice(0, 4);
const SOME_PLAIN = PLAIN.filter(({ type }) => ['string', 'integer', 'datetime', 'json'].includes(type));
const UNITS: readonly (readonly [string, string])[] = [
  ['open', 'open0'],
  ...['anns0', 'bobs0', 'spare_ruled0'].map((name) => ['ruled', name] as const),
  ...['closed', 'spare_closed0'].map((name) => ['closed', name] as const),
  ['sealed', 'spare_sealed0'],
  ['pointer', 'pointer1'],
  ...['bob', 'spare_person'].map((name) => ['person', name] as const),
];

/** What lists over several kinds can be asked for by a name: those of a group, and those along links. */
function aboutMixed(list: string, { id, type }: Parameter): Question[] {
  const { json } = PAIRS[type];
  const queries = [
    ...tests(id, json, false).map((test) => `filter=${encodeURIComponent(test)}`),
    `filter=${encodeURIComponent(`eq(to_ruled.${id},${textOf(json[0])})`)}`,
    `order=${id};asc`,
    `order=${id};desc&limit=2`,
    `include=code,${id}`,
    `exclude=${id}`,
    `load_links=true&depth=2&include=code,${id}`,
  ];
  const groups = list.startsWith('/group/') ? aggregations(id, queries[0] ?? '') : [];
  return [
    ...[list, `${list}?limit=0`, ...queries.map((query) => `${list}?${query}`)],
    ...groups.map((query) => `${list.replace(/unit$/, 'aggregate')}?${query}`),
  ].map(get);
}

/** Ways from units to others: the kind, the related units, and what leads on from them to the names. */
const WAYS: readonly (readonly [path: string, relation: string, prefix: string])[] = [
  ['open', 'pointer.to_open', 'to_ruled.'],
  ['open', 'pointer.to_open', 'to_closed.'],
  ['ruled', 'closed.holds', ''],
  ['person', 'ruled.owner', ''],
  ['person', 'pointer.to_person', 'to_ruled.'],
  ['open', 'link,child', ''],
  ['open', 'link,child,ruled', ''],
  ['open', 'link,child,[open,ruled,closed]', ''],
  ['ruled', 'link,parent,open', ''],
  ['group/all', 'link,child', ''],
  ['group/all', 'ruled.owner', ''],
];

/** What can be asked of a name in related units: whether they exist, how many they are, and what they are. */
function aboutRelated([path, relation, prefix]: (typeof WAYS)[number], { id, type }: Parameter): Question[] {
  const [exists, count] = relation.startsWith('link,') ? ['linked', 'count_linked'] : ['exists', 'count_related'];
  const asked = tests(`${prefix}${id}`, PAIRS[type].json, false);
  const [test = ''] = asked;
  const number = `${count}(${relation},${test})`;
  const queries = [
    `filter=${encodeURIComponent(`${exists}(${relation})`)}`,
    ...asked.map((each) => `filter=${encodeURIComponent(`${exists}(${relation},${each})`)}`),
    `filter=${encodeURIComponent(`not(${exists}(${relation},${test}))`)}&limit=0`,
    `filter=${encodeURIComponent(`gt(${number},0)`)}&count=estimated&limit=1`,
    `order=${encodeURIComponent(`-${number}`)}`,
    `order=${encodeURIComponent(`-${number}`)}&cursor=&limit=1`,
    `include=${encodeURIComponent(`code,n:${number}`)}`,
    `include=${encodeURIComponent(`code,n:${count}(${relation})`)}`,
    ...(exists === 'exists'
      ? [`related(${relation},${test})`, `related(${relation},order=-${prefix}${id},limit=1)`].map(
          (term) => `include=${encodeURIComponent(`code,l:${term}`)}`,
        )
      : []),
  ];
  const aggregated = [`select=${encodeURIComponent(`sum(${number})`)}`, `group=${encodeURIComponent(number)}`];
  const sum = `sum_related(${relation},${prefix}${id})`;
  const tested = `sum_related(${relation},mul(2,${prefix}${id}),${test})`;
  const sums = exists === 'exists' ? [sum, tested].map(encodeURIComponent) : [];
  queries.push(...sums.flatMap((each) => [`include=code,n:${each}`, `order=-${each}`, `filter=isnull(${each})`]));
  aggregated.push(...sums.map((each) => `select=max(${each})`));
  return [
    ...queries.map((query) => `/${path}/unit?${query}`),
    ...aggregated.map((query) => `/${path}/aggregate?${query}`),
  ].map(get);
}

/** Without repetitions: many ways of asking lead to the same request. */
function unique(all: readonly Question[]): Question[] {
  return [...new Map(all.map((question) => [JSON.stringify(question), question])).values()];
}

/** All that anybody is asked. */
export function questions(world: World): Question[] {
  return unique([...questionsOfFields(), ...questionsOfUnits(world)]);
}

/** What is asked of fields and words. Of each kind, as many units are Ann's as Bob's, with the same values. */
function questionsOfFields(): Question[] {
  return [
    ...aboutFields('open', KEPT),
    ...aboutFields('ruled', SOME_KEPT, '', false),
    ...aboutFields('ruled', PLAIN, '', false),
    ...aboutFields('ruled', SOME_PLAIN.slice(0, 1)),
    ...['closed', 'sealed'].flatMap((kind) => aboutFields(kind, [...KEPT, ...PLAIN].slice(10, 12), '', false)),
    ...aboutFields('pointer', SOME_KEPT, 'to_open.', false),
    ...aboutFields('pointer', SOME_PLAIN, 'to_ruled.', false),
    ...aboutFields('pointer', SOME_PLAIN.slice(0, 1), 'to_closed.', false),
    ...aboutName('person', 'first_name', ['x', 'y'], false),
    ...['open', 'ruled', 'closed', 'sealed', 'group/all'].flatMap((path) => aboutWords(`/${path}/unit`)),
  ];
}

/** What is asked of units and the ways to them, which are others for Ann than for Bob. */
export function questionsOfUnits({ ids }: World): Question[] {
  const [open, hidden] = [ids['open0'] ?? '', ids['anns0'] ?? ''];
  const mixed = ['/group/all/unit', `/open/unit/${open}/link/child`, `/ruled/unit/${hidden}/link/parent`];
  const plain = [
    '/doc/openapi.json',
    '/kind/unit',
    '/string/unit',
    '/string/struct',
    '/group/parameter/kind',
    '/kind_admin/unit',
  ];
  const group = [
    '/group/all/unit',
    '/group/all/unit?filter=eq(o_string,alpha)',
    '/group/all/unit?filter=eq(s_string,alpha)',
    '/group/all/unit?filter=not(eq(s_json.k,1))&limit=0',
    '/group/all/unit?count=estimated&limit=1',
    '/group/all/unit?count=estimated&limit=1&filter=eq(to_ruled.o_string,alpha)',
    '/group/all/unit?order=o_integer;desc&cursor=&limit=2',
    '/group/all/unit?load_links=true&depth=3',
    '/group/all/struct',
    '/group/all/kind',
  ];
  return unique([
    ...KINDS.flatMap(aboutKind),
    ...WAYS.flatMap((way) => [...SOME_KEPT, ...SOME_PLAIN.slice(0, 2)].flatMap((each) => aboutRelated(way, each))),
    ...aboutLinkValues(ids),
    ...['', 0, 1, 10, 11].map((value) => get(`/open/by/serial/${value}`)),
    ...Object.keys(ids).flatMap((name) => KINDS.map((kind) => get(`/${kind}/by/code/${name}`))),
    ...['to_ruled.owner.first_name', 'to_person.first_name'].flatMap((name) =>
      aboutName('pointer', name, ['x', 'y'], false),
    ),
    ...mixed.flatMap((list) => [...SOME_KEPT, ...SOME_PLAIN].flatMap((parameter) => aboutMixed(list, parameter))),
    ...UNITS.flatMap(([kind, name]) => aboutUnit(kind, ids[name] ?? '', ids)),
    ...[...plain, ...group, '/kind_system_user/unit'].map(get),
    // What refers to it is hidden, and how much of it.
    { method: 'DELETE', path: `/ruled/unit/${ids['anns0']}` },
  ]);
}
