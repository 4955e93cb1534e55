/** Agents by the official client of another generation: release 1, which begins with `initialize` and may open streams. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { defineKinds, withMembers } from '../support/callers.js';
import { ok } from '../support/definitions.js';
import { makeKey } from '../support/keys.js';
import { sharedService } from '../support/service.js';

interface OldClient {
  connect(transport: object): Promise<void>;
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: object): Promise<{ structuredContent: { data: unknown } }>;
  close(): Promise<void>;
}

/** Installed in this folder alone. */
const PACKAGE = join(import.meta.dirname, 'node_modules/@modelcontextprotocol/sdk/dist/esm/client');
const load = async <T>(file: string): Promise<T> => (await import(join(PACKAGE, file))) as T;

it('a client of release 1 lists the tools and calls them', async () => {
  const { Client } = await load<{ Client: new (info: object) => OldClient }>('index.js');
  const { StreamableHTTPClientTransport } = await load<{
    StreamableHTTPClientTransport: new (address: URL, options: object) => object;
  }>('streamableHttp.js');
  const service = await sharedService();
  const admin = await withMembers(await service.project());
  await defineKinds(admin, { id: 'note', parameters: [{ id: 'title', kind_id: 'string' }] });
  await ok(admin.post('/note/unit', { title: 'first' }));
  const { secret } = await makeKey(admin, { agent: true, scope: [{ kinds: ['note'], operations: ['read'] }] });
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${secret}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/api/lib/mcp', admin.service.url), { requestInit }));
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain('list_units');
  const { structuredContent } = await client.callTool({ name: 'list_units', arguments: { kind: 'note' } });
  expect(structuredContent.data).toMatchObject({ count: 1, items: [{ title: 'first' }] });
  await client.close();
});
