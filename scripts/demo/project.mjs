// The project that the demo fills: an existing one whose password is given, or 'atlas', created with the command line.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DemoError } from './client.mjs';

const COMMAND_LINE = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const KEY = 'atlas';
/** Identifies the demo's project, so that it never deletes another project with the same key. */
const LABEL = 'Demo: countries and cities';

/** Returns project, username, password (and whether it was generated), and a sentence to print. */
export async function openProject(service, flags, { bootstrap }) {
  const project = flags.project ?? bootstrap.project;
  const username = flags.username ?? bootstrap.adminUsername;
  const password = flags.password ?? bootstrap.adminPassword;
  if (password !== undefined)
    return { project, username, password, note: `Using the project '${project}' at ${service.url}.` };
  if (flags.project !== undefined)
    throw new DemoError(`--project ${project} needs --password (or BOOTSTRAP_ADMIN_PASSWORD)`);
  const before = (await kind('list')).find(({ key }) => key === KEY);
  if (before && before.label !== LABEL) {
    throw new DemoError(`there is a project '${KEY}' that is not the demo's; name one with --project and --password`);
  }
  if (before) await kind('delete', KEY, '--yes');
  const { administrator } = await kind('create', KEY, '--label', LABEL);
  await checkServiceKnowsProject(service.url);
  const note = `The project '${KEY}' is ${before ? 'made anew' : 'made'} (npm run kind -- project create ${KEY}).`;
  return { project: KEY, ...administrator, generated: true, note };
}

async function kind(...argv) {
  const { stdout } = await promisify(execFile)(process.execPath, [COMMAND_LINE, 'project', ...argv, '--json']).catch(
    ({ stderr }) => {
      throw new DemoError(`kind project ${argv[0]}: ${stderr.trim().replace(/^error: /, '')}`);
    },
  );
  return JSON.parse(stdout);
}

/** Checks that the service knows the project: the command line uses this folder's database, the service may use another. */
async function checkServiceKnowsProject(url) {
  const response = await fetch(`${url}/api/lib/kind/unit?limit=0`, { headers: { 'kind-project-key': KEY } });
  const { messages } = await response.json();
  if (messages.some(({ code }) => code === 'project.unknown')) {
    await kind('delete', KEY, '--yes');
    throw new DemoError(
      `the service at ${url} has another database than this folder; name a project of it with --project and --password`,
    );
  }
}
