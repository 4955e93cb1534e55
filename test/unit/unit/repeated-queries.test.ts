/** Repeated queries: which are stored, and for which callers. */
import { describe, expect, it } from 'vitest';
import type { KindDef, Model } from '../../../src/model/model.js';
import { bindRule } from '../../../src/model/predicate/bound-rule.js';
import type { Predicate } from '../../../src/model/predicate/predicate.js';
import { passingParam, render, sql, type Statement } from '../../../src/sql/fragment.js';
import { ANONYMOUS, memberCaller, type Caller } from '../../../src/tenancy/caller.js';
import { queryKey, RepeatedQueries, type QueryKey } from '../../../src/unit/query/repeated-queries.js';

const [ANN, BOB] = ['0190163d-8694-739b-aea5-000000000001', '0190163d-8694-739b-aea5-000000000002'].map((id) =>
  memberCaller(id, 'person'),
);
if (!ANN || !BOB) throw new Error('two members');
const ADMIN = memberCaller('0190163d-8694-739b-aea5-000000000003', 'kind_admin');
const model = { version: 1 } as Model;
const project = { schema: 'project_a' } as Parameters<typeof queryKey>[0]['project'];

function keyOf(caller: Caller, text = 'eq(a,1)', of: Model = model, predicate?: Predicate): QueryKey {
  const key = queryKey({ project, model: of, caller }, { kind: { id: 'city' }, grant: { predicate } }, [
    ['filter', text],
  ]);
  if (!key) throw new Error('no key');
  return key;
}

const query = (...values: unknown[]) => ({ statement: { text: 'SELECT $1', values } });

describe('a repeated query', () => {
  it('is found from its third request on', () => {
    const queries = new RepeatedQueries<ReturnType<typeof query>>();
    const key = keyOf(ANONYMOUS);
    for (let request = 1; request <= 2; request += 1) {
      expect(queries.find(key)).toBeUndefined();
      queries.note(key, query(1));
    }
    expect(queries.find(key)).toEqual(query(1));
  });

  it('of a text that is too long, or with values that are good for a short time, is not stored', () => {
    const key = keyOf(ANONYMOUS);
    const long = { statement: { text: 'x'.repeat(20_001), values: [] } };
    for (const planned of [long, { statement: render(sql`SELECT ${passingParam(1)}`) }]) {
      const queries = new RepeatedQueries<{ statement: Statement }>();
      for (let request = 0; request < 3; request += 1) queries.note(key, planned);
      expect(queries.find(key)).toBeUndefined();
    }
    const grant = { predicate: undefined };
    const parameters = [['filter', 'x'.repeat(2001)]] as const;
    expect(queryKey({ project, model, caller: ANONYMOUS }, { kind: {} as KindDef, grant }, parameters)).toBeUndefined();
  });

  it('is another one in another model, of another kind of caller, by another rule and with other parameters', () => {
    const rule: Predicate = { op: 'constant', value: true };
    const keys = [
      keyOf(ANONYMOUS),
      keyOf(ANN),
      keyOf(ADMIN),
      keyOf({ ...ANN, seesHidden: true }),
      keyOf(memberCaller(ANN.id, 'guest')),
      keyOf(ANN, 'eq(a,2)'),
      keyOf(ANN, 'eq(a,1)', { version: 1 } as Model),
      keyOf(ANN, 'eq(a,1)', model, bindRule(rule, ANN.id)),
    ];
    expect(new Set(keys.map((key) => key.query)).size).toBe(keys.length);
  });

  it('has no key where the units are selected by something else than a rule', () => {
    expect(() => keyOf(ANN, 'eq(a,1)', model, { op: 'constant', value: true })).toThrow('no key');
  });

  it('is shared by members, unless its statement has the id of one', () => {
    const queries = new RepeatedQueries<ReturnType<typeof query>>();
    for (const caller of [ANN, BOB]) queries.note(keyOf(caller), query(1));
    expect(queries.find(keyOf(BOB))).toEqual(query(1));

    const own = (caller: Caller) => keyOf(caller, 'eq(b,1)');
    for (let request = 0; request < 2; request += 1) queries.note(own(ANN), query([ANN.id]));
    expect(queries.find(own(ANN))).toEqual(query([ANN.id]));
    expect(queries.find(own(BOB))).toBeUndefined();
    for (let request = 0; request < 2; request += 1) queries.note(own(BOB), query([BOB.id]));
    expect(queries.find(own(BOB))).toEqual(query([BOB.id]));
    expect(queries.find(own(ANN))).toEqual(query([ANN.id]));
  });
});
