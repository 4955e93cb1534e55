/**
 * Gives each connection of a shared port to the worker with the fewest open ones. A connection is kept until the worker
 * has confirmed that it has it, so that none is lost with a worker that ends.
 */
import type { Socket } from 'node:net';
import type { Server } from 'node:http';

interface Load {
  /** Connections that it has or is about to have. */
  open: number;
  /** Those that it has not confirmed, oldest first. */
  readonly unconfirmed: Map<number, { readonly socket: Socket; readonly since: number }>;
}

/** Milliseconds without a confirmation after which other workers are preferred. */
const SLOW_AFTER = 1000;
/** Connections that wait while there is no worker; further ones are closed. */
const MAX_WAITING = 4096;

export class ConnectionBalancer<Worker> {
  /** The worker that waits longest for a connection first. */
  readonly #loads = new Map<Worker, Load>();
  #waiting: Socket[] = [];
  #lastId = 0;

  /** @param send sends a connection to a worker, which confirms it with the number */
  constructor(private readonly send: (worker: Worker, id: number, socket: Socket) => void) {}

  /** Those that receive connections. */
  get workers(): readonly Worker[] {
    return [...this.#loads.keys()];
  }

  /** From now on, the worker receives connections. */
  add(worker: Worker): void {
    this.#loads.set(worker, { open: 0, unconfirmed: new Map() });
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const socket of waiting) this.assign(socket);
  }

  /** The worker has ended. What it has not confirmed goes to others. */
  remove(worker: Worker): void {
    const load = this.#loads.get(worker);
    this.#loads.delete(worker);
    for (const { socket } of load?.unconfirmed.values() ?? []) this.assign(socket);
  }

  assign(socket: Socket): void {
    const worker = this.#leastLoaded();
    if (!worker) {
      if (this.#waiting.length < MAX_WAITING) this.#waiting.push(socket);
      else socket.destroy();
      return;
    }
    const [target, load] = worker;
    this.#lastId += 1;
    load.open += 1;
    load.unconfirmed.set(this.#lastId, { socket, since: performance.now() });
    // Last among those with as many connections.
    this.#loads.delete(target);
    this.#loads.set(target, load);
    this.send(target, this.#lastId, socket);
  }

  /** The worker has the connection. */
  confirm(worker: Worker, id: number): void {
    const load = this.#loads.get(worker);
    load?.unconfirmed.get(id)?.socket.destroy();
    load?.unconfirmed.delete(id);
  }

  /** A connection of the worker was closed. */
  closed(worker: Worker): void {
    const load = this.#loads.get(worker);
    if (load) load.open -= 1;
  }

  /** Closes the connections that no worker has. */
  stop(): void {
    for (const socket of this.#waiting) socket.destroy();
    this.#waiting = [];
  }

  #leastLoaded(): [Worker, Load] | undefined {
    const all = [...this.#loads];
    const deadline = performance.now() - SLOW_AFTER;
    const prompt = all.filter(([, { unconfirmed }]) => !isOlder(unconfirmed, deadline));
    const [first, ...others] = prompt.length > 0 ? prompt : all;
    return first && others.reduce((least, each) => (each[1].open < least[1].open ? each : least), first);
  }
}

/** Whether the oldest is from before that time. */
function isOlder(unconfirmed: Load['unconfirmed'], time: number): boolean {
  const [oldest] = unconfirmed.values();
  return oldest !== undefined && oldest.since < time;
}

export type ConnectionReport =
  /** The worker has the connection with this number. */
  | { readonly type: 'confirmed'; readonly id: number }
  /** One of its connections was closed. */
  | { readonly type: 'closed' };

export class ReceivedConnections {
  #server: Server | undefined;

  constructor(private readonly report: (report: ConnectionReport) => void) {}

  /** From now on until it is closed, the server serves the connections. */
  serveWith(server: Server): void {
    this.#server = server;
    server.once('close', () => (this.#server = undefined));
    // With this event, Node begins to list the connections of a server and to limit the time of requests.
    server.emit('listening');
  }

  /** @param socket undefined if the connection was closed on its way */
  receive(id: number, socket: Socket | undefined): void {
    if (!this.#server) {
      // Not confirmed, so the primary gives the connection to another worker; this closes only the copy.
      socket?.destroy();
      return;
    }
    this.report({ type: 'confirmed', id });
    if (!socket) return this.report({ type: 'closed' });
    socket.once('close', () => this.report({ type: 'closed' }));
    // As for connections that the server accepts itself: clients may end their side before the answer.
    socket.allowHalfOpen = true;
    this.#server.emit('connection', socket);
  }
}
