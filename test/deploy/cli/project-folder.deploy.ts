/** A whole project as a folder: what was exported comes back as it was, and what does not fit is refused as a whole. */
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../../src/cli/run.js';
import { loadConfig } from '../../../src/config/config.js';
import { BUILT_IN_KINDS } from '../../../src/model/built-in/built-in.js';
import { atEnd } from '../../support/at-end.js';
import { asAdministrator } from '../../support/callers.js';
import { expectNoDrift, ok, query } from '../../support/definitions.js';
import { ownDatabase, startServiceOn, urlOf } from '../../support/own-database.js';
import { ADMIN, TestProject } from '../../support/service.js';
import { VERIFIES_SINCE, wholeProject } from '../../support/whole-project.js';

const connection = await ownDatabase();
const folder = mkdtempSync(join(tmpdir(), 'kind-folders-'));
atEnd(() => rmSync(folder, { recursive: true, force: true }));
const config = loadConfig({ DATABASE_URL: urlOf(connection), LOG_LEVEL: 'fatal', DATA_DIR: folder }, folder);
const service = await startServiceOn(connection, { files: config.files });

async function kind(...argv: string[]) {
  let out = '';
  let err = '';
  const code = await runCommandLine(argv, { out: (text) => (out += text), err: (text) => (err += text) }, () => config);
  return { code, out, err };
}

const path = (name: string) => join(folder, name);

/** The files of a folder by their path. */
function filesOf(name: string): Map<string, string> {
  const entries = readdirSync(path(name), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.sort().map((file) => [relative(path(name), file), readFileSync(file, 'utf8')]));
}

/** An empty project, as the command makes it. */
async function emptyProject(id: string, ...more: string[]): Promise<TestProject> {
  const made = await kind('project', 'create', id, '--admin-password', 'correct horse 2', ...more);
  expect(made).toMatchObject({ code: 0, err: '' });
  return new TestProject(service.service, id, undefined);
}

const source = await wholeProject(await service.project());
const administrator = await asAdministrator(source);
await ok(administrator.post('/api_key/unit', { label: 'robot' }));

