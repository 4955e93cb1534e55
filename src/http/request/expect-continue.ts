/**
 * `Expect: 100-continue`: the client gets 100 Continue when the body is read. If the request is refused before, it gets
 * the answer without sending the body.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { RequestSlot } from './request-slot.js';

const continueCallbacks = new RequestSlot<() => void>();

/**
 * Prepares a request whose client waits. If it is never continued, the connection is closed, because the client may or
 * may not send the body.
 */
export function deferContinue(request: IncomingMessage, response: ServerResponse): void {
  const { shouldKeepAlive } = response;
  response.shouldKeepAlive = false;
  continueCallbacks.set(request, () => {
    response.shouldKeepAlive = shouldKeepAlive;
    response.writeContinue();
  });
}

/** Sends 100 Continue if the client waits for it. */
export function sendContinue(request: IncomingMessage): void {
  continueCallbacks.get(request)?.();
}
