/** PostgreSQL counts dropped columns: a table cannot be changed for ever, and the refusal says so. */
import { expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { ok, query, refusalOf } from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const project = await service.project();
await defineKinds(project, { id: 'town', parameters: [{ id: 'name', kind_id: 'string' }] });

it.each([
  ['a kind', 'town', '/kind/unit/town'],
  ['a link type', '_link', '/link/unit/link'],
])('the parameters of %s', async (_, table, path) => {
  // Nearly all that a table can have. Each that is dropped takes PostgreSQL as long as all of them are many: so many are
  // enough that there would be room without them.
  const columns = Array.from({ length: 1580 }, (_each, at) => `c${at}`);
  const change = (word: string, some: readonly string[]) => some.map((name) => `${word} COLUMN "${name}"`);
  await query(
    project,
    `ALTER TABLE $schema."${table}" ${change('ADD', columns)
      .map((each) => `${each} int`)
      .join()}`,
  );
  await query(project, `ALTER TABLE $schema."${table}" ${change('DROP', columns.slice(0, 60)).join()}`);
  const { parameters } = (await ok(project.get(path))) as { parameters: string[] };
  const more = Array.from({ length: 30 }, (_each, at) => ({
    id: `${table.replace('_', 'x')}_${at}`,
    kind_id: 'integer',
  }));
  const refused = await project.put(path, { parameters: [...parameters, ...more] });
  expect(refusalOf(refused)).toEqual({ status: 409, messages: ['project.full'] });
  expect(refused.body.messages[0]?.text).toMatch(/1,600 columns/);
  expect(await ok(project.get(path))).toMatchObject({ parameters });
});
