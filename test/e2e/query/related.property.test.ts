/**
 * Random filters over related units, in lists and in groups with `having`, for an administrator and three members with
 * different rights, against a naive evaluation in memory.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Filter, RelatedUnits, Scalar } from '../../../src/filter/filter.ast.js';
import { parseFilter } from '../../../src/filter/filter.parser.js';
import { printFilter, printOperand } from '../../../src/filter/filter.printer.js';
import { allRelated, relatedOf } from '../../../src/filter/filter.walk.js';
import { LIMITS } from '../../../src/shared/limits.js';
import { defineKinds, tokensOf } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import type { UnitRecord } from '../../support/naive-filter.js';
import { relatedGroups } from '../../support/naive-related-groups.js';
import { matchesIn, relatedUnits, type NaiveLink, type NaiveWorld } from '../../support/naive-related.js';
import { runs } from '../../support/runs.js';
import { sharedService, type TestProject } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
await defineKinds(project, { id: 'person', parameters: [{ id: 'level', kind_id: 'integer' }] });
await ok(project.post('/group/unit/kind_auth_member/link/group/kind/unit/person'));
const reference = (id: string, kind: string) => ({ id, kind_id: 'unit', reference_kind: kind });
/** A parameter that only administrators may read. */
const MASKED = 'masked';
const RULES: Readonly<Record<string, string>> = {
  a: 'ne(n,3)',
  b: 'or(exists(c.to_b,and(eq(owner,@member.id),gt(n,0))),lt(count_linked(near,child,a,gt(n,0)),1))',
  c: 'or(eq(owner,@member.id),gt(n,2),linked(near,parent,and(eq(t,x),lt(link.weight,@member.level))))',
};
await defineKinds(
  project,
  {
    id: 'a',
    parameters: [
      { id: 'n', kind_id: 'integer' },
      { id: 't', kind_id: 'string' },
      { id: MASKED, kind_id: 'integer', read_access: 'admin' },
    ],
  },
  { id: 'b', parameters: ['n', 't', MASKED, reference('to_a', 'a')] },
  {
    id: 'c',
    parameters: [
      'n',
      't',
      MASKED,
      'to_a',
      reference('to_b', 'b'),
      reference('owner', 'person'),
      reference('to_c', 'c'),
    ],
  },
);
await ok(project.post('/link/unit', { id: 'near', parameters: [{ id: 'weight', kind_id: 'integer' }] }));
await ok(project.post('/link/unit', { id: 'far', parameters: ['weight', 't'] }));
for (const [id, read] of Object.entries(RULES)) await ok(project.put(`/kind/unit/${id}`, { access: { read } }));

/** A reproducible number below `below`. */
let state = 42;
const random = (below: number): number => {
  state = (state * 1103515245 + 12345) % 2147483648;
  return Math.floor((state / 2147483648) * below);
};
const pick = <T>(from: readonly T[]): T => from[random(from.length)] as T;

