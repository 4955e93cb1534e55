/**
 * Stops a server without losing a request: every request that arrives on an open connection gets an answer, or the
 * client was told before that the connection ends.
 */
import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import type { OpenRequests } from './open-requests.js';

interface Serving {
  readonly server: Server;
  readonly requests: OpenRequests;
  readonly connections: OpenConnections;
}

interface StopTimes {
  /** Milliseconds for requests in progress. */
  readonly shutdownGrace: number;
  /** Milliseconds of it during which clients may use the connections that they have kept. */
  readonly shutdownIdle: number;
}

/** Milliseconds that connections without a request have at the end. */
const LAST_REQUESTS = 500;
/** Turns of the event loop in a row that took no connection, after which none waits. */
const QUIET_TURNS = 2;
/** Milliseconds: in a longer turn a connection may have begun to wait. */
const SHORT_TURN = 2;
/** Milliseconds after which a server stops listening even if connections still arrive. */
const STOP_LISTENING = 1000;
/** Milliseconds that a turn counts at most: a process that was paused accepts what arrived meanwhile. */
const LONGEST_TURN = 50;

export async function stopServing(
  { server, requests, connections }: Serving,
  { shutdownGrace, shutdownIdle }: StopTimes,
): Promise<void> {
  const deadline = performance.now() + shutdownGrace;
  requests.enter('stopping');
  if (server.listening) await stopListening(server);
  requests.enter('last');
  await within(Math.min(shutdownIdle, shutdownGrace), connections.whenNone());
  await readArrived();
  server.closeIdleConnections();
  await within(deadline - performance.now(), requests.whenAllAnswered());
  requests.enter('refusing');
  // Other connections were accepted, but have not sent a whole request yet.
  await within(LAST_REQUESTS, connections.whenNone());
  // That time may have passed in one turn, in which nothing was read.
  await readArrived();
  await within(LAST_REQUESTS, requests.whenAllAnswered());
  server.closeAllConnections();
  // Only now, because it would close idle connections at once.
  server.close();
  // A connection that is closed already, but has not been told so, must not keep the process.
  await within(LAST_REQUESTS, connections.whenNone());
}

/**
 * Stops listening once no connection waits to be accepted: the operating system resets those that do. Each turn of the
 * event loop accepts one.
 */
export async function stopListening(server: NetServer): Promise<void> {
  let accepted = 0;
  const count = (): void => void (accepted += 1);
  server.on('connection', count);
  for (let quiet = 0, spent = 0; quiet < QUIET_TURNS && spent < STOP_LISTENING;) {
    const [before, began] = [accepted, performance.now()];
    await turn();
    const took = performance.now() - began;
    quiet = accepted === before && took < SHORT_TURN ? quiet + 1 : 0;
    spent += Math.min(took, LONGEST_TURN);
  }
  server.off('connection', count);
  // `close` of an HTTP server closes connections too.
  NetServer.prototype.close.call(server);
}

/** Lets the event loop read requests that have arrived. */
async function readArrived(): Promise<void> {
  for (let turns = 0; turns < QUIET_TURNS; turns += 1) await turn();
}

async function within(milliseconds: number, event: Promise<void>): Promise<void> {
  const timeout = new AbortController();
  const { signal } = timeout;
  await Promise.race([event, delay(Math.max(0, milliseconds), undefined, { signal }).catch(() => undefined)]);
  timeout.abort();
}

/** Counts the connections of a server, also those that it did not accept itself. */
export class OpenConnections {
  #open = 0;
  #whenNone: () => void = () => undefined;

  constructor(server: NetServer) {
    server.on('connection', (socket: Socket) => {
      this.#open += 1;
      socket.once('close', () => {
        this.#open -= 1;
        if (this.#open === 0) this.#whenNone();
      });
    });
  }

  /** Resolves when no connection is open. */
  whenNone(): Promise<void> {
    return this.#open === 0 ? Promise.resolve() : new Promise((resolve) => (this.#whenNone = resolve));
  }
}
