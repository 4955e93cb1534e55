import { describe, expect, it } from 'vitest';
import { Provisioning } from '../../../src/catalog/project/provisioning.js';
import { buildModel, builtInRecords } from '../../../src/model/build/build-model.js';
import { BUILT_IN_GROUPS, BUILT_IN_KINDS } from '../../../src/model/built-in/built-in.js';
import type { Field, Model } from '../../../src/model/model.js';
import { diffModels } from '../../../src/model/table/diff.js';
import { tableShapes } from '../../../src/model/table/required-tables.js';
import { provisionRowsStatement } from '../../../src/sql/definition/model.sql.js';
import { definitionsOf, expectNoDrift, modelOf } from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();

describe('the built-in model is a fixpoint', () => {
  it('the provisioned and loaded model equals the declared one', async () => {
    const model = await modelOf(project);
    expect(model).toEqual({ ...buildModel(builtInRecords()), version: model.version });
  });

  it('its rows are its records, in their order', async () => {
    const { records } = await definitionsOf(project);
    const own = builtInRecords();
    expect(records.kinds.map(({ id }) => id)).toEqual(BUILT_IN_KINDS.map(({ id }) => id));
    expect(records.kinds).toMatchObject(own.kinds as object[]);
    expect(records.groups).toMatchObject(
      BUILT_IN_GROUPS.map(({ id, label, description, kinds }) => ({ id, label, description, kind_list: kinds })),
    );
    expect(records.links).toMatchObject(own.links as object[]);
    expect(records.parameters).toEqual([]);
  });

  it('its tables equal those in PostgreSQL', async () => {
    const { tables } = await definitionsOf(project);
    expect(tables).toEqual(tableShapes(buildModel(builtInRecords())));
    await expectNoDrift(project);
  });

  it('a column shared by kinds is NOT NULL if it is required and present in all of them', () => {
    const shared = BUILT_IN_KINDS.filter(({ discriminated }) => discriminated);
    const columns = tableShapes(buildModel(builtInRecords())).get('_parameter')?.columns;
    const { kinds } = buildModel(builtInRecords());
    for (const { name, notNull } of columns?.values() ?? []) {
      const fields = shared.map(({ id }) => [...kinds.get(id)!.fields.values()].find(({ column }) => column === name));
      expect([name, notNull]).toEqual([name, fields.every((field) => field?.def.nullable === false)]);
    }
    // Nothing is kept by hand: a field that one kind alone has, or may leave null, makes its column nullable.
    const model = buildModel(builtInRecords());
    const of = (id: string, change: (fields: Map<string, Field>) => void) => {
      const kind = model.kinds.get(id)!;
      const copy = new Map(kind.fields);
      change(copy);
      return { ...model, kinds: new Map([...model.kinds, [id, { ...kind, fields: copy }]]) };
    };
    const notNull = (changed: Model, name: string) =>
      tableShapes(changed).get('_parameter')?.columns.get(name)?.notNull;
    expect(notNull(model, 'hidden')).toBe(true);
    expect(
      notNull(
        of('decimal', (fields) => void fields.delete('hidden')),
        'hidden',
      ),
    ).toBe(false);
    const hidden = model.kinds.get('decimal')!.fields.get('hidden')!;
    const loose = { ...hidden, def: { ...hidden.def, nullable: true } };
    expect(
      notNull(
        of('string', (fields) => void fields.set('hidden', loose)),
        'hidden',
      ),
    ).toBe(false);
    const everywhere = shared.reduce(
      (all, { id }) => ({
        ...all,
        kinds: new Map([
          ...all.kinds,
          [
            id,
            {
              ...all.kinds.get(id)!,
              fields: new Map([...all.kinds.get(id)!.fields, ['fresh', { ...hidden, id: 'fresh', column: 'fresh' }]]),
            },
          ],
        ]),
      }),
      model,
    );
    expect(notNull(everywhere, 'fresh')).toBe(true);
  });

  it('rows are written with the types of the fields, not of their first values', () => {
    const { fields, table } = buildModel(builtInRecords()).kinds.get('kind')!;
    const row = { id: 'x', label: null, unique: null, parameters: null, access: 'text', public: null, stranger: 1 };
    const { text } = provisionRowsStatement('s', { fields, table }, [row]);
    for (const column of [
      '"public" boolean',
      '"parameters" text[]',
      '"unique" jsonb',
      '"access" jsonb',
      '"label" text',
    ]) {
      expect(text).toContain(column);
    }
    expect(text).not.toContain('stranger');
  });

  it('needs no further step once provisioned', async () => {
    expect(diffModels(await modelOf(project), buildModel(builtInRecords()))).toEqual({ guards: [], steps: [] });
    const before = await definitionsOf(project);
    expect(await service.service.app.get(Provisioning).migrate(project.id)).toEqual({ steps: 0, leftAlone: [] });
    expect(await definitionsOf(project)).toEqual(before);
  });

  it('migrates a project with outdated tables, and keeps its units', async () => {
    const behind = await service.project();
    await behind.post('/kind/unit', { id: 'city', parameters: [{ id: 'name', kind_id: 'string', unique: true }] });
    await behind.post('/city/unit', { name: 'Rome' });
    const { database } = service.service;
    const schema = `"project_${behind.id}"`;
    await database.run({ text: `ALTER TABLE ${schema}."_parameter" DROP COLUMN "pattern"`, values: [] });
    await database.run({ text: `DELETE FROM ${schema}."link" WHERE "id" = 'link'`, values: [] });
    expect(await service.service.app.get(Provisioning).migrate(behind.id)).toEqual({ steps: 2, leftAlone: [] });
    await expectNoDrift(behind);
    expect((await behind.get('/link/unit/link')).status).toBe(200);
    expect((await behind.get('/city/unit')).body.content).toMatchObject({ count: 1, items: [{ name: 'Rome' }] });
  });
});

