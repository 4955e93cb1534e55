/** Reads the content of a file for an agent: a page of its text, or a picture. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { buffer } from 'node:stream/consumers';
import type { Answer } from '../http/answer/answer.js';
import { ContentAnswer } from '../file/content.answer.js';
import { TextCheck } from '../file/content/text-check.js';
import { refusal } from '../shared/errors.js';
import { LIMITS } from '../shared/limits.js';
import type { Arguments } from './tool-arguments.js';
import { answeredData, pageOf } from './tool-result.js';

/** @throws KindError 400 for what is neither a text nor a picture in a size, or is too large */
export async function readFile(answer: Answer, { id, select, from = 0 }: Arguments): Promise<CallToolResult> {
  if (!(answer instanceof ContentAnswer)) throw new Error('a content is answered as a stream');
  const { body, fields } = answer;
  const bytes = Number(fields['Content-Length']);
  const type = String(fields['Content-Type']);
  try {
    if (select === undefined) return answeredData({ id, type, ...(await pageOfFile(body, from, bytes)) });
    if (bytes > LIMITS.agentPictureBytes) {
      const most = LIMITS.agentPictureBytes.toLocaleString('en');
      throw refusal('query.too_large', `select: the picture has more than ${most} bytes in this size`);
    }
    const content = body ? await buffer(body) : Buffer.alloc(0);
    const picture = { type: 'image' as const, data: content.toString('base64'), mimeType: type };
    return answeredData({ id, type, bytes }, picture);
  } finally {
    body?.destroy();
  }
}

/** Reads no more than the page needs: pages come in the order of the file. */
async function pageOfFile(body: AsyncIterable<Buffer> | undefined, from: number, bytes: number): Promise<object> {
  const check = new TextCheck();
  const decoder = new TextDecoder();
  let text = '';
  let passed = 0;
  let read = 0;
  for await (const piece of body ?? []) {
    read += piece.length;
    check.add(piece);
    if (!check.canBeText) {
      throw refusal('query.bad_value', 'id: the file is no text in UTF-8; a picture is read with a size in select');
    }
    if (read > LIMITS.agentFileBytes) {
      const most = LIMITS.agentFileBytes.toLocaleString('en');
      throw refusal('query.too_large', `from: only the first ${most} bytes of a file are read`);
    }
    text += decoder.decode(piece, { stream: true });
    const before = Math.min(text.length, from - passed);
    passed += before;
    text = text.slice(before);
    if (text.length > LIMITS.agentPageLength) break;
  }
  const { cut, next } = pageOf(text, 0);
  return { text: cut, from, bytes, ...(next !== undefined && { next: from + next }) };
}
