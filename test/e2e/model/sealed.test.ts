/** What is stored encrypted is in the one list that restores and the rotation of the key go through. */
import { expect, it } from 'vitest';
import { Catalog } from '../../../src/catalog/catalog.service.js';
import { Provisioning } from '../../../src/catalog/project/provisioning.js';
import { sealedColumns } from '../../../src/model/sealed-fields.js';
import { SecretBox } from '../../../src/shared/secret-box.js';
import { projectOf } from '../../../src/tenancy/project.js';
import { signUp, withMembers } from '../../support/callers.js';
import { ok, query } from '../../support/definitions.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const project = await withMembers(await service.project());
const { app } = service.service;

/** Makes a value of each. What is stored encrypted from now on is made here too. */
async function sealEverything(): Promise<void> {
  const hook = { id: 'erp', url: 'https://erp.example.com', headers: { 'x-key': 'canary' }, active: false };
  await ok(project.post('/webhook/unit', hook));
  const provider = {
    id: 'idp',
    label: 'IdP',
    issuer: 'https://idp.example.com',
    client_id: 'a',
    client_secret: 'canary',
  };
  await ok(project.post('/identity_provider/unit', { ...provider, member_kind: 'person' }));
  const ann = await signUp(project, 'ann');
  await ok(project.as(ann.accessToken).post('/auth/totp', {}));
}

/** The columns of texts with a value that opens in its place. */
async function sealedInSchema(): Promise<string[]> {
  const box = app.get(SecretBox);
  const columns = await query<{ table: string; column: string }>(
    project,
    `SELECT c.table_name AS table, c.column_name AS column
     FROM information_schema.columns AS c
     JOIN information_schema.columns AS i USING (table_schema, table_name)
     WHERE c.table_schema = $1 AND i.column_name = 'id' AND c.data_type IN ('text', 'character varying')`,
    [`project_${project.id}`],
  );
  const found: string[] = [];
  for (const { table, column } of columns) {
    const rows = await query<{ id: string; value: string }>(
      project,
      `SELECT id::text, "${column}" AS value FROM $schema."${table}" WHERE "${column}" IS NOT NULL`,
    );
    const opens = rows.some(({ id, value }) => box.open(value, [project.id, table, id, column]) !== undefined);
    if (opens) found.push(`${table}.${column}`);
  }
  return found.sort();
}

it('every column with a value that is encrypted for its place is listed, and every listed one has such values', async () => {
  await sealEverything();
  const row = await app.get(Provisioning).get(project.id);
  const model = await app.get(Catalog).withCheckedModel({ project: projectOf(row) }, (known) => known);
  const listed = sealedColumns(model).map(({ kind, column }) => `${kind.table}.${column}`);
  expect(listed.length).toBeGreaterThan(2);
  expect(await sealedInSchema()).toEqual(listed.sort());
});
