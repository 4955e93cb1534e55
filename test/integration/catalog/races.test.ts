import { describe, expect, it } from 'vitest';
import { definitionsOf, expectNoDrift, ok } from '../../support/definitions.js';
import { sharedService, startTestService, type Reply } from '../../support/service.js';

const [here, there] = [await sharedService(), await startTestService()];
const project = await here.project();
/** The same project through another process. */
const elsewhere = await there.signIn(project.id);
const both = [project, elsewhere] as const;

function times<T>(count: number, work: (at: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, at) => work(at)));
}

function tally(replies: readonly Reply[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body } of replies) {
    const key = [status, ...body.messages.map(({ code }) => code)].join(' ');
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

describe('definitions race', () => {
  it('ten clients define the same kind: one succeeds', async () => {
    const replies = await times(10, (at) =>
      both[at % 2]!.post('/kind/unit', { id: 'city', parameters: [{ id: `name_${at}`, kind_id: 'string' }] }),
    );
    expect(tally(replies)).toEqual({ 200: 1, '409 kind.exists': 9 });
    const { records } = await definitionsOf(project);
    const winner = records.kinds.find(({ id }) => id === 'city');
    // The parameters of the nine are not there.
    expect(records.parameters.map(({ id }) => id)).toEqual(winner?.parameters);
    await expectNoDrift(project);
  });

  it('ten clients define the same parameter: one succeeds', async () => {
    const types = ['string', 'integer'];
    const replies = await times(10, (at) => both[at % 2]!.post(`/${types[at % 2]}/unit`, { id: 'same' }));
    expect(tally(replies)).toEqual({ 200: 1, '409 parameter.exists': 9 });
  });

  it('ten clients define the same group, and the same link type: one succeeds', async () => {
    expect(tally(await times(10, (at) => both[at % 2]!.post('/group/unit', { id: 'g' })))).toEqual({
      200: 1,
      '409 group.exists': 9,
    });
    expect(tally(await times(10, (at) => both[at % 2]!.post('/link/unit', { id: 'owns' })))).toEqual({
      200: 1,
      '409 link.exists': 9,
    });
  });

  it('different kinds at once: none is lost', async () => {
    const replies = await times(10, (at) =>
      both[at % 2]!.post('/kind/unit', { id: `kind${at}`, parameters: [{ id: `p${at}`, kind_id: 'date' }] }),
    );
    expect(tally(replies)).toEqual({ 200: 10 });
    const { records } = await definitionsOf(project);
    expect(
      records.kinds
        .filter(({ id }) => /^kind\d$/.test(id))
        .map(({ id }) => id)
        .sort(),
    ).toEqual(Array.from({ length: 10 }, (_, at) => `kind${at}`));
    await expectNoDrift(project);
  });

  it('different parameters added to one kind at once: none is lost', async () => {
    await ok(project.post('/kind/unit', { id: 'wide' }));
    const ids = Array.from({ length: 12 }, (_, at) => `w${at}`);
    for (const id of ids) await ok(project.post('/string/unit', { id }));
    const replies = await times(12, (at) => both[at % 2]!.post(`/kind/unit/wide/link/parameter/string/unit/w${at}`));
    expect(tally(replies)).toEqual({ 200: 12 });
    const kind = (await elsewhere.get('/kind/unit/wide')).body.content as { parameters: string[] };
    expect([...kind.parameters].sort()).toEqual([...ids].sort());
    await expectNoDrift(project);
    const unit = Object.fromEntries(ids.map((id) => [id, id]));
    for (const each of both) expect(await ok(each.post('/wide/unit', unit))).toMatchObject(unit);
  });

  it('kinds added to one group at once: none is lost', async () => {
    await ok(project.post('/group/unit', { id: 'many' }));
    const replies = await times(10, (at) => both[at % 2]!.post(`/group/unit/many/link/group/kind/unit/kind${at}`));
    expect(tally(replies)).toEqual({ 200: 10 });
    const group = (await project.get('/group/unit/many')).body.content as { kind_list: string[] };
    expect(new Set(group.kind_list)).toEqual(new Set(Array.from({ length: 10 }, (_, at) => `kind${at}`)));
  });

  it('a kind is deleted while others refer to it: either all or none of it', async () => {
    for (let round = 0; round < 5; round++) {
      const target = `target${round}`;
      await ok(project.post('/kind/unit', { id: target }));
      const [gone, made] = await Promise.all([
        project.delete(`/kind/unit/${target}`),
        elsewhere.post('/kind/unit', {
          id: `refers${round}`,
          parameters: [{ id: `ref${round}`, kind_id: 'unit', reference_kind: target }],
        }),
      ]);
      expect([
        [200, 400],
        [409, 200],
      ]).toContainEqual([gone.status, made.status]);
    }
    await expectNoDrift(project);
  });
});

describe('units are written while their kind changes', () => {
  it('no writer fails or uses an old definition, and nothing is lost', async () => {
    await ok(project.post('/kind/unit', { id: 'log', parameters: [{ id: 'text_of', kind_id: 'text' }] }));
    let changing = true;
    const written: string[] = [];
    const failed: unknown[] = [];
    const write = async (writer: number) => {
      for (let at = 0; changing || at < 5; at++) {
        const text = `${writer}:${at}`;
        const reply = await both[writer % 2]!.post('/log/unit', { text_of: text });
        if (reply.status === 200) written.push(text);
        else failed.push([reply.status, reply.body.messages]);
      }
    };
    const change = async () => {
      for (let at = 0; at < 6; at++) {
        await ok(both[at % 2]!.post('/kind/unit', { id: `other${at}` }));
        const parameters = [
          'text_of',
          ...Array.from({ length: at + 1 }, (_, n) =>
            n === at ? { id: `added${n}`, kind_id: 'integer', default_integer: n } : `added${n}`,
          ),
        ];
        await ok(both[at % 2]!.put('/kind/unit/log', { parameters }));
      }
      changing = false;
    };
    await Promise.all([change(), ...[0, 1, 2, 3].map(write)]);
    expect(failed).toEqual([]);
    const { items } = (await project.get('/log/unit?limit=1000&filter=isnull(text_of,false)')).body.content as {
      items: Record<string, unknown>[];
    };
    expect(items.map((item) => item['text_of']).sort()).toEqual(written.sort());
    // A default shows on every unit, whether it was stored before or after the parameter came.
    for (const item of items) expect(item).toMatchObject({ added0: 0, added5: 5 });
    await expectNoDrift(project);
  });

  it('a stricter definition and units that violate it never both succeed', async () => {
    await ok(project.post('/kind/unit', { id: 'strict', parameters: [{ id: 'code', kind_id: 'string' }] }));
    for (let round = 0; round < 5; round++) {
      await ok(project.put('/string/unit/code', { max_length: null, unique: false, nullable: true }));
      await ok(project.post('/strict/unit', { code: `ok${round}` }));
      const [tightened, ...writes] = await Promise.all([
        project.put('/string/unit/code', { max_length: 5, nullable: false, unique: true }),
        ...[0, 1, 2, 3].map((at) =>
          both[at % 2]!.post('/strict/unit', { code: ['too long', null, `ok${round}`, `n${round}`][at] }),
        ),
      ]);
      const violators = writes.slice(0, 3).filter(({ status }) => status === 200);
      expect([200, 409]).toContain(tightened.status);
      if (tightened.status === 200) expect(violators).toEqual([]);
      else expect(violators.length).toBeGreaterThan(0);
      const all = (await project.get('/strict/unit?limit=1000')).body.content as { items: { id: string }[] };
      for (const { id } of all.items) await ok(project.delete(`/strict/unit/${id}`));
    }
    await expectNoDrift(project);
  });
});
