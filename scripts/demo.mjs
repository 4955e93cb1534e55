// `npm run demo`: applies a model of countries and cities, imports the data of two npm packages through the REST API (two imports),
// and runs a short tour of queries.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureBuild } from './build.mjs';
import { Client, DemoError } from './demo/client.mjs';
import { cityRows, countryRows, LINKED_CITIES, linkPaths } from './demo/data.mjs';
import { importUnits, makeLinks } from './demo/import.mjs';
import { findService, residentMegabytes, startService } from './demo/service.mjs';
import { openProject } from './demo/project.mjs';
import { tour } from './demo/tour.mjs';

const HELP = `Usage: npm run demo [-- options]

Uses the service that runs at KIND_URL, or at HOST and PORT, or else starts one for the time of the demo.
Without a password it makes the project 'atlas' anew, beside the others; with one it signs in and
replaces the kinds 'city' and 'country' of a project that is there.

  --url <address>      default: KIND_URL
  --project <key>      default: BOOTSTRAP_PROJECT
  --username <name>    default: BOOTSTRAP_ADMIN_USERNAME
  --password <text>    default: BOOTSTRAP_ADMIN_PASSWORD
`;

const OPTIONS = {
  url: { type: 'string' },
  project: { type: 'string' },
  username: { type: 'string' },
  password: { type: 'string' },
  help: { type: 'boolean' },
};

const MODEL = new URL('demo/model.yaml', import.meta.url);
/** Stands in the metadata of what the demo defines, so that it never deletes another's. */
const MARK = 'countries and cities';

const say = (text = '') => process.stdout.write(`${text}\n`);

async function main() {
  const flags = readFlags();
  if (flags.help) return say(HELP);
  await ensureBuild();
  const { loadConfig } = await import('../dist/config/config.js');
  const config = loadConfig();
  const url = flags.url ?? process.env.KIND_URL;
  const service = (await findService(url, config)) ?? (await startService(say));
  onSignals(service);
  try {
    await demonstrate(service, await openProject(service, flags, config));
  } finally {
    await service.stop();
  }
}

async function demonstrate(service, opened) {
  const { project, username, password, note } = opened;
  const client = await Client.signIn(service.url, { project, username, password });
  say(`\n  ${note}\n`);
  await define(client);
  const started = performance.now();
  const countries = countryRows();
  const cities = cityRows();
  await importUnits(client, 'country', countries);
  await importUnits(client, 'city', cities);
  const seconds = (performance.now() - started) / 1000;
  const rows = countries.length + cities.length;
  say(
    `\n  ${rows.toLocaleString('en')} units in ${seconds.toFixed(1)} s: ${Math.round(rows / seconds).toLocaleString('en')} a second.`,
  );
  const resident = await residentMegabytes(service.url);
  if (resident !== undefined) say(`  Memory of the service: ${resident} MB.`);
  await link(client);
  await tour(client, say);
  say(farewell(service, opened));
}

/** Deletes the kinds of an earlier run (the referring one first), and applies the model. */
async function define(client) {
  for (const path of ['/link/unit/borders', '/link/unit/has_city', '/kind/unit/city', '/kind/unit/country']) {
    const existing = await client.find(path);
    if (!existing) continue;
    const [, type, , id] = path.split('/');
    if (existing.metadata.demo !== MARK)
      throw new DemoError(`the project has a ${type} '${id}' that is not the demo's`);
    await client.call('DELETE', `${path}?cascade=true`);
    say(`  The ${type} '${id}' of an earlier run is deleted.`);
  }
  const { steps } = await client.upload('/model/apply', 'application/yaml', readFileSync(MODEL));
  say(`  The model of ${relative('.', fileURLToPath(MODEL))} is applied: ${steps.length} steps.\n`);
}

/** Links countries with their neighbours and their cities. */
async function link(client) {
  const paths = linkPaths(await client.all(encodeURI(LINKED_CITIES)));
  const started = performance.now();
  await makeLinks(client, paths);
  const seconds = (performance.now() - started) / 1000;
  const rate = Math.round(paths.length / seconds).toLocaleString('en');
  say(`\n  ${paths.length.toLocaleString('en')} links in ${seconds.toFixed(1)} s, one request each: ${rate} a second.`);
}

function farewell({ url, started }, { project, username, password, generated }) {
  const address = started ? 'http://127.0.0.1:3000' : url;
  return [
    '\n  Have a look yourself:\n',
    ...(started ? ['    npm start'] : []),
    `    curl -gs '${address}/api/lib/city/unit?filter=startswith(name,San)&order=population;desc&limit=3' -H 'kind-project-key: ${project}'`,
    `    in a browser: ${address}/console/?project=${project}`,
    '',
    `  Project key ${project}, administrator ${username}${generated ? `, password ${password} (shown this one time)` : ''}`,
    `  Reading cities and countries needs no token; everything else does.`,
    '',
  ].join('\n');
}

function readFlags() {
  try {
    return parseArgs({ options: OPTIONS }).values;
  } catch (error) {
    process.stderr.write(`error: ${error.message.split('\n')[0]}\n`);
    process.exit(2);
  }
}

/** Stops the service on a signal, if the demo started it. */
function onSignals(service) {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.once(signal, () => void service.stop().finally(() => process.exit(1)));
  }
}

// If the output is closed early (`| head`), continue, so that the service is stopped at the end.
process.stdout.on('error', () => undefined);

main().catch((error) => {
  const expected = error instanceof DemoError || error?.name === 'ConfigError';
  process.stderr.write(`error: ${expected ? error.message : (error.stack ?? error)}\n`);
  process.exit(1);
});
