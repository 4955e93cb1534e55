/** A hundred requests at once whose hooks all change one unit: they wait for it in their order, and none is refused. */
import { describe, expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { FunctionsFolder, reload } from '../../support/functions.js';
import { startTestService, type Reply } from '../../support/service.js';

const HEAD = `import { kind } from 'kind';
import { setTimeout as think } from 'node:timers/promises';`;
const folder = new FunctionsFolder({
  'ticket.ts': `${HEAD}
    export default kind('ticket').module({
      hooks: {
        async after_create({ unit, system }) {
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
  });

  it('whose hooks take longer than the share of connections has places for in five seconds, are all done', async () => {
    const replies = await Promise.all(times(60, () => project.post('/slow/unit', {})));
    expect(statuses(replies)).toEqual({ 200: 60 });
  });
});