describe('an export and its import', () => {
  it('have the contents of files, and files make a project one that is not empty', async () => {
    const project = await service.project('filed');
    const file = { name: 'a.txt', content: Buffer.from('content').toString('base64') };
    const { id } = (await ok(project.post('/file/unit', file))) as { id: string };
    expect(await kind('export', 'filed', path('filed'))).toMatchObject({ code: 0, err: '' });
    expect(readFileSync(path(`filed/files/${id}`), 'utf8')).toBe('content');
    const copy = await emptyProject('refiled');
    expect(await kind('import', 'refiled', path('filed'))).toMatchObject({ code: 0, err: '' });
    expect((await (await asAdministrator(copy)).get(`/file/unit/${id}/content`)).text).toBe('content');
    const again = await kind('import', 'refiled', path('filed'));
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('it has files')]);
  });

  it('bring a project back as it was', async () => {
    expect(await kind('export', source.id, path('first'))).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(/^6 kinds, \d+ units and 3 links to .*\nPasswords are not in it: members get a new/),
    });
    const copy = await emptyProject('copy', '--admin-username', ADMIN.username, '--admin-email', ADMIN.email);
    expect(await kind('import', 'copy', path('first'))).toMatchObject({ code: 0, err: '' });
    expect(await kind('export', 'copy', path('second'))).toMatchObject({ code: 0, err: '' });
    const [first, second] = [filesOf('first'), filesOf('second')];
    expect([...second.keys()]).toEqual([...first.keys()]);
    const { manifest, ...other } = { manifest: 'manifest.json', ...Object.fromEntries(second) };
    for (const [name, text] of Object.entries(other)) {
      if (name !== manifest) expect(text, name).toBe(first.get(name));
    }
    const [before, after] = [first, second].map((each) => JSON.parse(each.get(manifest) ?? '') as { project: object });
    const differing = { exported_at: expect.any(String), sha256: expect.any(String) };
    const own = { id: 'copy', settings: { otp: true, units: 5000, background: false }, verifies_since: VERIFIES_SINCE };
    expect(after).toEqual({ ...before, ...differing, project: { ...before?.project, ...own } });
    await expectNoDrift(copy);
  });

  it('bring back what REST shows, numbers of units included', async () => {
    const copy = await asAdministrator(new TestProject(service.service, 'copy', undefined));
    for (const list of [
      '/kind/unit',
      '/group/unit',
      '/link/unit',
      '/group/parameter/unit',
      '/thing/unit',
      '/player/unit',
      '/person/unit',
    ])
      expect((await copy.get(`${list}?limit=1000`)).body, list).toEqual(
        (await administrator.get(`${list}?limit=1000`)).body,
      );
    const walked = '/player/unit/2/link/parent?load_links=true';
    expect((await copy.get(walked)).body).toEqual((await administrator.get(walked)).body);
    expect((await copy.post('/team/unit', { code: 'c', rank: 1 })).body.messages).toMatchObject([
      { code: 'parameter.not_unique' },
    ]);
    expect((await copy.delete('/place/unit/nothing')).status).toBe(404);
  });

  it('leave the administrator of the project his password, and the members none', async () => {
    const hashes = await query<{ username: string; known: boolean }>(
      new TestProject(service.service, 'copy', undefined),
      'SELECT username, password_hash IS NOT NULL AS known FROM $schema.kind_system_user ORDER BY username',
    );
    expect(hashes).toEqual([
      { username: 'admin', known: true },
      { username: 'ann', known: false },
      { username: 'bob', known: false },
    ]);
  });

  it('take passwords along where that is asked for', async () => {
    expect(await kind('export', source.id, path('with'), '--passwords')).toMatchObject({ code: 0 });
    expect(filesOf('with').get('kinds/kind_system_user.ndjson')).toContain('password_hash');
    expect(filesOf('with').get('kinds/api_key.ndjson')).toMatch(/^\{.*"secret_hash":".*\}\n$/);
    expect(filesOf('first').has('kinds/api_key.ndjson')).toBe(false);
    expect(statSync(path('with/kinds/kind_system_user.ndjson')).mode & 0o077).toBe(0);
    const copy = await emptyProject('copy-with', '--admin-username', 'root', '--admin-email', 'root@example.com');
    expect(await kind('import', 'copy-with', path('with'))).toMatchObject({ code: 0, err: '' });
    await kind('project', 'set', 'copy-with', 'otp=off');
    const signIn = (username: string, password: string) => copy.post('/auth/signin', { username, password });
    expect((await signIn('ann', 'secret of ann')).status).toBe(200);
    expect((await signIn('root', 'correct horse 2')).status).toBe(200);
    expect((await signIn(ADMIN.username, ADMIN.password)).status).toBe(200);
    const keys = 'SELECT label FROM $schema.api_key';
    expect(await query(copy, keys)).toEqual([{ label: 'robot' }]);
    const { out } = await kind('project', 'show', 'copy-with', '--json');
    expect(JSON.parse(out)).toMatchObject({ units: 5000, access_default: 'closed', label: 'The "whole"' });
  });
});

