// Counts the files of src/ whose code runs for one request of each sort: `node scripts/ways.mjs [--list]`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SRC = new URL('../src/', import.meta.url).href;
const PASSWORD = 'counting files';
const FUNCTION = `import { kind } from 'kind';
export default kind('city').module({ functions: {
  hello: kind('city').function({ description: 'Counts', run: async ({ units }) => (await units('city').list()).count }),
} });`;

/** In the process of the service: tells which files ran since it was asked last. */
async function observe() {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  process.on('message', async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const ran = result.filter(({ url, functions }) => url.startsWith(SRC) && functions.some(isCalled));
    process.send(ran.map(({ url }) => url.slice(SRC.length)));
  });
}

/** Not the module itself, which ran when it was loaded. */
function isCalled({ functionName, isBlockCoverage, ranges }) {
  return functionName !== '' || isBlockCoverage ? ranges[0].count > 0 : false;
}

async function main() {
  const folder = mkdtempSync(join(tmpdir(), 'kind-ways-'));
  mkdirSync(join(folder, 'functions'));
  writeFileSync(join(folder, 'functions/city.ts'), FUNCTION);
  const env = {
    ...process.env,
    PORT: '0',
    DATA_DIR: join(folder, 'data'),
    FUNCTIONS_DIR: join(folder, 'functions'),
    SHUTDOWN_IDLE: '0s',
    BOOTSTRAP_PROJECT: 'ways',
    BOOTSTRAP_ADMIN_PASSWORD: PASSWORD,
    WAYS: 'observe',
  };
  const flags = ['--import', './scripts/typescript.mjs', '--import', './scripts/ways.mjs', 'src/serve.ts'];
  const child = spawn(process.execPath, flags, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  try {
    await count(child, await urlOf(child), process.argv.includes('--list'));
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
    rmSync(folder, { recursive: true });
  }
}

async function urlOf(child) {
  let text = '';
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    text += chunk;
    const [, url] = /Service\s+(\S+)/.exec(text) ?? [];
    if (url && text.includes('Administrator')) return url;
  }
  throw new Error(`the service did not start: ${text}`);
}

async function count(child, url, list) {
  child.stdout.resume();
  const headers = { 'kind-project-key': 'ways', 'content-type': 'application/json' };
  const ask = async (method, path, body) => {
    const answer = await fetch(`${url}/api/lib${path}`, { method, headers, body: body && JSON.stringify(body) });
    const { content, messages } = await answer.json();
    if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(messages)}`);
    return content;
  };
  const ran = async () => {
    child.send('which');
    return (await once(child, 'message'))[0];
  };
  const { access_token: token } = await ask('POST', '/auth/signin', { username: 'admin', password: PASSWORD });
  headers.authorization = `Bearer ${token}`;
  const kind = (id) => ({ id, label: id, parameters: [{ id: 'name', kind_id: 'string', label: 'Name' }] });
  await ask('POST', '/kind/unit', kind('city'));
  const ids = [];
  for (const name of ['a', 'b', 'c']) ids.push((await ask('POST', '/city/unit', { name })).id);
  const csv = async () => {
    const type = { ...headers, 'content-type': 'text/csv' };
    const answer = await fetch(`${url}/api/lib/city/import`, { method: 'POST', headers: type, body: 'name\nx\ny\n' });
    if (!answer.ok) throw new Error(await answer.text());
  };
  const ways = {
    list: () => ask('GET', '/city/unit?filter=eq(name,a)&order=name'),
    create: () => ask('POST', '/city/unit', { name: 'd' }),
    import: csv,
    link: () => ask('POST', `/city/unit/${ids[0]}/link/link/city/unit/${ids[1]}`),
    call: () => ask('POST', '/city/function/hello'),
    definition: () => ask('POST', '/kind/unit', kind(`k${Date.now()}`)),
  };
  for (const [name, way] of Object.entries(ways)) {
    await ran();
    await way();
    const files = await ran();
    const folders = new Set(files.map((file) => file.split('/').slice(0, -1).join('/')));
    console.log(`${name}: ${files.length} files in ${folders.size} folders`);
    if (list)
      console.log(
        files
          .sort()
          .map((file) => `  ${file}`)
          .join('\n'),
      );
  }
}

if (process.env.WAYS === 'observe') await observe();
else await main();
