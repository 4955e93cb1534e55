/** The client of a project. */
import { authOf, type Auth } from './auth.js';
import { batchOf, type Batch } from './batch.js';
import { changesOf, type ChangesFeed } from './changes.js';
import { Connection, sender } from './connection.js';
import { filesOf, type Files } from './files.js';
import type { Shapes } from './kinds.js';
import { liveOf } from './live.js';
import { named, operationsOf, type Ask, type Facts, type KindClient } from './operations.js';
import { Session, type ClientOptions } from './session.js';

interface Own<S extends Shapes<S>> {
  readonly auth: Auth<S>;
  readonly batch: Batch<S>;
  readonly changes: ChangesFeed<S>;
  readonly file: Files;
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
  const kindsOf = (ask: Ask) => named((id) => operationsOf(id, ask, facts));
  const ask: Ask = (sent, read) => connection.call(sent, read);
  const of = (id: string) => ({ ...operationsOf(id, ask, facts), live: liveOf(connection, id) });
  return named(of, {
    auth: authOf(connection, session),
    batch: batchOf(connection, kindsOf),
    changes: changesOf(connection),
    file: filesOf(connection, options.url),
    of,
  }) as Client<S>;
}