const KINDS = ['a', 'b', 'c'] as const;
const members: string[] = [];
const LEVELS = [3, 3, 1];
for (const [number, level] of LEVELS.entries()) {
  const name = `member${number}`;
  members.push(await createdId(project.post('/person/unit', { username: name, email: `${name}@example.org`, level })));
}
const text = (unit: UnitRecord, name: string): string => unit[name] as string;
const units = new Map<string, UnitRecord[]>(KINDS.map((kind) => [kind, []]));
const idsOf = (kind: string): (string | null)[] => [null, ...(units.get(kind) ?? []).map((unit) => text(unit, 'id'))];
for (const kind of KINDS) {
  for (let at = 0; at < 12; at += 1) {
    const body: Record<string, unknown> = {
      n: pick([null, 0, 1, 2, 3]),
      t: pick([null, 'x', 'y']),
      [MASKED]: pick([null, 0, 1, 2, 3]),
    };
    if (kind !== 'a') body['to_a'] = pick(idsOf('a'));
    if (kind === 'c')
      Object.assign(body, { to_b: pick(idsOf('b')), to_c: pick(idsOf('c')), owner: pick([null, ...members]) });
    units.get(kind)?.push((await ok(project.post(`/${kind}/unit`, body))) as UnitRecord);
  }
}
const links: NaiveLink[] = [];
const every = [...units.values()].flat();
for (let at = 0; at < 60; at += 1) {
  const [parent, child, type] = [pick(every), pick(every), pick(['near', 'far'])];
  const path = `/${text(parent, 'kind_id')}/unit/${text(parent, 'id')}/link/${type}/${text(child, 'kind_id')}/unit/${text(child, 'id')}`;
  const ends = { type, parent: text(parent, 'id'), child: text(child, 'id') };
  const isSame = (each: NaiveLink) => each.type === type && each.parent === ends.parent && each.child === ends.child;
  if (links.some(isSame)) continue;
  const values: UnitRecord = { weight: pick([null, 0, 1, 2, 3]), ...(type === 'far' && { t: pick([null, 'x', 'y']) }) };
  await ok(project.post(path, values));
  links.push({ ...ends, values });
}

const REFERENCES = new Map([
  ['to_a', 'a'],
  ['to_b', 'b'],
  ['to_c', 'c'],
]);
const TYPES = new Map([
  ['n', 'integer'],
  [MASKED, 'integer'],
  ['t', 'string'],
  ['weight', 'integer'],
]);
const all: NaiveWorld = { units, links, references: REFERENCES, types: TYPES, mayRead: () => true };

/** The world as a member sees it: its rules see all units. */
function worldOf(memberId: string, level: number | undefined): NaiveWorld {
  const readable = new Map<unknown, boolean>();
  for (const [kind, of] of units) {
    const rule = parseFilter(
      (RULES[kind] ?? '').replaceAll('@member.id', memberId).replaceAll('@member.level', String(level)),
    );
    for (const unit of of) readable.set(unit['id'], matchesIn(all, rule, unit));
  }
  return { ...all, mayRead: ({ id }) => readable.get(id) === true };
}

interface Asking {
  readonly caller: TestProject;
  readonly world: NaiveWorld;
}

const asking: Asking[] = [{ caller: project, world: all }];
for (const [number, id] of members.entries()) {
  const caller = project.as((await tokensOf(project, 'person', id)).access_token);
  asking.push({ caller, world: worldOf(id, LEVELS[number]) });
}

const at = 0;
const scalar = (text: string): Scalar => ({ type: 'bare', text, at });
const REFERRING: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  a: [
    ['b', 'to_a'],
    ['c', 'to_a'],
  ],
  b: [['c', 'to_b']],
  c: [['c', 'to_c']],
};
const PATHS: Readonly<Record<string, readonly string[]>> = {
  a: ['n', 't'],
  b: ['n', 't', 'to_a.n', 'to_a.t'],
  c: ['n', 't', 'to_a.n', 'to_b.t', 'to_b.to_a.n', 'to_c.to_b.n'],
};

const LINK_PATHS: Readonly<Record<string, readonly string[]>> = {
  near: ['link.weight'],
  far: ['link.weight', 'link.t'],
};

