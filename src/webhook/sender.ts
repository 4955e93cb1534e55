/**
 * Sends one attempt. All addresses of the host are resolved here, once, and the connection is made to one of those that
 * were checked; no redirect is followed, and no proxy used.
 */
import { Injectable } from '@nestjs/common';
import { request as httpRequest, type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { WEBHOOK_AGENT } from '../http/header-names.js';
import type { SendCode } from '../model/webhook-codes.js';
import { LIMITS } from '../shared/limits.js';
import { isAddress, isRefused } from './addresses.js';
import { HostLookup } from './host-lookup.js';
import { OwnPlaces } from './own-places.js';
import { placeOfUrl } from './webhook-url.js';

/** How an attempt ended. */
export interface Attempt {
  /** Null without an answer. */
  readonly status: number | null;
  readonly milliseconds: number;
  /** Null if it was delivered. */
  readonly code: SendCode | null;
}

export interface Sending {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A failure that has a code of its own. */
class SendError extends Error {
  constructor(readonly code: SendCode) {
    super(code);
  }
}

@Injectable()
export class Sender {
  constructor(
    private readonly hosts: HostLookup,
    private readonly own: OwnPlaces,
  ) {}

  /** @param stop ends the attempt, which then throws */
  async send(sending: Sending, stop: AbortSignal): Promise<Attempt> {
    const began = performance.now();
    // Not `AbortSignal.any`: what it makes stays in the memory of `stop`, which lasts as long as the service.
    const attempt = new AbortController();
    const end = (): void => attempt.abort();
    const timeout = setTimeout(end, LIMITS.deliverySeconds * 1000);
    stop.addEventListener('abort', end);
    if (stop.aborted) end();
    const { signal } = attempt;
    let status: number | null = null;
    let code: SendCode | null = null;
    try {
      const url = new URL(sending.url);
      const addresses = await until(signal, this.#addressesFor(url));
      status = await this.#request(url, addresses, sending, signal);
      code = codeOfStatus(status);
    } catch (error) {
      if (stop.aborted) throw stop.reason;
      code = signal.aborted ? 'timeout' : error instanceof SendError ? error.code : 'lost';
    } finally {
      clearTimeout(timeout);
      stop.removeEventListener('abort', end);
    }
    return { status, milliseconds: Math.round(performance.now() - began), code };
  }

  /** All addresses of the host. @throws SendError if one of them is refused, or there is none */
  async #addressesFor(url: URL): Promise<readonly string[]> {
    const { host, port } = placeOfUrl(url);
    const rules = await this.own.addressRules();
    const addresses = isAddress(host) ? [host] : await this.#resolve(host);
    if (addresses.length === 0) throw new SendError('dns');
    if (addresses.some((address) => isRefused(address, port, rules))) throw new SendError('address');
    return addresses;
  }

  async #resolve(host: string): Promise<readonly string[]> {
    try {
      return await this.hosts.addressesOf(host);
    } catch {
      throw new SendError('dns');
    }
  }

  /** Returns the status when the answer has been read, or as much of it as is. */
  #request(url: URL, addresses: readonly string[], { headers, body }: Sending, signal: AbortSignal): Promise<number> {
    const { host } = placeOfUrl(url);
    const secure = url.protocol === 'https:';
    const bytes = Buffer.from(body);
    const options: RequestOptions & { servername?: string } = {
      method: 'POST',
      host,
      ...(url.port !== '' && { port: url.port }),
      path: `${url.pathname}${url.search}`,
      headers: {
        ...headers,
        host: url.host,
        'content-type': 'application/json',
        'content-length': bytes.length,
        'user-agent': WEBHOOK_AGENT,
      },
      agent: false,
      lookup: lookupOf(addresses),
      ...(secure && !isAddress(host) && { servername: host }),
      signal,
    };
    return new Promise((resolve, reject) => {
      const request = secure ? httpsRequest(options) : httpRequest(options);
      const failed = stageOf(request, secure);
      // What has an answer has succeeded or failed by its status, whatever becomes of the rest.
      let status: number | undefined;
      request.on('error', () => (status === undefined ? reject(new SendError(failed())) : resolve(status)));
      request.on('response', (answer) => {
        const got = answer.statusCode ?? 0;
        status = got;
        readSome(answer, () => {
          resolve(got);
          request.destroy();
        });
      });
      request.end(bytes);
    });
  }
}

/** Gives the addresses that were checked, and asks nobody. */
function lookupOf(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return (_host, { all: wantsAll }, callback) => {
    const [first = { address: '', family: 4 }] = all;
    if (wantsAll) callback(null, all);
    else callback(null, first.address, first.family);
  };
}

/** What has failed if the request fails now. */
function stageOf(request: ClientRequest, secure: boolean): () => SendCode {
  let stage: SendCode = 'connect';
  request.once('socket', (socket) => {
    socket.once('connect', () => (stage = secure ? 'tls' : 'lost'));
    if (secure) (socket as TLSSocket).once('secureConnect', () => (stage = 'lost'));
  });
  return () => stage;
}

/** Reads an answer to its end, or as many bytes of it as are read, and passes them over. */
function readSome(answer: IncomingMessage, done: () => void): void {
  let read = 0;
  answer.on('data', (piece: Buffer) => {
    read += piece.length;
    if (read >= LIMITS.deliveryAnswer) done();
  });
  answer.once('close', done);
  answer.once('error', done);
}

function codeOfStatus(status: number): SendCode | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? 'redirect' : 'status';
}

/** The same, or a failure as soon as the signal is there. */
function until<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
