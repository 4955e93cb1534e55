// Defines the kinds of an example in a project that is there: `node examples/define.mjs shop <password>`.
// The project has the name of the example, or that of PROJECT; the service is that of KIND_URL.
import { readFileSync } from 'node:fs';

const [example, password] = process.argv.slice(2);
const { KIND_URL = 'http://127.0.0.1:3000', PROJECT = example } = process.env;
const definitions = JSON.parse(readFileSync(new URL(`${example}/model.json`, import.meta.url), 'utf8'));

async function send(method, path, body = {}, token = '') {
  const headers = { 'kind-project-key': PROJECT, 'content-type': 'application/json' };
  if (token) headers.authorization = `Bearer ${token}`;
  const response = await fetch(`${KIND_URL}/api/lib${path}`, { method, headers, body: JSON.stringify(body) });
  const { content, messages } = await response.json();
  if (!response.ok) throw new Error(`${path}: ${messages.map(({ text }) => text).join('; ')}`);
  return content;
}

const { access_token } = await send('POST', '/auth/signin', { username: 'admin', password });
for (const { method = 'POST', path, body } of definitions) await send(method, path, body, access_token);
console.log(`${definitions.length} definitions of '${example}' are in the project '${PROJECT}'`);
