/**
 * Whatever definitions are changed, in whatever order, the tables follow: those in PostgreSQL are the ones that the stored
 * model requires. A refused change changes nothing, and none ends in a 500.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PARAMETER_TYPES } from '../../../src/model/parameter-type/type-by-id.js';
import { definitionsOf, expectNoDrift, ok, query } from '../../support/definitions.js';
import { runs } from '../../support/runs.js';
import { sharedService, TestProject, type Reply } from '../../support/service.js';

const service = await sharedService();
const admin = await service.project();

/** What was asked for, to be told where it failed. */
const calls: string[] = [];
class Recorded extends TestProject {
  override async call(...[method, path, body, options]: Parameters<TestProject['call']>): Promise<Reply> {
    const reply = await super.call(method, path, body, options);
    if (method !== 'GET') calls.push(`${method} ${path} ${JSON.stringify(body)} -> ${reply.status}`);
    return reply;
  }
}
const project = new Recorded(service.service, admin.id, admin.token);

const KINDS = ['ka', 'kb', 'kc', 'kd'];
const PARAMETERS = ['pa', 'pb', 'pc', 'pd', 'pe', 'pf'];
const TYPES = [...PARAMETER_TYPES.keys()];

const kind = fc.constantFrom(...KINDS);
const parameter = fc.constantFrom(...PARAMETERS);
const some = <T>(of: fc.Arbitrary<T>, maxLength = 3) => fc.uniqueArray(of, { maxLength });
const flags = fc.record(
  {
    unique: fc.boolean(),
    indexed: fc.boolean(),
    multiple: fc.boolean(),
    nullable: fc.boolean(),
    required: fc.boolean(),
    is_primary: fc.boolean(),
    only_run_time: fc.boolean(),
    hidden: fc.boolean(),
  },
  { requiredKeys: [] },
);
const check = (id: string, filter: string) => ({ id, filter, text: 'no' });
const checks = fc.constantFrom(
  [],
  [],
  [check('known', 'isnull(pa,false)')],
  [check('known', 'not(and(isnull(pa),isnull(pc)))'), check('same', 'eq_field(pa,pb)')],
);
const reference = fc.record(
  { reference_kind: kind, on_delete: fc.constantFrom('restrict', 'set_null', 'cascade') },
  { requiredKeys: [] },
);
const rules = fc.record(
  {
    max_length: fc.constantFrom(0, 3, null),
    min_value: fc.constantFrom(0, 5, null),
    scale: fc.constantFrom(0, 2, null),
  },
  { requiredKeys: [] },
);

/** Definitions by type: what a type does not have is left out, so that most commands get through the door. */
function definition(type: string, given: Record<string, unknown>): Record<string, unknown> {
  const fields: Record<string, readonly string[]> = {
    max_length: ['string', 'text', 'binary'],
    min_value: ['integer', 'float', 'decimal'],
    scale: ['decimal'],
    reference_kind: ['unit'],
    on_delete: ['unit'],
  };
  return Object.fromEntries(Object.entries(given).filter(([key]) => fields[key]?.includes(type) ?? true));
}

interface World {
  /** The types of the parameters that are there. */
  readonly types: Map<string, string>;
}

type Command = (world: World) => Promise<Reply>;

const DEFAULTS: Readonly<Record<string, unknown>> = {
  string: 'ab',
  text: 'ab',
  integer: 7,
  float: 1.5,
  decimal: '1.25',
  boolean: true,
  date: '2024-02-29',
  time: '09:30:00.5',
  datetime: '2024-02-29T12:00:00Z',
  binary: 'AAEC',
  json: { a: 1 },
};

