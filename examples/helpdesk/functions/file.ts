/** Attachments: a scanner, if there is one, sees each before it is kept. It answers 2xx for what is clean. */
import type { Readable } from 'node:stream';
import { FunctionError, kind } from 'kind';

async function scan(content: Readable, signal: AbortSignal): Promise<void> {
  const scanner = process.env['SCANNER_URL'];
  if (!scanner) return;
  const { ok } = await fetch(scanner, { method: 'POST', body: content, duplex: 'half', signal });
  if (!ok) throw new FunctionError(422, 'file.infected', 'The file has a virus');
}

export default kind('file').module({
  hooks: {
    before_create: ({ content, signal }) => scan(content, signal),
    before_update: ({ content, signal }) => (content ? scan(content, signal) : undefined),
  },
});
