/** Agents of tests: clients of the Model Context Protocol. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { TestProject } from './service.js';

export const REVISIONS = ['2026-07-28', '2025-11-25', '2025-06-18'] as const;

/** What a tool answers. */
export interface Called {
  readonly isError?: boolean;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- data is whatever a tool answers; tests look into it
  readonly structuredContent: any;
  readonly content: readonly { readonly text: string }[];
}

/** @param key the secret of an agent's key */
export async function agentOf(
  { url }: TestProject['service'],
  key: string,
  revision: string = REVISIONS[0],
): Promise<Client> {
  const modern = revision === REVISIONS[0];
  const client = new Client(
    { name: 'test', version: '1' },
    modern ? { versionNegotiation: { mode: { pin: revision } } } : { supportedProtocolVersions: [revision] },
  );
  const headers = { authorization: `Bearer ${key}` };
  const address = new URL('/api/lib/mcp', url);
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
  return client;
}

export async function callTool(client: Client, name: string, given: object): Promise<Called> {
  return (await client.callTool({ name, arguments: { ...given } })) as unknown as Called;
}