const commands: fc.Arbitrary<Command> = fc.oneof(
  fc
    .record({
      id: kind,
      parameters: some(parameter),
      unique: fc.constantFrom([], [['pa', 'pb']]),
      checks,
      remote: fc.constantFrom(false, false, false, true),
    })
    .map(
      (body): Command =>
        () =>
          project.post('/kind/unit', body),
    ),
  {
    arbitrary: fc
      .record({ id: parameter, type: fc.constantFrom(...TYPES), flags, reference, rules, preset: fc.boolean() })
      .map(({ id, type, preset, ...given }): Command => async (world) => {
        const value = given.flags.multiple ? [DEFAULTS[type]] : DEFAULTS[type];
        const body = definition(type, {
          reference_kind: 'ka',
          ...given.flags,
          ...given.reference,
          ...given.rules,
          ...(preset && type !== 'unit' && { [`default_${type}`]: value }),
        });
        const reply = await project.post(`/${type}/unit`, { id, ...body });
        if (reply.status === 200) world.types.set(id, type);
        return reply;
      }),
    weight: 3,
  },
  {
    arbitrary: fc
      .record({ id: parameter, flags, reference, rules, cascade: fc.boolean() })
      .map(({ id, cascade, ...given }): Command => ({ types }) => {
        const type = types.get(id) ?? 'string';
        return project.put(
          `/${type}/unit/${id}?cascade=${cascade}`,
          definition(type, { ...given.flags, ...given.reference, ...given.rules }),
        );
      }),
    weight: 3,
  },
  {
    arbitrary: fc
      .record({ id: kind, parameters: some(parameter, 5), cascade: fc.boolean(), checks: fc.option(checks) })
      .map(({ id, parameters, cascade, checks: given }): Command => () => {
        const body = { parameters, unique: [], indexes: [], ...(given && { checks: given }) };
        return project.put(`/kind/unit/${id}?cascade=${cascade}`, body);
      }),
    weight: 3,
  },
  {
    arbitrary: fc
      .record({
        id: kind,
        key: fc.constantFrom('unique', 'indexes'),
        lists: some(
          some(parameter, 2).filter((ids) => ids.length > 0),
          2,
        ),
      })
      .map(
        ({ id, key, lists }): Command =>
          () =>
            project.put(`/kind/unit/${id}`, { [key]: lists }),
      ),
    weight: 2,
  },
  {
    arbitrary: fc
      .record({ id: kind, p: parameter, method: fc.constantFrom('POST', 'DELETE'), cascade: fc.boolean() })
      .map(
        ({ id, p, method, cascade }): Command =>
          ({ types }) =>
            project.call(
              method,
              `/kind/unit/${id}/link/parameter/${types.get(p) ?? 'string'}/unit/${p}?cascade=${cascade}`,
            ),
      ),
    weight: 3,
  },
  fc
    .record({
      id: kind,
      body: fc.record({ active: fc.boolean(), remote: fc.boolean(), public: fc.boolean() }, { requiredKeys: [] }),
      cascade: fc.boolean(),
    })
    .map(
      ({ id, body, cascade }): Command =>
        () =>
          project.put(`/kind/unit/${id}?cascade=${cascade}`, body),
    ),
  fc.record({ id: kind, cascade: fc.boolean() }).map(
    ({ id, cascade }): Command =>
      () =>
        project.delete(`/kind/unit/${id}?cascade=${cascade}`),
  ),
  fc.record({ id: parameter, cascade: fc.boolean() }).map(({ id, cascade }): Command => async ({ types }) => {
    const reply = await project.delete(`/${types.get(id) ?? 'string'}/unit/${id}?cascade=${cascade}`);
    if (reply.status === 200) types.delete(id);
    return reply;
  }),
  fc.record({ id: kind, method: fc.constantFrom('POST', 'DELETE'), cascade: fc.boolean() }).map(
    ({ id, method, cascade }): Command =>
      () =>
        project.call(method, `/group/unit/kind_auth_member/link/group/kind/unit/${id}?cascade=${cascade}`),
  ),
  {
    arbitrary: fc.record({ id: kind, count: fc.integer({ min: 1, max: 3 }) }).map(
      ({ id, count }): Command =>
        () =>
          project.post(
            `/${id}/unit`,
            Array.from({ length: count }, () => ({})),
          ),
    ),
    weight: 3,
  },
  {
    arbitrary: fc.record({ id: kind, ids: some(parameter) }).map(
      ({ id, ids }): Command =>
        ({ types }) =>
          project.post(
            `/${id}/unit`,
            Object.fromEntries(ids.map((p) => [p, DEFAULTS[types.get(p) ?? 'string'] ?? null])),
          ),
    ),
    weight: 3,
  },
);

