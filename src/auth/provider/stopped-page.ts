/** The page of a sign-in that cannot go on, for people whose browser was led to an address of the service. */
import { type ExecutionContext, Injectable } from '@nestjs/common';
import { requestOf, type HttpRequest } from '../../http/request/request.js';
import { type ErrorAnswer, pageOfRefusal } from '../../http/server/error.responder.js';
import { PreparingInterceptor } from '../../http/server/preparing.interceptor.js';
import { Markup, markup } from '../../mail/mail-texts.js';

/** Below the path of the API. */
const STYLE = 'auth/page/page.css';

const IN_MINUTES = new Intl.NumberFormat('en', { style: 'unit', unit: 'minute', unitDisplay: 'long' });

/** Refusals are pages for browsers that come by themselves, and JSON for all others. */
@Injectable()
export class RefusalsAsPages extends PreparingInterceptor {
  override prepare(context: ExecutionContext): void {
    const request = requestOf(context);
    if (request.accepts(['json', 'html']) === 'html') pageOfRefusal.set(request, refusalPage);
  }
}

export function stoppedPage({ path }: HttpRequest, texts: readonly string[]): string {
  const title = 'This sign-in cannot go on';
  // Relative, because a proxy may serve the API under another path.
  const style = '../'.repeat(path.split('/').length - '/api/lib/'.split('/').length) + STYLE;
  const paragraphs = texts.map((text) => markup`<p>${text}</p>`.text).join('\n      ');
  return markup`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="robots" content="noindex" />
    <title>${title}</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="${style}" />
  </head>
  <body>
    <main>
      <h1>${title}</h1>
      ${new Markup(paragraphs)}
    </main>
  </body>
</html>
`.text;
}

function refusalPage({ messages, retryAfter }: ErrorAnswer, request: HttpRequest): string {
  const again = retryAfter === undefined ? '' : ` It can be tried again in ${minutes(retryAfter)}.`;
  return stoppedPage(request, [
    ...messages.map((message) => String((message as { text?: unknown }).text)),
    `Go back in your browser to where you came from.${again}`,
  ]);
}

function minutes(seconds: number): string {
  return IN_MINUTES.format(Math.ceil(seconds / 60));
}
