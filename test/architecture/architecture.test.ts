/** The rules of the architecture: layers, file sizes, and which folders may use the environment and PostgreSQL. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERRORS } from '../../src/shared/errors.js';

const ROOT = join(import.meta.dirname, '../..');
/** What a build puts into one folder. */
const SOURCES = ['src', 'packages'].map((name) => join(ROOT, name));
/** Lines of a file; what is longer does more than one thing. */
const LONGEST = 500;

interface Source {
  readonly path: string;
  readonly text: string;
  /** The text without comments, whose words promise nothing. */
  readonly code: string;
}

const sources: readonly Source[] = SOURCES.flatMap((folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => ({ folder, entry })),
)
  .filter(({ entry }) => entry.isFile() && entry.name.endsWith('.ts'))
  .map(({ folder, entry }) => {
    const path = join(entry.parentPath, entry.name);
    const text = readFileSync(path, 'utf8');
    return {
      path: relative(folder, path),
      text,
      code: text.replace(/\/\*[^]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, ''),
    };
  });

const DECLARED = /^export (?:abstract )?(?:async )?(?:function\*?|class|const|interface|type) (\w+)/gm;
const exported = sources.flatMap(({ path, code }) =>
  [...code.matchAll(DECLARED)].map(([, name = '']) => ({ path, name })),
);

const where = (rule: RegExp, allowed: RegExp): string[] =>
  sources.filter(({ path, code }) => rule.test(code) && !allowed.test(path)).map(({ path }) => path);

// `npm run lint` checks that the layers are respected.
describe('layers', () => {
  it('include every folder', () => {
    const rules = readFileSync(join(ROOT, '.dependency-cruiser.cjs'), 'utf8');
    const folders = new Set(sources.flatMap(({ path }) => (path.includes('/') ? [path.split('/')[0] ?? ''] : [])));
    for (const folder of folders) expect(rules, folder).toContain(`'${folder}'`);
  });
});

describe('files of the console', () => {
  const console = join(ROOT, 'console/src');
  const files = readdirSync(console, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));

  it('were found', () => expect(files.length).toBeGreaterThan(100));

  it(`have no more than ${LONGEST} lines`, () => {
    const long = files.filter((path) => readFileSync(path, 'utf8').split('\n').length > LONGEST + 1);
    expect(long.map((path) => relative(console, path))).toEqual([]);
  });
});

