/** A hundred requests at once whose hooks all change one unit: they wait for it in their order, and none is refused. */
import { setTimeout as think } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { FunctionsFolder, reload } from '../../support/functions.js';
import { startTestService, type Reply } from '../../support/service.js';
import { sideConnection } from '../../support/side-connection.js';

const told = 'runs of the counter';
const HEAD = `import { kind } from 'kind';
import { setTimeout as think } from 'node:timers/promises';`;
const folder = new FunctionsFolder({
  'ticket.ts': `${HEAD}
    const runs = ((globalThis as any)['${told}'] ??= {});
    export default kind('ticket').module({
      hooks: {
        async after_create({ unit, system }) {
          runs.count = (runs.count ?? 0) + 1;
          await system.units('desk').update(String(unit.desk), { tickets: { $inc: 1 } });
          await think(10);
        },
      },
    });`,
  'slow.ts': `${HEAD}
    export default kind('slow').module({ hooks: { before_create: () => think(300) } });`,
});
// Time enough for all of them on a busy machine.
const service = await startTestService({ functionsDir: folder.path, databasePool: 10, functionTimeout: 60_000 });
const project = await service.project();
await defineKinds(
  project,
  { id: 'desk', parameters: [{ id: 'tickets', kind_id: 'integer', default_integer: 0 }] },
  { id: 'ticket', parameters: [{ id: 'desk', kind_id: 'unit', reference_kind: 'desk' }] },
  { id: 'slow' },
);
await reload(service);

const times = <T>(count: number, work: (at: number) => T) => Array.from({ length: count }, (_, at) => work(at));
/** How many had each status, with the reason. */
const statuses = (replies: readonly Reply[]) => {
  const counted: Record<string, number> = {};
  for (const { status, body } of replies) {
    const told = [status, ...body.messages.map(({ text }) => text)].join(' ');
    counted[told] = (counted[told] ?? 0) + 1;
  }
  return counted;
};

describe('many creates at once', { timeout: 60_000 }, () => {
  it('whose hooks add to one counter, are all done', async () => {
    const desk = await createdId(project.post('/desk/unit', {}));
    const replies = await Promise.all(times(100, () => project.post('/ticket/unit', { desk })));
    expect(statuses(replies)).toEqual({ 200: 100 });
    expect(await ok(project.get(`/desk/unit/${desk}`))).toMatchObject({ tickets: 100 });
    expect(await ok(project.get('/ticket/unit?limit=0'))).toMatchObject({ count: 100 });
    // Few run in vain: those that refer to the same desk wait for it before they begin.
    const { count } = (globalThis as unknown as Record<string, { count: number }>)[told] ?? { count: 0 };
    expect(count).toBeLessThan(130);
  });

  it('wait for those alone that refer to the same unit', async () => {
    const [busy, free] = [
      await createdId(project.post('/desk/unit', {})),
      await createdId(project.post('/desk/unit', {})),
    ];
    const side = await sideConnection();
    const release = await side.holding(project, `SELECT FROM "desk" WHERE id = '${busy}' FOR NO KEY UPDATE`);
    let waiting = 5;
    const held = times(5, () => project.post('/ticket/unit', { desk: busy }).finally(() => (waiting -= 1)));
    // Until it is remembered that they wait.
    await think(300);
    const others = await Promise.all(times(5, () => project.post('/ticket/unit', { desk: free })));
    expect([statuses(others), waiting]).toEqual([{ 200: 5 }, 5]);
    await release();
    expect(statuses(await Promise.all(held))).toEqual({ 200: 5 });
  });

  it('whose hooks take longer than the share of connections has places for in five seconds, are all done', async () => {
    const replies = await Promise.all(times(60, () => project.post('/slow/unit', {})));
    expect(statuses(replies)).toEqual({ 200: 60 });
  });
});
