// A small client based on fetch, for one project and one member. It is not specific to the demo; any client of the
// service can look like this.

/** An error that is printed without its stack. */
export class DemoError extends Error {}

/** An error answer of the service. */
export class Refused extends DemoError {
  constructor(status, messages) {
    super(messages.map(({ code, text }) => `${code}: ${text}`).join('; '));
    this.status = status;
    this.messages = messages;
  }
}

export class Client {
  #headers;

  constructor(url, project, token) {
    this.url = url;
    this.#headers = { 'kind-project-key': project, ...(token && { authorization: `Bearer ${token}` }) };
  }

  static async signIn(url, { project, username, password }) {
    const session = await new Client(url, project).post('/auth/signin', { username, password });
    return new Client(url, project, session.access_token);
  }

  get(path) {
    return this.call('GET', path);
  }

  post(path, body) {
    return this.call('POST', path, body);
  }

  /** The units of all pages of a list. */
  async all(path) {
    const items = [];
    for (let next = ''; next !== null;) {
      const page = await this.get(`${path}&cursor=${encodeURIComponent(next)}`);
      items.push(...page.items);
      next = page.next;
    }
    return items;
  }

  /** Like `get`, but undefined for a 404. */
  async find(path) {
    try {
      return await this.get(path);
    } catch (error) {
      if (error instanceof Refused && error.status === 404) return undefined;
      throw error;
    }
  }

  /** Returns `content`. @throws Refused */
  call(method, path, body) {
    return this.#send(path, {
      method,
      headers: { ...this.#headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  }

  /** Sends a file as it is made. @param body an async iterable of bytes */
  upload(path, type, body) {
    return this.#send(path, {
      method: 'POST',
      headers: { ...this.#headers, 'content-type': type },
      body,
      duplex: 'half',
    });
  }

  async #send(path, options) {
    const response = await fetch(`${this.url}/api/lib${path}`, options).catch((error) => {
      throw new DemoError(`${this.url} does not answer: ${error.cause?.message ?? error.message}`);
    });
    const { content, messages } = await response.json();
    if (!response.ok) throw new Refused(response.status, messages);
    return content;
  }
}
