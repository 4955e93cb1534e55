/** The client of a project. */
import { authOf, type Auth } from './auth.js';
import { Connection, sender } from './connection.js';
import type { Shapes } from './kinds.js';
import { named, operationsOf, type Facts, type KindClient } from './operations.js';
import { Session, type ClientOptions } from './session.js';

interface Own<S extends Shapes<S>> {
  readonly auth: Auth<S>;
  /** A kind by its id, also where the client has something else of that name. */
  of<K extends keyof S>(kind: K): KindClient<S, K>;
}
export type Client<S extends Shapes<S>> = Own<S> & {
  readonly [K in Exclude<keyof S, 'auth' | 'batch' | 'changes' | 'file' | 'of' | 'then'>]: KindClient<S, K>;
};

export function createClient<S extends Shapes<S>>(options: ClientOptions, facts: Facts = {}): Client<S> {
  const once = sender(options, options.storage === 'cookie' ? 'same-origin' : 'omit');
  const session = new Session(options, once);
  const connection = new Connection(options.project, once, session);
  const of = (id: string) => operationsOf(id, (sent, read) => connection.call(sent, read), facts);
  return named(of, { auth: authOf(connection, session), of }) as Client<S>;
}