/** @param kind undefined for units of any kind @param link the type of the link that leads to the units @param masked whether a masked parameter is tested too */
function filters(
  kind: string | undefined,
  inside: number,
  size: number,
  link = '',
  masked = false,
): fc.Arbitrary<Filter> {
  const paths = [...(PATHS[kind ?? 'a'] ?? []), ...(LINK_PATHS[link] ?? []), ...(masked ? [MASKED] : [])];
  const plain: fc.Arbitrary<Filter> = fc.constantFrom(...paths).chain((text) => {
    const segments = text.split('.');
    const path = { segments, at };
    const value = segments.at(-1) !== 't' ? fc.constantFrom('0', '1', '2', '3') : fc.constantFrom('x', 'y');
    return fc.oneof(
      fc
        .record({ op: fc.constantFrom('eq' as const, 'ne' as const, 'lt' as const, 'gt' as const), value })
        .map((test): Filter => ({ op: test.op, path, value: scalar(test.value), at })),
      fc.boolean().map((value): Filter => ({ op: 'isnull', path, value, at })),
    );
  });
  if (size === 0) return plain;
  const options: fc.Arbitrary<Filter>[] = [
    plain,
    fc
      .tuple(
        fc.constantFrom('and' as const, 'or' as const),
        filters(kind, inside, size - 1, link, masked),
        filters(kind, inside, size - 1, link, masked),
      )
      .map(([op, left, right]): Filter => ({ op, filters: [left, right], at })),
    filters(kind, inside, size - 1, link, masked).map((filter): Filter => ({ op: 'not', filter, at })),
  ];
  if (inside < LIMITS.relatedDepth) {
    const existence = relations(kind, inside, size, masked).map((related): Filter => ({ op: 'exists', related, at }));
    const count = fc
      .tuple(
        relations(kind, inside, size, masked),
        fc.constantFrom('eq' as const, 'ne' as const, 'lt' as const, 'gt' as const),
        fc.constantFrom('0', '1', '2', '3'),
      )
      .map(([counted, op, text]): Filter => ({ op, path: { segments: [], counted, at }, value: scalar(text), at }));
    options.push(existence, existence, count, users(kind, inside, size, masked));
  }
  return fc.oneof(...options);
}

function relations(kind: string | undefined, inside: number, size: number, masked = false): fc.Arbitrary<RelatedUnits> {
  const withFilter = (other: string | undefined, link?: string) =>
    fc.option(filters(other, inside + 1, size - 1, link, masked), { nil: undefined });
  const linked = fc
    .tuple(
      fc.constantFrom('near', 'far'),
      fc.constantFrom('parent' as const, 'child' as const),
      fc.subarray([...KINDS]),
    )
    .chain(([link, direction, kinds]) => {
      const named = kinds.length === 0 ? undefined : kinds;
      const relation = { type: 'link' as const, link, direction, kinds: named, at };
      return withFilter(kinds.length === 1 ? kinds[0] : undefined, link).map((filter): RelatedUnits => ({
        relation,
        filter,
      }));
    });
  const referring = REFERRING[kind ?? ''] ?? [];
  if (referring.length === 0) return linked;
  const back = fc.constantFrom(...referring).chain(([other, parameter]) => {
    const relation = { type: 'reference' as const, kind: other, parameter, at };
    return withFilter(other).map((filter): RelatedUnits => ({ relation, filter }));
  });
  return fc.oneof(back, linked);
}

/** `referred`, whose filter is of units of the kind that is named. */
function users(kind: string | undefined, inside: number, size: number, masked: boolean): fc.Arbitrary<Filter> {
  const every = fc.constant({ kind: undefined, parameter: undefined });
  const ofKind = fc.constantFrom(...KINDS).map((of) => ({ kind: of, parameter: undefined }));
  const over = (REFERRING[kind ?? ''] ?? []).map(([of, parameter]) => ({ kind: of, parameter }));
  const ways = [every, ofKind, ...(over.length > 0 ? [fc.constantFrom(...over)] : [])];
  return fc.oneof(...ways).chain((way) => {
    const filter =
      way.kind === undefined ? fc.constant(undefined) : filters(way.kind, inside + 1, size - 1, '', masked);
    return fc.option(filter, { nil: undefined }).map((each): Filter => {
      return { op: 'exists', related: { relation: { type: 'any', ...way, at }, filter: each }, at };
    });
  });
}

