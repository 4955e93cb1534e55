/**
 * Answers that clients do not take: what the system has no room for waits in memory. Who takes nothing for a while is cut,
 * and where all of them are too much, the oldest of whoever holds most.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { LIMITS } from '../../shared/limits.js';

export interface UnreadOptions {
  /** Of all answers of a process. */
  readonly bytes: number;
  /** Without a byte taken. */
  readonly milliseconds: number;
}

export class UnreadAnswers {
  /** Whose they are; the oldest first. */
  readonly #waiting = new Map<Socket, string>();

  constructor(private readonly options: UnreadOptions) {}

  /** @param owner whose client it is, asked for where its answer waits */
  watch(response: ServerResponse, owner: () => string): void {
    response.once('prefinish', () => {
      const { socket } = response;
      if (!socket || socket.writableLength === 0) return;
      this.#wait(socket, response, owner());
    });
  }

  #wait(socket: Socket, response: ServerResponse, owner: string): void {
    let left = queued(socket);
    const check = (): void => {
      const now = queued(socket);
      if (now === left) socket.destroy();
      left = now;
    };
    const timer = setInterval(check, this.options.milliseconds);
    const end = (): void => {
      clearInterval(timer);
      this.#waiting.delete(socket);
    };
    this.#waiting.set(socket, owner);
    response.once('finish', end).once('close', end);
    this.#bound();
  }

  #bound(): void {
    let all = 0;
    const owners = new Map<string, number>();
    for (const [socket, owner] of this.#waiting) {
      const bytes = socket.writableLength;
      all += bytes;
      owners.set(owner, (owners.get(owner) ?? 0) + bytes);
    }
    if (all <= this.options.bytes) return;
    const [most] = [...owners].reduce((a, b) => (b[1] > a[1] ? b : a));
    for (const [socket, owner] of this.#waiting) {
      if (owner === most) return void socket.destroy();
    }
  }
}

/** Bytes that the system has not taken yet: of one long write the socket itself tells only when all of it is out. */
function queued(socket: Socket): number {
  const { _handle: handle } = socket as unknown as { readonly _handle?: { readonly writeQueueSize: number } | null };
  return handle?.writeQueueSize ?? 0;
}

export const unreadAnswers = new UnreadAnswers({
  bytes: LIMITS.unreadBytes,
  milliseconds: LIMITS.unreadSeconds * 1000,
});
