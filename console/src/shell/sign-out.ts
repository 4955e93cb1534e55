import { session } from '../api/session.js';

/** Nothing of the member stays in memory. */
export async function signOut(): Promise<void> {
  await session.signOut().catch(() => undefined);
  location.reload();
}
