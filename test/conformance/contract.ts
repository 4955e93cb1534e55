/**
 * Tests that units of every kind must pass: of built-in kinds, users' kinds, kinds with natural keys, member kinds.
 * They check the first idea of the architecture: everything is a unit of a kind.
 */
import { describe, expect, it } from 'vitest';
import { scalarText, type Json } from '../../src/shared/json.js';
import { inQuotes, modelOf, ok, query, refusalOf, TIMESTAMP } from '../support/definitions.js';
import type { Reply, TestProject } from '../support/service.js';

export type Body = Readonly<Record<string, Json>>;

/** A kind under the contract: what one has to know of it to use it. */
export interface Subject {
  readonly kind: string;
  /** Where the id comes from; for `natural` the parameter. */
  readonly key: 'uuid' | 'identifier' | { readonly natural: string };
  /** The n-th body of a create: all different, and in ascending order of `sortBy`. */
  readonly body: (n: number) => Body;
  /** A parameter that lists can be ordered and filtered by, different in every body; undefined where there is none. */
  readonly sortBy: string | undefined;
  /** What an edit changes; not in any body. */
  readonly edit: Body;
  /** A parameter and a value of the wrong type for it. */
  readonly wrong: readonly [parameter: string, value: Json];
  /** A parameter that a create must have. */
  readonly required?: string;
  /** A parameter that is never null. */
  readonly notNull?: string;
  /** A body that conflicts with that of the unit given, and the code of the conflict. */
  readonly conflict?: { readonly body: (unit: Body) => Body; readonly code: string };
  /** Units that are there before any is made. */
  readonly builtIn?: boolean;
  /** Whoever may sign up sees the struct. */
  readonly signup?: boolean;
  /** An edit answers what was edited only. */
  readonly answersEdited?: boolean;
  /** A field of the answer of a create alone. */
  readonly once?: string;
  /** Whether its units are written one by one only. */
  readonly alone?: true;
  /** Another subject of the same sort shows what depends neither on names nor on the types of values. */
  readonly alike?: boolean;
  /** Fields of the record that a body does not give back as it is. */
  readonly shown?: (body: Body) => Body;
}

/** What a member, an API key or a webhook gets when it is made; of other units the id where it is generated. */
const MADE_WITH: readonly string[] = [
  ...['id', 'kind_system_user', 'first_access_time', 'last_access_time', 'email_verified_at'],
  ...['hint', 'last_used_at'],
  ...['state', 'reason', 'delivered_at', 'waiting'],
];
const MISSING = '0198c0de-0000-7000-8000-000000000000';

