/** Sends one attempt, by the rules of requests to addresses that tenants name. */
import { Inject, Injectable } from '@nestjs/common';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { type Config, CONFIG } from '../config/config.js';
import { WEBHOOK_AGENT } from '../http/header-names.js';
import type { SendCode } from '../model/webhook-codes.js';
import { AddressError, CheckedAddresses, requestTo, until } from '../outgoing/checked-addresses.js';
import { LIMITS } from '../shared/limits.js';

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
    private readonly addresses: CheckedAddresses,
    @Inject(CONFIG) private readonly config: Config,
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
      const addresses = await until(signal, this.addresses.of(url, this.config.webhooks));
      status = await this.#request(url, addresses, sending, signal);
      code = codeOfStatus(status);
    } catch (error) {
      if (stop.aborted) throw stop.reason;
      code = signal.aborted ? 'timeout' : isCoded(error) ? error.code : 'lost';
    } finally {
      clearTimeout(timeout);
      stop.removeEventListener('abort', end);
    }
    return { status, milliseconds: Math.round(performance.now() - began), code };
  }

  /** Returns the status when the answer has been read, or as much of it as is. */
  #request(url: URL, addresses: readonly string[], { headers, body }: Sending, signal: AbortSignal): Promise<number> {
    const secure = url.protocol === 'https:';
    const bytes = Buffer.from(body);
    const sent = {
      ...headers,
      'content-type': 'application/json',
      'content-length': bytes.length,
      'user-agent': WEBHOOK_AGENT,
    };
    return new Promise((resolve, reject) => {
      const request = requestTo(url, addresses, { method: 'POST', headers: sent, signal });
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

function isCoded(error: unknown): error is SendError | AddressError {
  return error instanceof SendError || error instanceof AddressError;
}
