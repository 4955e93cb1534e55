/** The programs of docs/client.md compile with a client that the command has written. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { asMember, defineKinds } from '../support/callers.js';
import { checkPrograms, clientFolder } from '../support/client.js';
import { ok } from '../support/definitions.js';
import { runCommand } from '../support/command-line.js';
import { sharedService } from '../support/service.js';
import { codeBlocks } from './markdown.js';

const page = readFileSync(join(import.meta.dirname, '../../docs/client.md'), 'utf8');
const blocksOf = (info: string) => codeBlocks(page).filter((block) => block.info === info);
/** What the programs use of packages that are not installed here. */
const PACKAGES = `
declare module '@tanstack/react-query' {
  export function useQuery<T>(options: {
    readonly queryKey: readonly unknown[];
    readonly queryFn: (context: { readonly signal: AbortSignal }) => T | Promise<T>;
  }): { readonly data: T | undefined };
}
declare module 'expo-secure-store' {
  export function getItemAsync(name: string): Promise<string | null>;
  export function setItemAsync(name: string, value: string): Promise<void>;
  export function deleteItemAsync(name: string): Promise<void>;
}
declare const location: { readonly origin: string };
`;

it('compiles', { timeout: 60_000 }, async () => {
  const root = await (await sharedService()).project();
  await asMember(root);
  await defineKinds(
    root,
    {
      id: 'writer',
      parameters: [
        { id: 'name', kind_id: 'string' },
        { id: 'age', kind_id: 'integer' },
      ],
    },
    {
      id: 'article',
      changes: 'feed',
      parameters: [
        { id: 'title', kind_id: 'string', nullable: false, required: true, unique: true },
        { id: 'state', kind_id: 'string', values: ['draft', 'published'] },
        { id: 'views', kind_id: 'integer' },
        { id: 'tags', kind_id: 'string', multiple: true },
        { id: 'data', kind_id: 'json' },
        { id: 'author', kind_id: 'unit', reference_kind: 'writer' },
      ],
    },
    {
      id: 'comment',
      parameters: [
        { id: 'article', kind_id: 'unit', reference_kind: 'article' },
        { id: 'approved', kind_id: 'boolean' },
        { id: 'stars', kind_id: 'integer' },
      ],
    },
  );
  await ok(root.post('/link/unit', { id: 'cites', parameters: [{ id: 'page', kind_id: 'integer' }] }));
  const folder = clientFolder();
  expect(await runCommand('client', root.id, '--out', join(folder, 'kind'), '--as', 'person')).toMatchObject({
    code: 0,
  });
  const joined = blocksOf('ts client').map(({ text }) => text);
  const programs = {
    'client.ts': joined.join('\n'),
    'react.ts': blocksOf('tsx react')
      .map(({ text }) => `${text}\nexport { useArticles };`)
      .join('\n'),
    'server.ts': blocksOf('ts server')
      .map(({ text }) => text)
      .join('\n'),
    'native.ts': blocksOf('ts native')
      .map(({ text }) => text)
      .join('\n'),
  };
  expect(joined).toHaveLength(10);
  expect(Object.values(programs)).not.toContain('');
  expect(checkPrograms(folder, { ...programs, 'packages.d.ts': PACKAGES }).errors).toEqual([]);
});
