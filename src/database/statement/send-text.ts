/** Texts that are sent as they are, and what becomes of errors of the driver. */
import type { PoolClient } from 'pg';
import { observedWork } from '../../shared/observed-work.js';
import { commonRefusal } from './sqlstate.js';

/** Sends statements without parameters in one message. */
export function sendText(client: PoolClient, text: string): Promise<unknown> {
  return observedWork('statement', text, () => client.query(text));
}

/** The error of a client or of its pool, as a refusal if it is a common one. */
export function asRefusal(error: unknown): unknown {
  return commonRefusal(error) ?? error;
}
