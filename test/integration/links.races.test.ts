/** Links that are made while others are followed. */
import { expect, it } from 'vitest';
import { asMember, defineKinds } from '../support/callers.js';
import { createdId, ok, query } from '../support/definitions.js';
import { sharedService } from '../support/service.js';
import { sideConnection } from '../support/side-connection.js';

const service = await sharedService();
const side = await sideConnection();
const admin = await service.project();
const kinds = Array.from({ length: 12 }, (_, at) => ({ id: `kind${at}`, parameters: ['n'] }));
await ok(admin.post('/integer/unit', { id: 'n' }));
await defineKinds(
  admin,
  ...kinds,
  { id: 'secret', parameters: ['n'], access: { read: 'admin' } },
  { id: 'ruled', parameters: ['n'], access: { read: 'eq(n,1)' } },
  { id: 'plain', parameters: ['n'] },
);
const member = await asMember(admin);

async function made(kind: string, n: number): Promise<string> {
  return `${kind}/unit/${await createdId(admin.post(`/${kind}/unit`, { n }))}`;
}

const [a, b] = [await made('kind1', 1), await made('kind2', 2)];
await ok(admin.post(`/${a}/link/link/${b}`));

/** Makes a link behind the back of the service. */
async function linkAtOnce(from: string, to: string): Promise<void> {
  const [[parentKind, , parent], [childKind, , child]] = [from.split('/'), to.split('/')];
  await query(admin, 'INSERT INTO $schema."_link" VALUES ($1, $2, $3, $4, $5, now())', [
    ...[parentKind, parent, childKind, child],
    'link',
  ]);
}

it.each([
  ['plain', 'link/child'],
  ['secret', 'link/child'],
  ['ruled', 'link/child?depth=2'],
])('the first unit of a kind that is linked after it was asked which are: %s, %s', async (kind, way) => {
  const hidden = await made(kind, 7);
  // The second statement of the walk waits for this table, the first one does not.
  const release = await side.lock(admin, 'kind2');
  const walk = member.get(`/${a}/${way}`);
  await side.waiting(admin, 'kind2');
  await linkAtOnce(a, hidden);
  await release();
  expect(await ok(walk)).toMatchObject({ count: 1, items: [{ kind_id: 'kind2', n: 2 }] });
  await ok(admin.delete(`/${hidden}`));
});