/** Runs the contract. `projects` gives the subject's project, and another one that has the same kinds. */
export function itHolds(subject: Subject, projects: { readonly here: TestProject; readonly other: TestProject }): void {
  const { here, other } = projects;
  const { sortBy, required, notNull, conflict } = subject;
  const inBulk = subject.key !== 'identifier' && !subject.builtIn;
  const ofList = subject.alone ? 'kind.one_by_one' : 'body.not_object';
  const path = `/${subject.kind}/unit`;
  const anonymous = here.as(undefined);
  let made = 0;
  const next = (): Body => subject.body(made++);
  const create = async (body = next()): Promise<Body & { id: string }> =>
    withoutOnce(await ok(here.post(path, body))) as Body & { id: string };
  const withoutOnce = (unit: Body): Body =>
    Object.fromEntries(Object.entries(unit).filter(([name]) => name !== subject.once));
  const at = (id: string) => `${path}/${encodeURIComponent(id)}`;
  const shown = (body: Body): Body => subject.shown?.(body) ?? body;
  const count = async (): Promise<number> => ((await ok(here.get(`${path}?limit=0`))) as { count: number }).count;
  const refused = async (call: Promise<Reply>, status: number, ...messages: string[]) => {
    const reply = await call;
    expect(refusalOf(reply)).toEqual({ status, messages });
    expect(reply.body.content).toBeNull();
  };
  /** The same, and nothing was written. */
  const refusedWithout = async (call: () => Promise<Reply>, status: number, ...messages: string[]) => {
    const before = await state();
    await refused(call(), status, ...messages);
    expect(await state()).toEqual(before);
  };
  /** All that a write could have changed: the units, and the version of the model. */
  let table: Promise<string | undefined> | undefined;
  const state = async (): Promise<unknown> => {
    table ??= modelOf(here).then((model) => model.kinds.get(subject.kind)?.table);
    const rows = `(SELECT md5(string_agg(t::text, ',' ORDER BY t::text)) FROM $schema."${await table}" AS t)`;
    return query(here, `SELECT "version", ${rows} AS rows FROM $schema."_model"`);
  };
  const unknownId = (): string =>
    typeof subject.key === 'object' || subject.key === 'identifier' ? 'nowhere' : MISSING;

  describe(`a unit of ${subject.kind}`, () => {
    it('is created, and answered whole', async () => {
      const body = next();
      const reply = await here.post(path, body);
      expect(reply).toMatchObject({ status: 200, body: { messages: [] } });
      const unit = withoutOnce(reply.body.content as Body);
      expect(unit).toMatchObject({ ...shown(body), kind_id: subject.kind, metadata: {} });
      expect(unit['inserted_at']).toMatch(TIMESTAMP);
      expect(unit['updated_at']).toBe(unit['inserted_at']);
      expect(Object.keys(unit).slice(0, 2)).toEqual(['id', 'kind_id']);
      expect(Object.keys(unit).slice(-3)).toEqual(['metadata', 'inserted_at', 'updated_at']);
      const { key } = subject;
      if (key === 'uuid')
        expect(unit['id']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      else expect(unit['id']).toBe(key === 'identifier' ? body['id'] : scalarText(unit[key.natural]));
    });

    it('is read as it was created', async () => {
      const unit = await create();
      expect(await ok(here.get(at(unit.id)))).toEqual(unit);
    });

    it('is listed, counted and found by its id', async () => {
      const before = await count();
      const unit = await create();
      expect(await count()).toBe(before + 1);
      expect(await ok(here.get(`${path}?filter=eq(id,${inQuotes(unit.id)})`))).toEqual({ count: 1, items: [unit] });
      const found = (await ok(here.get(`${path}?filter=in(id,[${inQuotes(unit.id)}])&include=id`))) as object;
      expect(found).toEqual({ count: 1, items: [{ id: unit.id }] });
    });

    if (sortBy !== undefined)
      it('is ordered and filtered by a parameter', async () => {
        const name = sortBy;
        const units = [await create(), await create(), await create()];
        const ids = units.map(({ id }) => id);
        const list = async (query: string) =>
          ((await ok(here.get(`${path}?limit=1000&${query}`))) as { items: Body[] }).items.map(({ id }) =>
            scalarText(id),
          );
        const own = (found: readonly string[]) => found.filter((id) => ids.includes(id));
        expect(own(await list(`order=${name};asc`))).toEqual(ids);
        expect(own(await list(`order[]=${name};desc&order[]=id;asc`))).toEqual([...ids].reverse());
        const value = inQuotes(scalarText(units[1]?.[name]));
        expect(await list(`filter=eq(${name},${value})`)).toEqual([ids[1]]);
        const others = own(await list(`filter=not(eq(${name},${value}))`));
        expect([...others].sort()).toEqual([ids[0], ids[2]].sort());
        expect(own(await list(`filter=isnull(${name})`))).toEqual([]);
      });

    it('is edited in part', async () => {
      const unit = await create();
      const reply = await here.put(at(unit.id), subject.edit);
      const edited = (await ok(Promise.resolve(reply))) as Body;
      const now = { ...unit, ...shown(subject.edit), updated_at: edited['updated_at'] };
      if (subject.answersEdited) {
        const { id, inserted_at } = unit;
        expect(edited).toEqual({ id, ...shown(subject.edit), inserted_at, updated_at: edited['updated_at'] });
      } else expect(edited).toEqual(now);
      expect(scalarText(edited['updated_at']) > scalarText(unit['updated_at'])).toBe(true);
      const got = await here.get(at(unit.id));
      expect(got.body.content).toEqual(now);
      expect(got.headers.get('etag')).toBe(reply.headers.get('etag'));
      await ok(here.put(at(unit.id), {}));
    });

    it('can be posted again as it was read, except generated fields', async () => {
      const unit = await create();
      const record = (await ok(here.get(at(unit.id)))) as Body;
      await ok(here.delete(at(unit.id)));
      const made = MADE_WITH.filter((name) => name !== 'id' || subject.key === 'uuid');
      const kept = Object.entries(record).filter(([name]) => !made.includes(name));
      const again = await create(Object.fromEntries(kept));
      const got = (await ok(here.get(at(again.id)))) as Body;
      const fresh = Object.fromEntries([...made, 'inserted_at', 'updated_at'].map((name) => [name, got[name]]));
      expect(got).toEqual({ ...record, ...Object.fromEntries(Object.entries(fresh).filter(([name]) => name in got)) });
      expect(scalarText(got['inserted_at']) > scalarText(record['inserted_at'])).toBe(true);
      const body = next();
      await refusedWithout(() => here.post(path, { ...body, kind_id: 'another' }), 400, 'parameter.immutable kind_id');
      await refusedWithout(
        () => here.post(path, { ...body, inserted_at: 'now', updated_at: null }),
        400,
        'parameter.read_only inserted_at',
        'parameter.read_only updated_at',
      );
    });

    it('is deleted, and then 404', async () => {
      const unit = await create();
      const before = await count();
      const reply = await here.delete(at(unit.id));
      expect([reply.status, reply.body]).toEqual([200, { content: null, messages: [] }]);
      expect(await count()).toBe(before - 1);
      for (const call of [here.get(at(unit.id)), here.put(at(unit.id), subject.edit), here.delete(at(unit.id))])
        await refused(call, 404, 'unit.unknown');
    });

    it('is refused with a value of another type', async () => {
      const [name, value] = subject.wrong;
      await refusedWithout(() => here.post(path, { ...next(), [name]: value }), 400, `parameter.bad_type ${name}`);
      const unit = await create();
      await refusedWithout(() => here.put(at(unit.id), { [name]: value }), 400, `parameter.bad_type ${name}`);
    });

    if (conflict)
      it('is rejected if it conflicts with an existing one', async () => {
        const body = next();
        await create(body);
        await refusedWithout(() => here.post(path, { ...next(), ...conflict.body(body) }), 409, conflict.code);
      });

    if (!subject.alike) itIsAnyUnit();

    it('has a struct with the fields of its body', async () => {
      const unit = await create();
      const struct = (await ok(here.get(`${at(unit.id)}/struct`))) as { label: string; parameters: { id: string }[] };
      expect(struct.label).toBe(
        typeof unit['label'] === 'string'
          ? unit['label']
          : ((await ok(here.get(`/kind/unit/${subject.kind}`))) as Body)['label'],
      );
      const described = struct.parameters.map(({ id }) => id);
      const named = Object.keys(subject.body(0)).filter((key) => !['kind_id', 'metadata'].includes(key));
      expect(described).toEqual(expect.arrayContaining(named));
      await refused(here.get(`${at(unknownId())}/struct`), 404, 'unit.unknown');
    });

    if (inBulk)
      it('is created from a list, all or none', async () => {
        const bodies = [next(), next(), next()];
        const { count: number, items } = (await ok(here.post(path, bodies))) as { count: number; items: Body[] };
        expect([number, items.length]).toEqual([3, 3]);
        expect(items).toMatchObject(bodies.map(shown));
        const before = await count();
        const [name, value] = subject.wrong;
        const bad = await here.post(path, [next(), { ...next(), [name]: value }, { ...next(), nope: 1 }]);
        expect(bad.body.messages).toMatchObject([
          { code: 'parameter.bad_type', parameter: name, index: 1 },
          { code: 'parameter.unknown', parameter: 'nope', index: 2 },
        ]);
        expect(await count()).toBe(before);
        if (conflict) {
          const first = next();
          const reply = await here.post(path, [first, next(), { ...next(), ...conflict.body(first) }]);
          expect(reply).toMatchObject({ status: 409, body: { messages: [{ index: 2 }] } });
          expect(await count()).toBe(before);
        }
        expect(await ok(here.post(path, []))).toEqual({ count: 0, items: [] });
      });
  });

  /** What depends neither on the names of a kind nor on the types of its values. */
  function itIsAnyUnit(): void {
    it('has an ETag, which answers 304 while it is current', async () => {
      const reply = await here.post(path, next());
      const tag = reply.headers.get('etag') ?? '';
      const id = scalarText((reply.body.content as Body)['id']);
      const got = await here.get(at(id));
      expect(got.headers.get('etag')).toBe(tag);
      const same = await here.get(at(id), { headers: { 'if-none-match': tag } });
      expect([same.status, same.text, same.headers.get('etag')]).toEqual([304, '', tag]);
      expect((await here.get(at(id), { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
      await ok(here.put(at(id), subject.edit));
      expect((await here.get(at(id), { headers: { 'if-none-match': tag } })).status).toBe(200);
    });

    it('can be read in part', async () => {
      const unit = await create();
      expect(Object.keys((await ok(here.get(`${at(unit.id)}?include=updated_at,id`))) as object)).toEqual([
        'id',
        'updated_at',
      ]);
      const less = (await ok(here.get(`${at(unit.id)}?exclude=[metadata,kind_id]`))) as object;
      expect(Object.keys(less)).toEqual(Object.keys(unit).filter((key) => key !== 'metadata' && key !== 'kind_id'));
      await refused(here.get(`${at(unit.id)}?include=nope`), 400, 'parameter.unknown include');
    });

    it('comes in the order of insertion, and by its id', async () => {
      const ids = [(await create()).id, (await create()).id, (await create()).id];
      const list = async (query: string) =>
        ((await ok(here.get(`${path}?limit=1000&include=id${query}`))) as { items: Body[] }).items.map(({ id }) =>
          scalarText(id),
        );
      const own = (found: readonly string[]) => found.filter((id) => ids.includes(id));
      expect(own(await list(''))).toEqual(ids);
      const ascending = await list('&order=id;asc');
      expect(await list('&order=id;desc')).toEqual([...ascending].reverse());
      expect(own(await list('&order=inserted_at;desc'))).toEqual([...ids].reverse());
    });

    it('is in exactly one page, by offset and by cursor', async () => {
      for (let n = 0; n < 3; n++) await create();
      const whole = ((await ok(here.get(`${path}?limit=1000`))) as { items: Body[] }).items;
      // Some six pages, the last of which is not full.
      const limit = Math.max(2, Math.ceil(whole.length / 5.5));
      const pages: Body[] = [];
      for (let offset = 0; offset < whole.length; offset += limit) {
        const page = (await ok(here.get(`${path}?limit=${limit}&offset=${offset}`))) as {
          count: number;
          items: Body[];
        };
        expect(page.count).toBe(whole.length);
        pages.push(...page.items);
      }
      expect(pages).toEqual(whole);
      const walked: Body[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const page = (await ok(here.get(`${path}?limit=${limit}&cursor=${cursor}`))) as {
          items: Body[];
          next: string | null;
        };
        walked.push(...page.items);
        cursor = page.next;
      }
      expect(walked).toEqual(whole);
    });

    it('reports every fault at once', async () => {
      const [name, value] = subject.wrong;
      const reply = await here.post(path, { ...next(), nope: 1, metadata: 5, [name]: value });
      expect([...refusalOf(reply).messages].sort()).toEqual(
        [`parameter.bad_type ${name}`, 'parameter.bad_type metadata', 'parameter.unknown nope'].sort(),
      );
    });

    if (required !== undefined)
      it('is rejected without required values', async () => {
        const name = required;
        const rest = Object.fromEntries(Object.entries(next()).filter(([key]) => key !== name));
        await refusedWithout(() => here.post(path, rest), 400, `parameter.required ${name}`);
      });

    if (notNull !== undefined)
      it('is rejected with a null where null is not allowed', async () => {
        const name = notNull;
        await refusedWithout(() => here.post(path, { ...next(), [name]: null }), 400, `parameter.null ${name}`);
        const unit = await create();
        await refusedWithout(() => here.put(at(unit.id), { [name]: null }), 400, `parameter.null ${name}`);
      });

    if (!inBulk)
      it('is not created from a list', async () => {
        await refusedWithout(() => here.post(path, [next()]), 400, ofList);
      });

    it('keeps metadata, which any unit has', async () => {
      const metadata = { a: [1, null, 'x'], 'b.c': { __proto__x: true } };
      const unit = await create({ ...next(), metadata });
      expect(unit['metadata']).toEqual(metadata);
      expect(await ok(here.put(at(unit.id), { metadata: {} }))).toMatchObject({ metadata: {} });
      await refusedWithout(() => here.put(at(unit.id), { metadata: [] }), 400, 'parameter.bad_type metadata');
      await refusedWithout(() => here.put(at(unit.id), { metadata: null }), 400, 'parameter.null metadata');
    });

    it('keeps its identity', async () => {
      const unit = await create();
      await refusedWithout(() => here.put(at(unit.id), { id: 'another' }), 400, 'parameter.immutable id');
      await refusedWithout(() => here.put(at(unit.id), { kind_id: 'another' }), 400, 'parameter.immutable kind_id');
      await refusedWithout(
        () => here.put(at(unit.id), { inserted_at: '2024-01-01T00:00:00Z' }),
        400,
        'parameter.read_only inserted_at',
      );
      await refusedWithout(
        () => here.put(at(unit.id), { updated_at: '2024-01-01T00:00:00Z' }),
        400,
        'parameter.read_only updated_at',
      );
      await refusedWithout(() => here.put(at(unit.id), { links: {} }), 400, 'parameter.read_only links');
      await ok(here.put(at(unit.id), { id: unit.id, kind_id: subject.kind }));
    });

    it('can be sent back whole, once: then the record is outdated', async () => {
      const unit = await create();
      const record = (await ok(here.get(at(unit.id)))) as Body;
      const tag = (await here.get(at(unit.id))).headers.get('etag') ?? '';
      const edited = (await ok(here.put(at(unit.id), { ...record, metadata: { a: 1 } }))) as Body;
      expect(await ok(here.get(at(unit.id)))).toEqual({
        ...record,
        metadata: { a: 1 },
        updated_at: edited['updated_at'],
      });
      for (const headers of [{}, { 'if-match': tag }, { 'if-match': '*' }]) {
        await refusedWithout(() => here.put(at(unit.id), record, { headers }), 412, 'unit.changed');
      }
      const inserted_at = scalarText(record['inserted_at']).replace('Z', '+00:00');
      await refusedWithout(() => here.put(at(unit.id), { ...record, inserted_at }), 412, 'unit.changed');
      const now = (await ok(here.get(at(unit.id)))) as Body;
      await ok(
        here.put(at(unit.id), { ...now, inserted_at, updated_at: `${scalarText(now['updated_at'])}`.toLowerCase() }),
      );
    });

    it('is edited and deleted only as the version that If-Match names', async () => {
      const reply = await here.post(path, next());
      const first = reply.headers.get('etag') ?? '';
      const id = scalarText((reply.body.content as Body)['id']);
      const second =
        (await here.put(at(id), subject.edit, { headers: { 'if-match': first } })).headers.get('etag') ?? '';
      expect(second).not.toBe(first);
      await refusedWithout(
        () => here.put(at(id), subject.edit, { headers: { 'if-match': first } }),
        412,
        'unit.changed',
      );
      await refusedWithout(() => here.delete(at(id), { headers: { 'if-match': first } }), 412, 'unit.changed');
      await refusedWithout(() => here.delete(at(id), { headers: { 'if-match': '"nonsense"' } }), 412, 'unit.changed');
      await ok(here.put(at(id), { metadata: { a: 1 } }, { headers: { 'if-match': '*' } }));
      const third = (await here.get(at(id))).headers.get('etag') ?? '';
      await ok(here.delete(at(id), { headers: { 'if-match': `${first}, ${third}` } }));
    });

    it('is rejected with an unknown key', async () => {
      await refusedWithout(() => here.post(path, { ...next(), nope: 1 }), 400, 'parameter.unknown nope');
      const text = JSON.stringify(next()).replace('{', '{"__proto__":{"x":1},"constructor":1,');
      const taken = refusalOf(await here.post(path, text)).messages;
      expect(taken).toContain('parameter.unknown __proto__');
      const unit = await create();
      await refusedWithout(
        () => here.put(at(unit.id), { nope: 1, nor_this: 2 }),
        400,
        'parameter.unknown nope',
        'parameter.unknown nor_this',
      );
    });

    it('does not exist in another project', async () => {
      const unit = await create();
      await refused(other.get(at(unit.id)), 404, 'unit.unknown');
      await refused(other.put(at(unit.id), subject.edit), 404, 'unit.unknown');
      await refused(other.delete(at(unit.id)), 404, 'unit.unknown');
      const { items } = (await ok(other.get(`${path}?limit=1000&include=id`))) as { items: Body[] };
      expect(items.map(({ id }) => id)).not.toContain(unit.id);
      expect(await ok(here.get(at(unit.id)))).toEqual(unit);
    });

    it('is 404 under unknown ids', async () => {
      const odd = [
        unknownId(),
        'x',
        'constructor',
        '__proto__',
        '%2500',
        "'; DROP TABLE x; --",
        '😀',
        ' ',
        `${MISSING}0`,
        'a/b',
        '"',
        '%',
      ];
      for (const id of odd) {
        await refused(here.get(at(id)), 404, 'unit.unknown');
        await refused(here.delete(at(id)), 404, 'unit.unknown');
        // Existence is answered before what is wrong with the body.
        await refused(here.put(at(id), { nope: 1 }), 404, 'unit.unknown');
      }
    });

    it.each([
      ['no body', undefined, 'body.not_object'],
      ['a number', '1', 'body.not_object'],
      ['null', 'null', 'body.not_object'],
      ['no JSON', '{"a":', 'body.malformed'],
      ['a list of no objects', '[1]', 'body.not_object'],
    ])('is not made from %s', async (_, body, code) => {
      await refusedWithout(() => here.post(path, body), 400, body === '[1]' ? ofList : code);
      const unit = await create();
      await refusedWithout(() => here.put(at(unit.id), body), 400, code);
    });

    it('is not created from a body that is not JSON', async () => {
      await refusedWithout(
        () => here.post(path, '{}', { headers: { 'content-type': 'text/plain' } }),
        415,
        'body.not_json',
      );
    });

    it('accepts no unknown query parameters', async () => {
      const unit = await create();
      await refused(here.get(`${path}?fliter=x`), 400, 'query.unknown fliter');
      await refused(here.get(`${at(unit.id)}?fliter=x`), 400, 'query.unknown fliter');
      await refused(here.get(`${path}?limit=-1&offset=x`), 400, 'query.bad_value offset', 'query.bad_value limit');
      await refused(here.get(`${path}?order=nope;asc`), 400, 'parameter.unknown order');
      await refused(here.get(`${path}?filter=eq(nope,1)`), 400, 'filter.unknown_parameter nope');
      await refused(here.get(`${path}?include=id&exclude=id`), 400, 'query.conflict exclude');
    });

    it('needs a valid token', async () => {
      const unit = await create();
      const calls = (project: TestProject) => [
        project.get(path),
        project.get(at(unit.id)),
        project.post(path, { nope: 1 }),
        project.put(at(unit.id), { nope: 1 }),
        project.delete(at(unit.id)),
        ...(subject.signup ? [] : [project.get(`/${subject.kind}/struct`)]),
      ];
      for (const call of calls(anonymous)) await refused(call, 401, 'token.missing');
      for (const token of ['x', 'a.b.c', `${here.token ?? ''}x`, other.token]) {
        for (const call of calls(here.as(token))) await refused(call, 401, 'token.invalid');
      }
      expect(await ok(here.get(at(unit.id)))).toEqual(unit);
    });
  }
}
