import { describe, expect, it } from 'vitest';
import { FileUrls, requireContent } from '../../../src/file/url/signed-url.js';
import { roundedExpiry } from '../../../src/shared/file-address.js';

const urls = new FileUrls('s'.repeat(32));
const digits = '0a1b2c3d';
const file = {
  project: 'shop',
  epoch: 1,
  id: '0195b6f2-0000-7000-8000-000000000001',
  name: 'Grüße & a/b?.jpg',
  object: `shop/0195b6f2-0000-7000-8000-000000000001/${digits}${'4'.repeat(24)}`,
};
const EXPIRES = 1_800_000_000;
const before = EXPIRES * 1000 - 1;

function queryOf(address: string): { expires: string; signature: string } {
  const { searchParams } = new URL(address, 'http://localhost');
  return { expires: searchParams.get('expires') ?? '', signature: searchParams.get('signature') ?? '' };
}

const query = queryOf(urls.make(file, 'o', EXPIRES));
const refused = (code: string) => expect.objectContaining({ status: 403, code }) as Error;

describe('a signed address', () => {
  it('names project, file and name, and is the same for all who ask', () => {
    const address = urls.make(file, 'o', EXPIRES);
    expect(address).toMatch(
      /^\/api\/lib\/project\/shop\/file\/0195b6f2-0000-7000-8000-000000000001\/Gr%C3%BC%C3%9Fe%20%26%20a%2Fb%3F\.jpg\?expires=1800000000&signature=o\.0a1b2c3d\.[\w-]{43}$/,
    );
    expect(new FileUrls('s'.repeat(32)).make(file, 'o', EXPIRES)).toBe(address);
  });

  it('opens its content until it ends', () => {
    expect(urls.open(file, query, before)).toEqual({ opens: 'o', object: digits });
    expect(() => urls.open(file, query, before + 1)).toThrow(refused('file.expired'));
    expect(urls.open(file, queryOf(urls.make(file, 's', EXPIRES)), before).opens).toBe('s');
  });

  it('opens nothing where anything else is said', () => {
    const { expires, signature } = query;
    const mac = signature.slice(11);
    const others = [
      [{ ...file, project: 'shop2' }, query],
      [{ ...file, epoch: 2 }, query],
      [{ ...file, id: file.id.replace(/1$/, '2') }, query],
      [file, { expires: String(EXPIRES + 1), signature }],
      [file, { expires: `0${expires}`, signature }],
      [file, { expires: '1e12', signature }],
      [file, { expires: '', signature }],
      [file, { expires, signature: `s.${digits}.${mac}` }],
      [file, { expires, signature: `x.${digits}.${mac}` }],
      [file, { expires, signature: `o.0a1b2c3e.${mac}` }],
      [file, { expires, signature: `o.${digits}.${mac.startsWith('A') ? 'B' : 'A'}${mac.slice(1)}` }],
      [file, { expires, signature: `${signature}A` }],
      [file, { expires, signature: signature.slice(0, -1) }],
      [file, { expires, signature: `o.${digits}.` }],
      [file, { expires, signature: '' }],
      [file, queryOf(new FileUrls('t'.repeat(32)).make(file, 'o', EXPIRES))],
    ] as const;
    for (const [other, said] of others) {
      // Whether it has ended is not told of what is not good.
      for (const now of [before, before + 1])
        expect(() => urls.open(other, said, now), JSON.stringify(said)).toThrow(refused('file.bad_signature'));
    }
  });

  it('is for one content of the file', () => {
    const opened = urls.open(file, query, before);
    expect(requireContent(opened, file)).toBe(file);
    for (const other of [undefined, { object: file.object.replace(digits, '00000000') }]) {
      expect(() => requireContent(opened, other)).toThrow(refused('file.expired'));
    }
  });

  it('is the same for a quarter of an hour', () => {
    const quarter = EXPIRES * 1000;
    expect(roundedExpiry(3600, quarter)).toBe(EXPIRES + 3600);
    expect(roundedExpiry(3600, quarter + 1)).toBe(EXPIRES + 3600 + 900);
    expect(roundedExpiry(3600, quarter + 900_000)).toBe(EXPIRES + 3600 + 900);
    expect(roundedExpiry(61, quarter)).toBe(EXPIRES + 900);
    expect(roundedExpiry(60) * 1000).toBeGreaterThanOrEqual(Date.now() + 60_000);
  });
});
