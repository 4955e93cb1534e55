/** The linter finds no fault in the document, for any caller. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { anonymous, asMember, defineKinds } from '../support/callers.js';
import { PLACE, THING } from '../support/every-type.js';
import { defineShownKinds } from '../support/shown-kinds.js';
import { sharedService } from '../support/service.js';
import { send } from '../support/wire.js';

const EVIL = '<script>x</script> <img src=x onerror=y> [x](javascript:alert(1)) & `*`';
const ODD = { id: 'odd', label: EVIL, parameters: [{ id: 'oddly', kind_id: 'text', helper_text: EVIL }] };
const service = await sharedService();
const project = await service.project();
await defineKinds(project, PLACE, { ...THING, public: true }, { id: 'constructor' }, { id: 'off', active: false }, ODD);
const member = await asMember(project);
const shown = await service.project();
await defineShownKinds(shown);

const ROOT = join(import.meta.dirname, '../..');
const REDOCLY = join(import.meta.dirname, 'node_modules/@redocly/cli/bin/cli.js');

/** What the linter finds; nothing where all is well. */
async function lint(files: readonly string[]): Promise<string> {
  const args = [REDOCLY, 'lint', '--config', join(ROOT, 'redocly.yaml'), '--format', 'stylish', ...files];
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  try {
    await promisify(execFile)(process.execPath, args, { cwd: ROOT, env });
    return '';
  } catch (error) {
    const { stdout, message } = error as Error & { stdout: string };
    return stdout || message;
  }
}

it('lints clean', { timeout: 60_000 }, async () => {
  const texts = {
    generic: (await send(project.service, { path: '/api/lib/doc/openapi.json' })).text,
    administrator: (await project.get('/doc/openapi.json')).text,
    member: (await member.get('/doc/openapi.json')).text,
    nobody: (await anonymous(project).get('/doc/openapi.json')).text,
    shown: (await shown.get('/doc/openapi.json')).text,
  };
  const folder = await mkdtemp(join(tmpdir(), 'kind-lint-'));
  try {
    const files = Object.entries(texts).map(([name, text]) => [join(folder, `${name}.json`), text] as const);
    for (const [file, text] of files) await writeFile(file, text);
    expect(await lint(files.map(([file]) => file))).toBe('');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
