/** Kinds that all refer to each other, and rules and filters over their references, up to and beyond the limits. */
import { defineKinds } from './callers.js';
import { ok } from './definitions.js';
import type { TestProject } from './service.js';

export const FAR = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

/** Defines the kinds: each has `name`, `n`, and `to_a` to `to_h`. Members have `p_text` and `p_num`. */
export async function defineFarKinds(project: TestProject, units = 20): Promise<void> {
  const [first = '', ...others] = FAR;
  const own = [
    { id: 'name', kind_id: 'string' },
    { id: 'n', kind_id: 'integer' },
  ];
  await defineKinds(project, { id: first, parameters: own });
  await defineKinds(project, ...others.map((id) => ({ id, parameters: ['name', 'n'] })));
  for (const id of FAR) await ok(project.post('/unit/unit', { id: `to_${id}`, reference_kind: id }));
  const parameters = ['name', 'n', ...FAR.map((id) => `to_${id}`)];
  for (const id of FAR) await ok(project.put(`/kind/unit/${id}`, { parameters }));
  for (const id of FAR) {
    await ok(
      project.post(
        `/${id}/unit`,
        Array.from({ length: units }, (_, n) => ({ name: `n${n}`, n })),
      ),
    );
  }
  const texts = [
    { id: 'p_text', kind_id: 'string' },
    { id: 'p_num', kind_id: 'integer' },
  ];
  await ok(project.put('/kind/unit/person', { parameters: texts }));
}

/** Paths over references, with those on their way, so that so many units are looked up. None leads to `a`. */
export function farWays(count: number): string[] {
  const kinds = FAR.slice(1);
  const two = kinds.flatMap((one) => kinds.map((other) => `to_${one}.to_${other}`));
  return [...kinds.map((id) => `to_${id}`), ...two].slice(0, count);
}

/** Alternatives of two tests each, so that none of them can be asked apart from the others; several where they are many. */
export function alternatives(tests: number, test: (at: number) => string, other: (at: number) => string): string[] {
  const pairs = Array.from({ length: tests / 2 }, (_, at) => `and(${test(at)},${other(at)})`);
  const filters: string[] = [];
  for (let at = 0; at < pairs.length; at += 75) filters.push(`or(${pairs.slice(at, at + 75).join()})`);
  return filters;
}

export const shareOf = <T>(list: readonly T[], at: number): T => {
  const found = list[at % list.length];
  if (found === undefined) throw new Error('an empty list has no share');
  return found;
};
