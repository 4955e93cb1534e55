/** What a change of definitions does to API keys. */
import { withoutKinds } from '../../access/key-scope.js';
import type { Executor } from '../../database/database.js';
import type { Json } from '../../shared/json.js';
import { keysNamingKindStatement, setScopesStatement } from '../../sql/member/api-key.sql.js';

/** Keys that are changed with one statement. */
const KEYS_AT_ONCE = 1000;

/**
 * Takes kinds that were deleted from the scopes of API keys, so that new kinds of the same names are not in them. To be
 * called after the version of the model was raised: then no key whose scope names one of them can be stored any more.
 */
export async function dropKindsFromScopes(executor: Executor, schema: string, kinds: readonly string[]): Promise<void> {
  const dropped = new Set(kinds);
  for (const kind of kinds) {
    for (let after: string | undefined; ;) {
      const page = { after, limit: KEYS_AT_ONCE };
      const found = await executor.run<{ id: string; scope: Json }>(keysNamingKindStatement(schema, kind, page));
      if (found.length === 0) break;
      const narrowed = found.map(({ id, scope }) => ({ id, scope: withoutKinds(scope, dropped) }));
      await executor.run(setScopesStatement(schema, narrowed));
      after = found.at(-1)?.id;
      if (found.length < KEYS_AT_ONCE) break;
    }
  }
}