/** What a run starts with: a parameter each, of any types, spread over the kinds; or nothing at all. */
const start = fc.oneof(
  { arbitrary: fc.tuple(...PARAMETERS.map(() => fc.constantFrom(...TYPES))), weight: 4 },
  fc.constant([]),
);

/** The version of the stored model. */
async function versionOf(): Promise<string | undefined> {
  const [row] = await query<{ version: string }>(project, 'SELECT "version"::text FROM $schema."_model"');
  return row?.version;
}

/** The world as it was: parameters of these tests, and the kinds that use them, go. */
async function clear(): Promise<void> {
  const { records } = await definitionsOf(project);
  const kinds = records.kinds.filter(({ id }) => KINDS.includes(id));
  for (const { id } of kinds) await ok(project.put(`/kind/unit/${id}?cascade=true`, { remote: false, active: true }));
  for (const { id } of kinds) {
    const { items } = (await ok(project.get(`/${id}/unit?include=id&limit=1000`))) as { items: { id: string }[] };
    for (const unit of items) await project.delete(`/${id}/unit/${encodeURIComponent(unit.id)}`);
  }
  // What restricts the deletion of others may have gone only now.
  for (const { id } of kinds) {
    const { items } = (await ok(project.get(`/${id}/unit?include=id&limit=1000`))) as { items: { id: string }[] };
    for (const unit of items) await project.delete(`/${id}/unit/${encodeURIComponent(unit.id)}`);
  }
  for (const { id } of kinds)
    await ok(project.put(`/kind/unit/${id}?cascade=true`, { parameters: [], unique: [], indexes: [] }));
  for (const { id } of kinds) await ok(project.delete(`/kind/unit/${id}?cascade=true`));
  for (const { id, kind_id } of records.parameters) await ok(project.delete(`/${kind_id}/unit/${id}`));
  await expectNoDrift(project);
}

it('random changes of definitions leave no drift', async () => {
  let applied = 0;
  await fc.assert(
    fc
      .asyncProperty(start, fc.array(commands, { minLength: 15, maxLength: 30 }), async (types, list) => {
        const world: World = { types: new Map() };
        calls.length = 0;
        for (const id of types.length > 0 ? KINDS : []) await ok(project.post('/kind/unit', { id }));
        for (const [at, type] of types.entries()) {
          const id = PARAMETERS[at] ?? '';
          await ok(project.post(`/${type}/unit`, { id, ...(type === 'unit' && { reference_kind: KINDS[at % 2] }) }));
          world.types.set(id, type);
          await ok(project.post(`/kind/unit/${KINDS[at % KINDS.length] ?? ''}/link/parameter/${type}/unit/${id}`));
        }
        for (const command of list) {
          const before = await versionOf();
          const reply = await command(world);
          expect(reply.status, calls.join('\n') + reply.text).toBeLessThan(
            500 + (reply.text.includes('remote_unavailable') ? 100 : 0),
          );
          if (reply.status === 200) applied += 1;
          else expect(await versionOf()).toBe(before);
          // Commands that are refused are rolled back: drift of theirs would be noticed at the end.
          if (reply.status !== 200 && command !== list.at(-1)) continue;
          await expectNoDrift(project).catch((error: unknown) => {
            throw new Error(calls.join('\n'), { cause: error });
          });
        }
        for (const id of KINDS) {
          const reply = await project.get(`/${id}/unit?limit=5`);
          expect([200, 403, 404, 503], reply.text).toContain(reply.status);
        }
      })
      .afterEach(clear),
    { numRuns: runs(15) },
  );
  // The commands are not all refused, else nothing was shown.
  expect(applied).toBeGreaterThan(runs(45));
}, 600_000);
