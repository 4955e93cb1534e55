/** A file that is read again from its start while it still arrives. */
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { FileText, type TextPart } from '../../../src/transfer/file/imported-text.js';
import { RepeatedText } from '../../../src/transfer/file/repeated-text.js';

const TEXT = Array.from({ length: 60_000 }, (_, n) => `line ${n} ß🙂\n`).join('');

/** A file whose parts cut characters in two. */
function fileOf(text: string, most?: number): RepeatedText {
  const bytes = Buffer.from(text);
  const parts = Array.from({ length: Math.ceil(bytes.length / 9999) }, (_, n) =>
    bytes.subarray(n * 9999, (n + 1) * 9999),
  );
  return new RepeatedText(new FileText(Readable.from(parts, { objectMode: false }), false), false, most);
}

async function rest(parts: AsyncIterator<TextPart>): Promise<string> {
  let text = '';
  for (let last = false; !last;) {
    const { done, value } = await parts.next();
    if (done) throw new Error('the text has no end');
    text += value.text;
    last = value.last;
  }
  return text;
}

it.each([
  ['in memory', TEXT.slice(0, 50_000)],
  ['in a temporary file', TEXT],
])('is read again from the start: what is kept %s', async (_, text) => {
  const file = fileOf(text);
  for (const parts of [2, 1, 5, 0]) {
    const reading = file.read();
    for (let n = 0; n < parts; n += 1) await reading.next();
  }
  expect(await rest(file.read())).toBe(text);
  expect(await rest(file.read())).toBe(text);
  await file.close();
});

it('ends a reading when the next one begins, which misses nothing that the one before waited for', async () => {
  const file = fileOf(TEXT);
  const before = file.read();
  await before.next();
  const [, text] = await Promise.all([before.next(), rest(file.read())]);
  expect(text).toBe(TEXT);
  expect((await before.next()).done).toBe(true);
  await file.close();
});

it('arrives as a whole before it is read again, if that is asked for', async () => {
  const file = fileOf(TEXT);
  const before = file.read();
  await before.next();
  await file.arrive();
  expect((await before.next()).done).toBe(true);
  expect(await rest(file.read())).toBe(TEXT);
  await file.close();
});

it('is not read again if it is too long to be kept', async () => {
  const file = fileOf(TEXT, 300_000);
  expect(await rest(file.read())).toBe(TEXT);
  await expect(rest(file.read())).rejects.toMatchObject({ status: 503, code: 'server.busy' });
  await expect(file.arrive()).rejects.toMatchObject({ status: 503, code: 'server.busy' });
  await file.close();
});

it('fails again with the error that ended it', async () => {
  const stream = Readable.from([Buffer.from('a\n'), Buffer.of(0xff, 0xff)], { objectMode: false });
  const file = new RepeatedText(new FileText(stream, false));
  for (let n = 0; n < 2; n += 1) await expect(rest(file.read())).rejects.toMatchObject({ code: 'import.malformed' });
  await file.close();
});
