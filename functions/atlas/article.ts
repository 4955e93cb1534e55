/**
 * A hook that gives every article a readable, unique name for its address, made of its title. The kind:
 * { "id": "article", "parameters": [{ "id": "title", "kind_id": "string", "required": true },
 *   { "id": "slug", "kind_id": "string", "unique": true }] }
 */
import { filter, kind, type AnyUnit, type Units } from 'kind';

export default kind('article').module({
  hooks: {
    async before_create({ values, system }) {
      if (typeof values['slug'] === 'string') return;
      // As the system: a name is taken, whoever may read the article that has it.
      return { slug: await freeSlug(system.units('article'), slugOf(String(values['title']))) };
    },
  },
});

/** `Crème brûlée, twice!` is `creme-brulee-twice`. */
function slugOf(title: string): string {
  const plain = title.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '') || 'article';
}

async function freeSlug(articles: Units<AnyUnit, unknown>, slug: string): Promise<string> {
  const { items } = await articles.list({ filter: filter`startswith(slug,${slug})`, include: ['slug'], limit: 1000 });
  const taken = new Set(items.map((each) => each['slug']));
  for (let number = 1; ; number++) {
    const name = number === 1 ? slug : `${slug}-${number}`;
    if (!taken.has(name)) return name;
  }
}