/** A test of a group. */
const groupTest: fc.Arbitrary<Filter> = fc.oneof(
  fc
    .record({
      name: fc.constantFrom('c', 'f', 's'),
      op: fc.constantFrom('eq' as const, 'ne' as const, 'lt' as const, 'gt' as const),
      value: fc.constantFrom('0', '1', '2', '5'),
    })
    .map(({ name, op, value }): Filter => ({ op, path: { segments: [name], at }, value: scalar(value), at })),
  fc.boolean().map((value): Filter => ({ op: 'isnull', path: { segments: ['g'], at }, value, at })),
);
const having: fc.Arbitrary<Filter> = fc.oneof(
  groupTest,
  groupTest.map((filter): Filter => ({ op: 'not', filter, at })),
  fc
    .tuple(fc.constantFrom('and' as const, 'or' as const), groupTest, groupTest)
    .map(([op, left, right]): Filter => ({ op, filters: [left, right], at })),
);

const question = fc
  .tuple(fc.constantFrom(...KINDS), fc.boolean())
  .chain(([kind, masked]) =>
    fc.record({
      kind: fc.constant(kind),
      filter: filters(kind, 0, 4, '', masked),
      counted: relations(kind, 0, 2, masked),
      condition: filters(kind, 1, 2, '', masked),
      path: fc.constantFrom(...(PATHS[kind] ?? [])),
      having,
      descending: fc.boolean(),
      by: fc.nat(asking.length - 1),
      offset: fc.nat(3),
      limit: fc.constantFrom(1, 3, 100),
    }),
  )
  .filter(({ filter, counted, condition }) => {
    const related = [...relatedOf(filter), counted, ...relatedOf(condition)];
    return allRelated(related).length <= LIMITS.relatedUnits / 2;
  });

const RUNS = runs(75);

it(
  `random filters and groups answer what the naive evaluation does (${RUNS})`,
  { timeout: 60_000 + RUNS * 300 },
  async () => {
    await fc.assert(
      fc.asyncProperty(question, async (asked) => {
        const { kind, filter, counted, condition, by, offset, limit, descending } = asked;
        const { caller, world } = asking[by] as Asking;
        const count = printOperand({ segments: [], counted, at });
        const listed = new URLSearchParams({
          filter: printFilter(filter),
          include: `id,count:${count}`,
          order: `-${count},id`,
          offset: String(offset),
          limit: String(limit),
        });
        const grouped = new URLSearchParams({
          filter: printFilter(filter),
          group: `g:${asked.path}`,
          select: `c:count(),f:count(${printFilter(condition)}),s:sum(${count})`,
          having: printFilter(asked.having),
          order: `s;${descending ? 'desc' : 'asc'}`,
        });
        const list = await caller.get(`/${kind}/unit?${listed.toString()}`);
        const groups = await caller.get(`/${kind}/aggregate?${grouped.toString()}`);
        for (const [{ status, body }, terms] of [
          [list, [filter, counted]],
          [groups, [filter, counted, condition]],
        ] as const) {
          if (caller === project || !JSON.stringify(terms).includes(`"${MASKED}"`)) continue;
          // A parameter of the unit itself is unknown; that of another kind is denied, as in dotted paths.
          expect(['400 filter.unknown_parameter', '400 parameter.unknown', '403 access.denied']).toContain(
            `${status} ${body.messages[0]?.code}`,
          );
          return;
        }
        // Of any kind, inside one another and under rules: the statement would be too large.
        fc.pre([list, groups].every(({ body }) => body.messages[0]?.code !== 'query.too_large'));
        expect([list.body.messages, groups.body.messages]).toEqual([[], []]);
        const found = (units.get(kind) ?? []).filter((unit) => world.mayRead(unit) && matchesIn(world, filter, unit));
        const expected = found
          .map((unit) => ({ id: text(unit, 'id'), count: relatedUnits(world, counted, unit).length }))
          .sort((one, other) => other.count - one.count || (one.id < other.id ? -1 : 1));
        expect(list.body.content).toEqual({ count: found.length, items: expected.slice(offset, offset + limit) });
        const expectedGroups = relatedGroups(world, found, asked);
        expect(groups.body.content).toEqual({ count: expectedGroups.length, items: expectedGroups });
      }),
      { numRuns: RUNS },
    );
  },
);