describe('the cost of a project', () => {
  it('is a bounded number of statements', async () => {
    const provisioning = service.service.app.get(Provisioning);
    const statements = await project.statements(() => provisioning.create({ id: `${project.id}_cost` }));
    // One per table, index and batch of rows; raised on purpose only.
    expect(statements).toBeLessThanOrEqual(33);
  });

  it('a kind with twenty parameters takes as many statements as one with two', async () => {
    const kindOf = (id: string, count: number) => ({
      id,
      parameters: Array.from({ length: count }, (_, at) => ({
        id: `${id}_${at}`,
        kind_id: at % 2 ? 'integer' : 'string',
      })),
    });
    await project.get('/kind/unit');
    const few = await project.statements(() => project.post('/kind/unit', kindOf('few', 2)));
    const many = await project.statements(() => project.post('/kind/unit', kindOf('many', 20)));
    expect(many).toBe(few);
    expect(many).toBeLessThanOrEqual(15);
  });

  it('a failed provisioning leaves nothing behind', async () => {
    const provisioning = service.service.app.get(Provisioning);
    const id = `${project.id}_failed`;
    await expect(provisioning.create({ id }, () => Promise.reject(new Error('on purpose')))).rejects.toThrow(
      'on purpose',
    );
    const { database } = service.service;
    const [row] = await database.run<{ schemas: number; projects: number }>({
      text: `SELECT (SELECT count(*)::int FROM pg_namespace WHERE nspname = $1) AS schemas, (SELECT count(*)::int FROM "kind"."project" WHERE "id" = $2) AS projects`,
      values: [`project_${id}`, id],
    });
    expect(row).toEqual({ schemas: 0, projects: 0 });
    await provisioning.create({ id });
    await expect(provisioning.create({ id })).rejects.toMatchObject({ status: 409, code: 'project.exists' });
  });
});