describe('an import is refused in a line, and leaves the project empty', () => {
  const REFUSED = 'refused';
  const isEmpty = async () => {
    const [row] = await query<{ tables: number; admins: number; label: string }>(
      new TestProject(service.service, REFUSED, undefined),
      `SELECT (SELECT count(*)::int FROM pg_tables WHERE schemaname = 'project_refused' AND tablename !~ '^_' AND tablename <> ALL ($1)) AS tables,
        (SELECT count(*)::int FROM $schema.kind_admin) AS admins,
        (SELECT label FROM kind.project WHERE id = 'refused') AS label`,
      [BUILT_IN_KINDS.map(({ id }) => id)],
    );
    return row;
  };

  /** Writes a manifest for what the files are now, as an export would have. */
  function seal(name: string, change: (manifest: Record<string, unknown>) => object = (each) => each): void {
    const file = join(path(name), 'manifest.json');
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    delete manifest['sha256'];
    const files = (manifest['files'] as { path: string }[]).map((each) => {
      const bytes = readFileSync(join(path(name), each.path));
      const records = bytes.toString().split('\n').length - 1;
      return {
        path: each.path,
        records,
        bytes: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
      };
    });
    const changed = change({ ...manifest, files });
    const sorted = Object.entries(changed).sort(([a], [b]) => (a < b ? -1 : 1));
    const sha256 = createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
    writeFileSync(file, JSON.stringify({ ...changed, sha256 }));
  }

  const edited = (name: string, file: string, change: (text: string) => string): void => {
    const at = join(path(name), file);
    writeFileSync(at, change(readFileSync(at, 'utf8')));
  };

  it.each<[string, (name: string) => void, RegExp]>([
    [
      'without a manifest',
      (name) => rmSync(join(path(name), 'manifest.json')),
      /has no manifest\.json, so it is no export .* cut off/,
    ],
    [
      'that is a file, whose kind is missing',
      (name) => {
        rmSync(path(name), { recursive: true });
        writeFileSync(path(name), 'id,title');
      },
      /is a file: name the kind of its units before it$/m,
    ],
    [
      'with a manifest that is none',
      (name) => writeFileSync(join(path(name), 'manifest.json'), '{}'),
      /not the manifest of an exported project/,
    ],
    [
      'with an edited manifest',
      (name) => edited(name, 'manifest.json', (text) => text.replace('"otp": true', '"otp": false')),
      /manifest\.json was altered/,
    ],
    [
      'of a newer format',
      (name) => seal(name, (each) => ({ ...each, version: 2, release: '9.0.0' })),
      /release 9\.0\.0, which is newer/,
    ],
    [
      'of a newer release',
      (name) => seal(name, (each) => ({ ...each, built_in: 1000 })),
      /which is newer than this one/,
    ],
    [
      'with a missing file',
      (name) => rmSync(join(path(name), 'kinds/thing.ndjson')),
      /kinds\/thing\.ndjson is missing/,
    ],
    [
      'with a file that was cut off',
      (name) => truncateSync(join(path(name), 'kinds/thing.ndjson'), 1000),
      /kinds\/thing\.ndjson was cut off: it has 1000 bytes of \d+/,
    ],
    [
      'with an altered file',
      (name) => edited(name, 'kinds/player.ndjson', (text) => text.replace('"x"', '"y"')),
      /kinds\/player\.ndjson was altered/,
    ],
    [
      'with a file that became longer',
      (name) => appendFileSync(join(path(name), 'links/plays.ndjson'), '{}\n'),
      /links\/plays\.ndjson was altered/,
    ],
    [
      'with a reference that leads nowhere',
      (name) => {
        edited(name, 'kinds/player.ndjson', (text) => text.replace('"friend":"2"', '"friend":"3"'));
        seal(name);
      },
      /cannot be stored: .*foreign key/,
    ],
    [
      'with a value of another type',
      (name) => {
        edited(name, 'kinds/team.ndjson', (text) => text.replace('"xmin":7', '"xmin":"seven"'));
        seal(name);
      },
      /kinds\/team\.ndjson cannot be stored: .*seven/,
    ],
    [
      'with a path that leads out of the folder',
      (name) =>
        seal(name, (each) => ({ ...each, files: [{ path: '../../etc/passwd', records: 0, bytes: 0, sha256: '' }] })),
      /names a file that no export has/,
    ],
    [
      'with a reference to credentials, which rules could read',
      (name) => {
        edited(name, 'definitions/unit.ndjson', (text) =>
          text.replace(/("reference_kind":)"[^"]*"/, '$1"kind_system_user"'),
        );
        seal(name);
      },
      /reference_kind: 'kind_system_user' is built in/,
    ],
    [
      'with a symbolic link to a file of the host',
      (name) => {
        rmSync(join(path(name), 'kinds/thing.ndjson'));
        symlinkSync(join(path('first'), 'kinds/thing.ndjson'), join(path(name), 'kinds/thing.ndjson'));
      },
      /kinds\/thing\.ndjson is a symbolic link, or behind one/,
    ],
    [
      'with a symbolic link to a folder of the host',
      (name) => {
        rmSync(join(path(name), 'links'), { recursive: true });
        symlinkSync(join(path('first'), 'links'), join(path(name), 'links'));
      },
      /links\/\w+\.ndjson is a symbolic link, or behind one/,
    ],
    [
      'with a file of no kind',
      (name) => {
        cpSync(join(path(name), 'kinds/team.ndjson'), join(path(name), 'kinds/other.ndjson'));
        edited(name, 'manifest.json', (text) => text.replace('"files": [', '"files": [{"path":"kinds/other.ndjson"},'));
        seal(name);
      },
      /kinds\/other\.ndjson belongs to no kind/,
    ],
  ])('%s', async (_, spoil, text) => {
    const name = `spoilt-${createHash('sha256').update(text.source).digest('hex').slice(0, 8)}`;
    cpSync(path('first'), path(name), { recursive: true });
    if (!(await kind('project', 'show', REFUSED)).out.includes(REFUSED)) await emptyProject(REFUSED);
    const before = await isEmpty();
    spoil(name);
    const { code, out, err } = await kind('import', REFUSED, path(name));
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(text);
    expect(err.trim().split('\n')).toHaveLength(1);
    expect(await isEmpty()).toEqual(before);
    expect(before).toEqual({ tables: 0, admins: 1, label: REFUSED });
  });

  it('into a project that is not empty, or not there', async () => {
    expect(await kind('import', source.id, path('first'))).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/is not empty: it has the kind 'person' and \d+ other definitions/),
    });
    expect((await kind('import', 'nowhere', path('first'))).err).toBe("error: No project 'nowhere'\n");
    expect((await kind('import', REFUSED, path('nothing'))).err).toContain('has no manifest.json');
  });

  it('where the name of the administrator belongs to another member', async () => {
    await emptyProject('named', '--admin-username', 'ANN', '--admin-email', 'other@example.com');
    expect((await kind('import', 'named', path('first'))).err).toMatch(
      /the administrator 'ANN' has the name or the e-mail/,
    );
  });
});