describe('files', () => {
  it('were found', () => expect(sources.length).toBeGreaterThan(100));

  it(`have no more than ${LONGEST} lines`, () => {
    expect(sources.filter(({ text }) => text.split('\n').length > LONGEST + 1).map(({ path }) => path)).toEqual([]);
  });

  it('of the runner are short together, and know no kind, link or function', () => {
    const runner = sources.filter(({ path }) => path.startsWith('run/'));
    expect(runner.reduce((lines, { text }) => lines + text.split('\n').length - 1, 0)).toBeLessThanOrEqual(600);
    expect(runner.filter(({ code }) => /from '\.\.\/(unit|link|function|kind|group)\//.test(code))).toEqual([]);
  });

  it('are named in kebab-case, with a role', () => {
    expect(
      sources.map(({ path }) => path).filter((path) => !/^([a-z0-9-]+\/)*[a-z0-9-]+(\.[a-z-]+)*\.ts$/.test(path)),
    ).toEqual([]);
  });

  it('export a name once in a folder', () => {
    const twice = exported.filter(({ path, name }, at) =>
      exported.slice(0, at).some((other) => other.name === name && dirname(other.path) === dirname(path)),
    );
    expect(exported.length).toBeGreaterThan(1000);
    expect(twice).toEqual([]);
  });

  it('export what another file uses, except what function modules import', () => {
    const others = ['test', 'console/src', 'console/test', 'bench', 'scripts'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.(tsx?|mjs)$/.test(name) && !name.includes('node_modules'))
        .map((name) => readFileSync(join(ROOT, folder, name), 'utf8')),
    );
    const uses = new Map<string, number>();
    for (const text of [...sources.map(({ code }) => code), ...others]) {
      for (const word of new Set(text.match(/[A-Za-z_$][\w$]*/g))) uses.set(word, (uses.get(word) ?? 0) + 1);
    }
    const unused = exported.filter(({ path, name }) => !path.startsWith('kit/') && (uses.get(name) ?? 0) < 2);
    expect(unused).toEqual([]);
  });

  it('read the environment in config alone', () => {
    expect(where(/process\s*(\.|\[\s*['"])\s*env\b/, /^config\//)).toEqual([]);
  });

  it('reach PostgreSQL through database alone', () => {
    expect(
      where(
        /from '(pg|typeorm)'/,
        /^(database\/|embedded-postgres\/|catalog\/provisioning\.ts$|platform\.module\.ts$|tenancy\/project-store\.ts$)/,
      ),
    ).toEqual([]);
  });

  it('make SQL text in sql alone', () => {
    expect(
      where(
        /\b(SELECT\s.+\sFROM|INSERT\s+INTO|UPDATE\s+\S+\s+SET|DELETE\s+FROM|CREATE\s+TABLE|ALTER\s+TABLE|DROP\s+(TABLE|SCHEMA))\b/,
        /^(sql|database\/migrations|embedded-postgres)\//,
      ),
    ).toEqual([]);
  });

  it('have no `any`, default exports or leftovers', () => {
    expect(where(/\bas any\b|: any\b|<any>/, /^$/)).toEqual([]);
    expect(where(/export default/, /^$/)).toEqual([]);
    expect(where(/console\.(log|error|warn)/, /^cli\//)).toEqual([]);
    expect(sources.filter(({ text }) => /\b(TODO|FIXME|XXX)\b/.test(text)).map(({ path }) => path)).toEqual([]);
    expect(where(/@ts-(ignore|nocheck)/, /^$/)).toEqual([]);
  });

  it('compare no name of a parameter type: what differs between types stands on the types', () => {
    const compared = /(\btype\.id|\bdef\.type|\bkey\.id)\s*[!=]==|\]\.includes\((\w+\.)*(type\.id|def\.type)\)/;
    expect(where(compared, /^$/)).toEqual([]);
  });

  it('name no kind in the engine: special kinds have behaviors', () => {
    const names = ['kind', 'group', 'link', 'parameter', 'kind_admin', 'kind_auth_member', 'kind_system_user'].join(
      '|',
    );
    const [compared, got, opened, key] = [
      `[!=]==\\s*['"](${names})['"]`,
      `\\.(?:get|has)\\(\\s*['"](${names})['"]`,
      `openKind\\(\\w+,\\s*['"](${names})['"]`,
      `\\b(${names}):\\s*['"]\\w+\\.`,
    ];
    const special = new RegExp([compared, got, opened, key].join('|'));
    for (const bad of [
      "kind.id === 'kind'",
      ".get('kind_admin')",
      "openKind(model, 'group', ",
      "{ link: 'link.exists' }",
    ])
      expect(bad).toMatch(special);
    const engine = sources.filter(({ path }) => /^(unit|access)\//.test(path));
    expect(engine.filter(({ code }) => special.test(code)).map(({ path }) => path)).toEqual([]);
  });

  it('refer to no numbered sections except those of standards', () => {
    const lines = sources.flatMap(({ path, text }) => text.split('\n').map((line) => `${path}: ${line.trim()}`));
    expect(lines.filter((line) => /\bsections? \d/i.test(line) && !line.includes('RFC'))).toEqual([]);
  });

  it('raise every error of the catalogue', () => {
    const raised = (code: string) =>
      where(new RegExp(`'${code.replace('.', '\\.')}'`), /^shared\/(definition-)?error-codes\.ts$/).length > 0;
    expect(Object.keys(ERRORS).filter((code) => !raised(code))).toEqual([]);
  });

  it('spell the names of special kinds once', () => {
    expect(where(/['"`](kind_admin|kind_system_user)\b/, /^model\/built-in-traits\.ts$/)).toEqual([]);
  });

  it('use Maps instead of plain objects for lookups by name', () => {
    expect(where(/for \(const \w+ in /, /^$/)).toEqual([]);
    expect(where(/\b__proto__\b|\.prototype\s*\[/, /^$/)).toEqual([]);
  });
});
