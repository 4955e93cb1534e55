/**
 * A hook that makes the key of every article: a readable name for its address, made of its title, that no other one has.
 * The kind: { "id": "article", "parameters": [{ "id": "slug", "kind_id": "string", "is_primary": true },
 *   { "id": "title", "kind_id": "string", "required": true }] }
 *
 * To look which names are taken, and to take the next one, would not do: of two articles at once each would find it free,
 * and all articles of a list are looked at before the first of them is stored. So the name ends in what nobody else has.
 */
import { randomBytes } from 'node:crypto';
import { kind } from 'kind';

export default kind('article').module({
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
