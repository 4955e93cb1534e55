/** The numbers of a project: for its administrators, and of it alone. */
import { expect, it } from 'vitest';
import { anonymous, signUp, withMembers } from '../../support/callers.js';
import { ok } from '../../support/definitions.js';
import { byKey } from '../../support/keys.js';
import { sharedService } from '../../support/service.js';

const service = await sharedService();
const [project, other] = [await withMembers(await service.project()), await service.project()];

interface Minutes {
  readonly count: number;
  readonly items: readonly {
    readonly requests: number;
    readonly refused: number;
    readonly p99_seconds: number | null;
  }[];
}

/** The sums of the last hour. */
async function numbersOf(asked: typeof project) {
  const { items } = (await ok(asked.get('/metrics'))) as Minutes;
  const sum = (name: 'requests' | 'refused') => items.reduce((all, minute) => all + minute[name], 0);
  return { requests: sum('requests'), refused: sum('refused'), last: items.at(-1) };
}

it('counts requests and refusals of this project, and none of others, nor itself', async () => {
  const before = [await numbersOf(project), await numbersOf(other)] as const;
  for (let times = 0; times < 3; times += 1) await ok(project.get('/kind/unit?limit=1'));
  expect((await project.get('/nothing/unit')).status).toBe(404);
  // The count follows the answer.
  await expect
    .poll(() => numbersOf(project))
    .toMatchObject({
      requests: before[0].requests + 4,
      refused: before[0].refused + 1,
    });
  expect((await numbersOf(other)).requests).toBe(before[1].requests);
  expect((await numbersOf(project)).last?.p99_seconds).toBeGreaterThan(0);
});

it('is for administrators whose rights nothing narrows', async () => {
  const { accessToken } = await signUp(project, 'ann');
  const narrowed = await byKey(project, { scope: [{ kinds: ['kind'], operations: ['read'] }] });
  const { accessToken: ofOther } = await signUp(await withMembers(await service.project()), 'eve');
  const askers = [anonymous(project), project.as(accessToken), narrowed, project.as(ofOther)];
  const statuses = await Promise.all(askers.map(async (asker) => (await asker.get('/metrics')).status));
  expect(statuses).toEqual([401, 403, 403, 401]);
  expect((await (await byKey(project)).get('/metrics')).status).toBe(200);
});
