/**
 * `Expect: 100-continue`: a client that asks whether its body is wanted is told so when somebody reads it, and otherwise
 * gets its answer without having sent any of it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { RequestSlot } from './request-slot.js';

const waiting = new RequestSlot<() => void>('continue');

/** For a request whose client waits. Where it is never let continue the connection ends: nobody knows whether a body follows. */
export function deferContinue(request: IncomingMessage, response: ServerResponse): void {
  const { shouldKeepAlive } = response;
  response.shouldKeepAlive = false;
  waiting.set(request, () => {
    response.shouldKeepAlive = shouldKeepAlive;
    response.writeContinue();
  });
}

/** Tells the client of a request, where it waits, that its body is wanted. */
export function sendContinue(request: IncomingMessage): void {
  waiting.get(request)?.();
}
