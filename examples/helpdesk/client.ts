/** A client of the help desk, for a browser or Node.js: what its pages need, over `fetch` alone. */

export interface Ticket {
  readonly id: string;
  readonly number: number;
  readonly subject: string;
  readonly state: 'open' | 'pending' | 'solved' | 'closed';
  readonly priority: 'low' | 'normal' | 'high';
  readonly customer: string;
  readonly assignee: string | null;
  readonly opened_at: string;
  readonly due_at: string | null;
  readonly solved_at: string | null;
}

export interface Comment {
  readonly id: string;
  readonly author: string;
  readonly text: string;
  readonly internal: boolean;
  /** The id of a file. */
  readonly attachment: string | null;
  readonly inserted_at: string;
}

interface Page<T> {
  readonly count: number;
  readonly items: readonly T[];
}

/** A refusal: `code` is that of its first message. */
export class DeskError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    text: string,
  ) {
    super(text);
  }
}

export class Desk {
  constructor(
    /** `https://…/api/lib` */
    private readonly url: string,
    private readonly project: string,
    private token = '',
  ) {}

  async signIn(username: string, password: string): Promise<void> {
    const session = await this.#send<{ access_token: string }>('POST', '/auth/signin', { username, password });
    this.token = session.access_token;
  }

  /** Of customers. */
  openTicket(subject: string): Promise<Ticket> {
    return this.#send('POST', '/ticket/unit', { subject });
  }

  /** Of a customer its own, of an agent those of its organisation: what is most urgent comes first. */
  tickets(state: Ticket['state']): Promise<Page<Ticket>> {
    return this.#send(
      'GET',
      `/ticket/unit?filter=eq(state,${state})&order=-by_value(priority)&order=due_at&order=number`,
    );
  }

  comments(ticket: Ticket): Promise<Page<Comment>> {
    return this.#send('GET', `/comment/unit?filter=eq(ticket,${ticket.id})&order=inserted_at;asc`);
  }

  /** @param attachment the id of a file, as `upload` returns it */
  say(ticket: Ticket, text: string, internal = false, attachment?: string): Promise<Comment> {
    return this.#send('POST', '/comment/unit', {
      ticket: ticket.id,
      text,
      ...(internal && { internal }),
      ...(attachment && { attachment }),
    });
  }

  async upload(name: string, content: Blob): Promise<string> {
    return (await this.#send<{ id: string }>('POST', `/file/unit?name=${encodeURIComponent(name)}`, content)).id;
  }

  /** An address of an attachment, for a link or a picture. */
  async addressOf(attachment: string): Promise<string> {
    const { url } = await this.#send<{ url: string }>('POST', `/file/unit/${attachment}/url`, { seconds: 3600 });
    return new URL(url, this.url).href;
  }

  move(ticket: Ticket, state: Ticket['state']): Promise<Ticket> {
    return this.#send('PUT', `/ticket/unit/${ticket.id}`, { state });
  }

  /** Of agents. */
  plan(ticket: Ticket, values: Partial<Pick<Ticket, 'priority' | 'assignee' | 'due_at'>>): Promise<Ticket> {
    return this.#send('PUT', `/ticket/unit/${ticket.id}`, values);
  }

  /** How many tickets are in each state. */
  async load(): Promise<Record<string, number>> {
    const path = '/ticket/aggregate?group=state&select=count()';
    const { items } = await this.#send<Page<{ state: string; count: number }>>('GET', path);
    return Object.fromEntries(items.map(({ state, count }) => [state, count]));
  }

  /** How many days it took to solve a ticket, on average; null before the first one. */
  async daysToSolve(): Promise<string | null> {
    const path = '/ticket/aggregate?select=days:avg(days(opened_at,solved_at))';
    return (await this.#send<Page<{ days: string | null }>>('GET', path)).items[0]?.days ?? null;
  }

  async #send<T>(method: string, path: string, body?: object): Promise<T> {
    const headers = {
      'kind-project-key': this.project,
      ...(this.token && { authorization: `Bearer ${this.token}` }),
      ...(body && { 'content-type': body instanceof Blob ? body.type : 'application/json' }),
    };
    const sent = body ? { body: body instanceof Blob ? body : JSON.stringify(body) } : {};
    const response = await fetch(this.url + path, { method, headers, ...sent });
    const { content, messages } = (await response.json()) as { content: T; messages: { code: string; text: string }[] };
    if (response.ok) return content;
    throw new DeskError(response.status, messages[0]?.code ?? '', messages.map(({ text }) => text).join('; '));
  }
}
