/** API keys for tests. */
import { ok } from './definitions.js';
import type { TestProject } from './service.js';

export interface MadeKey {
  readonly id: string;
  readonly secret: string;
  readonly member: string;
  readonly hint: string;
  readonly updated_at: string;
}

/** Makes an API key as the caller. */
export async function makeKey(caller: TestProject, body: object = {}): Promise<MadeKey> {
  return (await ok(caller.post('/api_key/unit', { label: 'a key', ...body }))) as MadeKey;
}

/** The project with a new API key of the caller. */
export async function byKey(caller: TestProject, body: object = {}): Promise<TestProject> {
  return caller.as((await makeKey(caller, body)).secret);
}
