/** Answers a content, or a part of it, no faster than the client reads it. */
import type { Readable } from 'node:stream';
import { StreamAnswer } from '../http/answer/answer.js';
import { clientAddress } from '../http/request/client-address.js';
import type { HttpRequest, HttpResponse } from '../http/request/request.js';
import { unreadAnswers } from '../http/server/unread-answers.js';

export class ContentAnswer extends StreamAnswer {
  /** @param content undefined where no bytes are answered */
  constructor(
    readonly status: number,
    readonly fields: Readonly<Record<string, string | number>>,
    readonly body: Readable | undefined,
  ) {
    super();
  }

  /** If the store fails in between, the connection is broken, so that no client takes a part for the whole. */
  start(response: HttpResponse): void {
    const { body } = this;
    // The client is gone already: nothing tells it again.
    if (response.destroyed) return void body?.destroy();
    const { Vary: varies, ...fields } = this.fields;
    // Beside what it depends on already, such as the origin of a page.
    if (varies !== undefined) response.appendHeader('Vary', String(varies));
    response.writeHead(this.status, fields);
    if (!body) {
      response.end();
      return;
    }
    // Who reads nothing for a while is disconnected.
    unreadAnswers.hold(response, clientAddress(response.req as HttpRequest));
    response.once('close', () => body.destroy());
    body.once('error', () => response.destroy());
    body.pipe(response);
  }
}
