/** Several operations in one request: all are done, in order and in one transaction, or none. */
import type { Call, WriteOptions } from './call.js';
import { CODES, type Code } from './codes.js';
import { addressOf, type Answer, type Connection, type Sent } from './connection.js';
import type { Shapes } from './kinds.js';
import { named, type Ask, type Batched } from './operations.js';

/** The kinds, whose operations are recorded. */
type Recorder<S extends Shapes<S>> = { readonly [K in keyof S]: Batched<S, K> };
type Answers<R> = { -readonly [I in keyof R]: R[I] extends { readonly later?: infer T } ? T : never };

/** @param work records operations, and answers those whose answers are wanted */
export type Batch<S extends Shapes<S>> = <const R extends readonly unknown[]>(
  work: (kinds: Recorder<S>) => R,
  options?: WriteOptions,
) => Call<Answers<R>, Code<'batch'>>;

interface Recorded {
  readonly sent: Sent;
  readonly read: (answer: Answer) => unknown;
}

/** @param kindsOf the kinds, whose operations are asked for by this function */
export function batchOf(connection: Connection, kindsOf: (ask: Ask) => unknown) {
  return (work: (kinds: unknown) => readonly unknown[], options: WriteOptions = {}) => {
    const recorded: Recorded[] = [];
    const places = new Map<unknown, number>();
    const ask: Ask = (sent, read) => {
      const as = `o${recorded.push({ sent, read }) - 1}`;
      // What is read of it stands for a value that is not there yet.
      const later = named((name) => ({ $from: `${as}.${name}` }));
      places.set(later, recorded.length - 1);
      return later;
    };
    const wanted = work(kindsOf(ask)).map((each) => recorded[places.get(each) ?? -1]);
    const operations = recorded.map(({ sent }, at) => ({
      as: `o${at}`,
      method: sent.method,
      path: addressOf(sent),
      body: sent.body,
      if_match: sent.ifMatch,
    }));
    const request = { method: 'POST', path: ['batch'], body: { operations }, keyed: true, codes: CODES.batch };
    return connection.call({ ...request, ...options }, ({ content }) => {
      const { items } = content as { readonly items: readonly { readonly content: unknown }[] };
      return wanted.map((each) => each?.read({ content: items[recorded.indexOf(each)]?.content, headers: NONE }));
    });
  };
}

const NONE = { get: () => null };
