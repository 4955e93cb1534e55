/** A project on another machine, which a command reads by its REST API with an API key. */
import type { Command } from 'commander';
import { namedVariable } from '../../config/named-variable.js';
import { PROJECT_HEADER } from '../../http/header-names.js';
import { UsageError } from './exit.js';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
/** Milliseconds. */
const PATIENCE = 60_000;

/** The options of commands that can work on a project elsewhere. */
export interface RemoteOptions {
  readonly url?: string;
  readonly key?: string;
}

export function withRemoteOptions(command: Command): Command {
  return command
    .option('--url <address>', 'of a service elsewhere: https, or http on this machine')
    .option('--key <env:NAME>', 'the environment variable with the API key for it');
}

/** What the service refuses, with what it says of each fault. */
export class RemoteRefusal extends Error {
  constructor(
    text: string,
    readonly status: number,
    readonly messages: readonly RemoteMessage[],
  ) {
    super(text);
  }

  /** Of its first message. */
  get code(): string | undefined {
    return this.messages[0]?.code;
  }
}

interface RemoteMessage {
  readonly code?: string;
  readonly text: string;
  readonly parameter?: string;
}

export class RemoteProject {
  /** @param base without a slash at its end */
  constructor(
    private readonly base: string,
    private readonly key: string,
    readonly id: string,
  ) {}

  /** @param path below `/api/lib` @throws RemoteRefusal, or Error where it does not answer */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { [PROJECT_HEADER]: this.id, authorization: `Bearer ${this.key}` };
    const sent = { ...init, headers: { ...headers, ...(init.headers as Record<string, string> | undefined) } };
    const signal = AbortSignal.timeout(PATIENCE);
    // A redirect would lead the key somewhere else.
    const answer = await fetch(`${this.base}/api/lib${path}`, { signal, ...sent, redirect: 'manual' }).catch(
      (error: Error) => {
        const { cause } = error;
        throw new Error(`${this.base} does not answer: ${cause instanceof Error ? cause.message : error.message}`, {
          cause: error,
        });
      },
    );
    if (answer.ok) return answer;
    const messages = await messagesOf(answer);
    const text = messages.map((message) => message.text).join('; ') || answer.statusText;
    throw new RemoteRefusal(`${this.base} answers ${answer.status}: ${text}`, answer.status, messages);
  }
}

/** The project that the options name; undefined for one of this machine. @throws UsageError */
export function remoteProject(id: string, { url, key }: RemoteOptions): RemoteProject | undefined {
  if (url === undefined && key === undefined) return undefined;
  if (url === undefined || key === undefined) throw new UsageError('--url and --key go together');
  const [, name] = /^env:(\w+)$/.exec(key) ?? [];
  if (name === undefined) throw new UsageError('--key: wants env:NAME, the environment variable that has the key');
  const secret = namedVariable(name);
  if (secret === undefined) throw new UsageError(`--key: the environment variable ${name} is not set`);
  return new RemoteProject(baseOf(url), secret, id);
}

function baseOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.has(url.hostname));
  if (!url || !isSafe || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new UsageError(`--url: wants https://…, or http://localhost…, without user, password, query and #`);
  }
  return url.href.replace(/\/+$/, '');
}

async function messagesOf(answer: Response): Promise<readonly RemoteMessage[]> {
  if (answer.status >= 300 && answer.status < 400) return [{ text: 'redirects are not followed' }];
  const { messages } = (await answer.json().catch(() => ({}))) as { messages?: readonly RemoteMessage[] };
  return messages ?? [];
}
