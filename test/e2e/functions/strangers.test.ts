/** Errors of kinds that are closed to callers without a token do not reveal their names. */
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { anonymous, defineKinds } from '../../support/callers.js';
import { createdId, ok, refusalOf } from '../../support/definitions.js';
import { FunctionsFolder, reload } from '../../support/functions.js';
import { startTestService } from '../../support/service.js';

const HEAD = "import { kind } from 'kind';";
const folder = new FunctionsFolder({
  'door.ts': `${HEAD}
    const door = kind('door');
    export default door.module({ functions: {
      writes: door.function({ description: 'Writes', run: ({ system }) => system.units('cellar').create({}) }),
      asks: door.function({ description: 'Asks', run: ({ system }) => system.units('well').list() }),
    } });`,
  'attic.ts': `${HEAD} export default kind('attic').module({ hooks: { before_update: ({ unit }) => ({ door: unit.door }) } });`,
  'well.ts': `${HEAD} export default kind('well').module({ remote: { list() { throw new Error('dry'); } } });`,
});
const lines: { readonly msg: string; readonly cause?: string }[] = [];
const log = pino(
  { level: 'warn' },
  { write: (text: string) => void lines.push(JSON.parse(text) as (typeof lines)[0]) },
);
const service = await startTestService({ functionsDir: folder.path }, log);
const admin = await service.project();
const stranger = anonymous(admin);

const CLOSED = ['cellar', 'loft', 'attic', 'well'];
const access = { read: 'admin', create: 'admin', update: 'admin', delete: 'admin', function: 'nobody' };
const leadingTo = (kind: string, on_delete: string) => {
  return { id: `${kind}_${on_delete}`, label: kind, kind_id: 'unit', reference_kind: kind, on_delete };
};
await defineKinds(
  admin,
  { id: 'door', public: true },
  { id: 'cellar', access, parameters: [leadingTo('door', 'cascade')] },
  { id: 'loft', access, parameters: [leadingTo('door', 'set_null')] },
  { id: 'attic', access, parameters: [{ ...leadingTo('door', 'set_null'), id: 'door' }] },
  { id: 'well', access, remote: true },
  { id: 'gate', public: true, parameters: [leadingTo('loft', 'restrict')] },
);
await reload(service);
const doorOf = async (kind: string, parameter: string) => {
  const id = await createdId(admin.post('/door/unit', {}));
  await ok(admin.post(`/${kind}/unit`, { [parameter]: id }));
  return id;
};
const doors = {
  cellar: await doorOf('cellar', 'door_cascade'),
  loft: await doorOf('loft', 'door_set_null'),
  attic: await doorOf('attic', 'door'),
};
for (const kind of ['cellar', 'loft']) folder.write(`${kind}.ts`, 'export default');
await reload(service);

it.each([
  ['GET', '/function/say'],
  ['POST', '/function/say'],
  ['GET', '/unit'],
  ['POST', '/unit'],
  ['PUT', '/unit/x'],
  ['DELETE', '/unit/x'],
  ['GET', '/unit/x/function/say'],
] as const)('%s …%s answers as where there is no such kind', async (method, path) => {
  const missing = await stranger.call(method, `/missing${path}`);
  expect(missing.status).toBe(401);
  for (const kind of CLOSED) {
    const { status, body } = await stranger.call(method, `/${kind}${path}`);
    expect({ kind, status, messages: body.messages }).toEqual({ kind, status: 401, messages: missing.body.messages });
  }
});

it.each([
  ['a deletion that takes a unit along', 'DELETE', `/door/unit/${doors.cellar}`, 503, 'function.broken'],
  ['a deletion that empties a reference', 'DELETE', `/door/unit/${doors.loft}`, 503, 'function.broken'],
  ['a deletion that a hook undoes', 'DELETE', `/door/unit/${doors.attic}`, 409, 'unit.referenced'],
  ['what a function writes as the system', 'POST', '/door/function/writes', 503, 'function.broken'],
  ['what a function asks as the system', 'GET', '/door/function/asks', 503, 'kind.remote_unavailable'],
  ['a unit inside another one', 'POST', '/gate/unit', 401, 'token.missing'],
] as const)('%s fails without a name', async (_, method, path, status, code) => {
  const reply = await stranger.call(method, path, path === '/gate/unit' ? { loft_restrict: {} } : undefined);
  expect(refusalOf(reply)).toEqual({ status, messages: [code] });
  for (const kind of CLOSED) expect(reply.text).not.toContain(kind);
});

it('is logged anyway', () => {
  expect(lines).toContainEqual(
    expect.objectContaining({ msg: expect.stringContaining("'well'") as string, cause: 'dry at well.ts:1' }),
  );
});
