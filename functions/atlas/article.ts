/**
 * A hook that sets the key of every article: a readable slug made from its title, unique by a random suffix.
 * The kind: { "id": "article", "parameters": [{ "id": "slug", "kind_id": "string", "is_primary": true },
 *   { "id": "title", "kind_id": "string", "required": true }] }
 *
 * Searching for a free slug would not work: two concurrent requests would both find it free, and the hooks of a bulk
 * create run before the first article is stored.
 */
import { randomBytes } from 'node:crypto';
import { kind } from 'kind';

export default kind('article').module({
  fills: ['slug'],
  hooks: {
    before_create({ values: { slug, title } }) {
      if (slug === undefined) return { slug: `${wordsOf(String(title))}-${randomBytes(6).toString('hex')}` };
    },
  },
});

/** `Crème brûlée, twice!` is `creme-brulee-twice`. */
function wordsOf(title: string): string {
  const plain = title.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '') || 'article';
}