describe('an export is refused', () => {
  it('into a folder that is not empty', async () => {
    expect(await kind('export', source.id, path('first'))).toMatchObject({
      code: 1,
      err: expect.stringContaining('is not empty'),
    });
    expect(filesOf('first').has('manifest.json')).toBe(true);
  });

  it('of a project that is not there', async () => {
    expect(await kind('export', 'nowhere', path('none'))).toMatchObject({
      code: 1,
      err: "error: No project 'nowhere'\n",
    });
  });

  it('with options of one kind, as wrong usage', async () => {
    expect(await kind('export', source.id, path('none'), '--filter', 'all()')).toMatchObject({ code: 2 });
    expect((await kind('export', source.id, path('none'), '--safe')).err).toBe(
      'error: --safe is for the export of one kind\n',
    );
    expect((await kind('export', source.id, 'team', path('none.csv'), '--passwords')).code).toBe(2);
    expect((await kind('import', 'copy', path('first'), '--on-conflict', 'update')).code).toBe(2);
    expect((await kind('export', source.id)).code).toBe(2);
  });
});

it('prints JSON', async () => {
  const { out } = await kind('export', source.id, path('json'), '--json');
  expect(JSON.parse(out)).toMatchObject({ folder: path('json'), kinds: 6, links: 3, members: 3, passwords: false });
});
