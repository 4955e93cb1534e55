/** A hundred batches at once that move amounts between accounts lose none, while readers always see the same sum. */
import { expect, it } from 'vitest';
import { defineKinds } from '../../support/callers.js';
import { createdId, ok } from '../../support/definitions.js';
import { FunctionsFolder, reload, sharedServiceWith } from '../../support/functions.js';
import { startTestService } from '../../support/service.js';

const folder = new FunctionsFolder({
  'account.ts': `
    import { kind } from 'kind';
    const account = kind('account');
    export default account.module({
      unitFunctions: {
        add: account.unitFunction({
          description: 'Reads and writes',
          parameters: { amount: { type: 'integer', required: true } },
          methods: ['POST'],
          async run({ unit, units, parameters: { amount } }) {
            await units('account').update(unit.id, { balance: Number(unit['balance']) + Number(amount) });
          },
        }),
      },
    });`,
});
const service = await sharedServiceWith(folder);
const other = await startTestService({ functionsDir: folder.path });
const project = await service.project();
const elsewhere = await other.signIn(project.id);
await defineKinds(project, {
  id: 'account',
  parameters: [{ id: 'balance', kind_id: 'integer', default_integer: 100 }],
});
await reload(service);
await reload(other);

it('on two processes', async () => {
  const ids = await Promise.all([1, 2, 3, 4].map(() => createdId(project.post('/account/unit', {}))));
  const move = (n: number) => {
    const [from, to, amount] = [ids[n % 4], ids[(n + 1 + (n % 3)) % 4], 1 + (n % 7)];
    const add = (id: string | undefined, by: number) => ({
      method: 'POST',
      path: `/account/unit/${id}/function/add`,
      body: { amount: by },
    });
    return (n % 2 === 0 ? project : elsewhere).post('/batch', { operations: [add(from, -amount), add(to, amount)] });
  };
  let done = false;
  const sums = new Set<number>();
  const watch = async (): Promise<void> => {
    while (!done) {
      const { items } = await ok(project.get('/account/aggregate?select=all:sum(balance)'));
      sums.add(items[0].all as number);
    }
  };
  const watching = watch();
  const replies = await Promise.all(Array.from({ length: 100 }, (_, n) => move(n)));
  done = true;
  await watching;
  expect(replies.filter(({ status }) => status !== 200).map(({ text }) => text)).toEqual([]);
  expect([...sums]).toEqual([400]);
  const expected = new Map(ids.map((id) => [id, 100]));
  for (let n = 0; n < 100; n += 1) {
    const [from = '', to = '', amount] = [ids[n % 4], ids[(n + 1 + (n % 3)) % 4], 1 + (n % 7)];
    expected.set(from, (expected.get(from) ?? 0) - amount);
    expected.set(to, (expected.get(to) ?? 0) + amount);
  }
  for (const [id, balance] of expected) expect(await ok(project.get(`/account/unit/${id}`))).toMatchObject({ balance });
}, 60_000);
