/**
 * One project stores and asks, many times at once, the most of what applications say in their models: expressions, similar
 * texts, rights of units, transitions with conditions, checks, and what writes answer; another one does not wait for it.
 */
import { beforeAll, expect, it } from 'vitest';
import { LIMITS } from '../../src/shared/limits.js';
import { asMember, defineKinds } from '../support/callers.js';
import { query } from '../support/definitions.js';
import { beside, quietNote } from '../support/neighbour.js';
import { sharedService, type Reply } from '../support/service.js';

const [SALES, LETTERS, TICKETS, CHARACTERS] = [50_000, 60, 1000, 20_000];
const AT_ONCE = 6;
/** Milliseconds for which each of these asks again. */
const LASTS = 2000;
/** Milliseconds: for each request of the quiet project, and for half of them. */
const BOUND = 2000;
const USUAL = 300;

const service = await sharedService();
const quiet = await service.project();
const note = await quietNote(quiet);
const project = await service.project();
const member = await asMember(project);

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
const anyOf = (count: number, test: (at: number) => string) => `or(${numbers(count).map(test).join()})`;

const VALUES = numbers(LIMITS.transitionValues).map((at) => `s${at}`);

/** As many transitions as may be, each with one of so many conditions of so many tests. */
function transitions(conditions: number, tests: number) {
  const whens = numbers(conditions).map((at) => anyOf(tests, (test) => `lt(rank,${at * tests + test})`));
  const ways = LIMITS.transitions / VALUES.length;
  const next = (from: number) =>
    numbers(ways).map((way) => ({
      to: VALUES[(from + way + 1) % VALUES.length],
      when: whens[(from * ways + way) % conditions],
    }));
  return Object.fromEntries(VALUES.map((value, from) => [value, next(from)]));
}

/** Of members: as many tests as the rules of an operation may have. The last one lets all through. */
const rules = (operation: number) =>
  numbers(2).map((half) =>
    anyOf(LIMITS.ruleTests / 4, (at) =>
      at === 0 ? `and(gte(rank,0),ne(state,x${operation}))` : `and(eq(state,x${operation}${half}),eq(rank,${at}))`,
    ),
  );
const checks = numbers(LIMITS.checksPerKind).map((at) => ({
  id: `c${at}`,
  filter: anyOf(25, (test) => (test === 24 ? 'gte(rank,0)' : `eq(rank,${-1 - at * 25 - test})`)),
  text: 'A ticket has a rank',
}));

beforeAll(async () => {
  await defineKinds(
    project,
    {
      id: 'sale',
      parameters: [
        { id: 'items', kind_id: 'integer' },
        { id: 'total', kind_id: 'decimal' },
      ],
    },
    { id: 'letter', parameters: [{ id: 'text', kind_id: 'text' }] },
    {
      id: 'ticket',
      parameters: [
        { id: 'rank', kind_id: 'integer' },
        { id: 'sale', kind_id: 'unit', reference_kind: 'sale' },
        { id: 'state', kind_id: 'string', own: true, values: VALUES, transitions: transitions(125, 2) },
      ],
      checks,
      access: { update: rules(1), delete: rules(2), link: rules(3) },
    },
  );
  const id = (number: string) => `('0190163d-8694-739b-aea5-' || lpad(to_hex(${number}), 12, '0'))::uuid`;
  const fill = (kind: string, columns: string, values: string, count: number, from: number) =>
    query(
      project,
      `INSERT INTO $schema."${kind}" ("id", ${columns}, "metadata", "inserted_at", "updated_at")
        SELECT ${id(`${from} + i`)}, ${values}, '{}', now(), now() FROM generate_series(0, ${count - 1}) AS i`,
    );
  await fill('sale', '"items", "total"', 'i % 100 + 1, i / 7.0', SALES, 0);
  const text = `left(repeat(md5(i::text) || ' lorem ipsum dolor ', 400), ${CHARACTERS})`;
  await fill('letter', '"text"', text, LETTERS, 1_000_000);
  await fill('ticket', '"rank", "state", "sale"', `i, 's' || i % ${VALUES.length}, ${id('i')}`, TICKETS, 2_000_000);
  for (const table of ['sale', 'letter', 'ticket']) await query(project, `ANALYZE $schema."${table}"`);
}, 60_000);

const deepest = (at: number) => `add(mul(sub(div(add(items,${at}.5),total),total),items),${at})`;
const expressions = numbers(LIMITS.expressions).map((at) => `e${at}:${['sum', 'avg', 'max'][at % 3]}(${deepest(at)})`);
const long = 'lorem ipsum dolor sit amet consectetur '.repeat(6).slice(0, LIMITS.similarCharacters);
const similar = anyOf(10, (at) => `similar(text,"${long.slice(at)}",0.9)`);
const tickets = numbers(LIMITS.bulk).map((at) => ({ rank: at, state: VALUES[0] }));

/** Each with the status that the first answer has. */
const WORK: readonly (readonly [string, number, () => Promise<Reply>])[] = [
  ['20 expressions', 200, () => project.get(`/sale/aggregate?select=[${expressions.join()}]`)],
  ['similar texts', 200, () => project.get(`/letter/unit?filter=${similar}&order=similarity(text,"${long}");desc`)],
  ['rights of units', 200, () => member.get('/ticket/unit?include=[id,can()]&limit=1000')],
  ['edits by transitions', 409, () => member.put('/ticket/unit?filter=ne(state,s0)', { state: 's7' })],
  ['creates with checks', 200, () => project.post('/ticket/unit', tickets)],
  ['answers of writes', 200, () => member.post('/ticket/unit?include=[rank,can(),sale.total]', tickets)],
  ['conditions beyond the limit', 400, () => project.put('/string/unit/ticket.state', { transitions: TOO_MANY })],
];
const TOO_MANY = transitions(LIMITS.transitions, 50);

async function again(ask: () => Promise<Reply>): Promise<Reply[]> {
  const until = performance.now() + LASTS;
  const replies: Reply[] = [];
  do replies.push(await ask());
  while (performance.now() < until);
  return replies;
}

it.each([
  ...WORK.map(([name, status, ask]) => [name, [status], [ask]] as const),
  ['all of these', WORK.map(([, status]) => status), WORK.map(([, , ask]) => ask)] as const,
])('nobody waits for %s', { timeout: 120_000 }, async (_, statuses, asks) => {
  const all = () => Promise.all(asks.flatMap((ask) => Array.from({ length: AT_ONCE }, () => again(ask))));
  const { waits, held, result } = await beside(quiet, note, all);
  const replies = result.flat();
  const median = waits.toSorted((one, other) => one - other)[waits.length >> 1];
  // Beyond its share of the connections the project waits, and at last is refused.
  const allowed = [503, ...statuses];
  expect(replies.map(({ status }) => status).filter((status) => !allowed.includes(status))).toEqual([]);
  if (asks.length === 1) expect(replies[0]?.status).toBe(statuses[0]);
  expect(held).toBeLessThan(BOUND);
  expect(Math.max(...waits)).toBeLessThan(BOUND);
  expect(median).toBeLessThan(USUAL);
});
