/** A kind whose struct is larger than an answer may be. */
import { LIMITS } from '../../src/shared/limits.js';
import { ok } from './definitions.js';
import type { TestProject } from './service.js';

interface Wide {
  readonly ids: readonly string[];
  readonly values: readonly string[];
}

/** Makes the public kind `wide`, whose parameters `p0` and so on all have the same long `values`. */
export async function defineWide(project: TestProject): Promise<Wide> {
  const values = Array.from({ length: 900 }, (_, n) => `${n} ${'v'.repeat(120)}`);
  const ids = Array.from({ length: Math.ceil(LIMITS.structBytes / JSON.stringify(values).length) }, (_, n) => `p${n}`);
  await ok(project.post('/kind/unit', { id: 'wide', public: true }));
  for (let at = 0; at < ids.length; at += 6) {
    const parameters = ids.slice(0, at + 6).map((id, n) => (n < at ? id : { id, kind_id: 'string', values }));
    await ok(project.put('/kind/unit/wide', { parameters }));
  }
  return { ids, values };
}
