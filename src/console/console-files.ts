/** The files of the console, which `scripts/console.mjs` builds. They may appear, or change, while the service runs. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { SCRIPT, StoredFiles, STYLE } from '../http/answer/static-file.js';

const FOLDER = join(import.meta.dirname, '../../console');

const TYPES: Readonly<Record<string, string>> = {
  '.js': SCRIPT,
  '.css': STYLE,
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** `building`: the page will be there within seconds. `missing`: nobody builds it. */
type ConsolePage = { readonly html: string } | 'building' | 'missing';

export class ConsoleFiles {
  #assets = new StoredFiles({});
  #builtAt = 0;

  /** @param folder with `dist/`, and the file `.building` with the id of the process that builds it */
  constructor(private readonly folder = FOLDER) {}

  async page(): Promise<ConsolePage> {
    try {
      return { html: await readFile(join(this.folder, 'dist', 'index.html'), 'utf8') };
    } catch {
      return (await this.#isBuilding()) ? 'building' : 'missing';
    }
  }

  /** The scripts and styles of the page, of the build that is there now. */
  async assets(): Promise<StoredFiles<string>> {
    const dist = join(this.folder, 'dist');
    const { mtimeMs } = await stat(dist).catch(() => ({ mtimeMs: 0 }));
    if (mtimeMs !== this.#builtAt) {
      const folder = join(dist, 'assets');
      const names = mtimeMs === 0 ? [] : await readdir(folder);
      const files = names.flatMap((name) => {
        const type = TYPES[extname(name)];
        return type === undefined ? [] : [[name, { folder, type }] as const];
      });
      this.#assets = new StoredFiles(Object.fromEntries(files));
      this.#builtAt = mtimeMs;
    }
    return this.#assets;
  }

  async #isBuilding(): Promise<boolean> {
    const text = await readFile(join(this.folder, '.building'), 'utf8').catch(() => '');
    const pid = Number.parseInt(text, 10);
    return pid > 0 && isAlive(pid);
  }
}

/** Whether there is a process, though it may be another account's. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** What is shown while the console is not there. Without styles, which the policy of the page does not allow. */

export function buildingPage(): string {
  return page('The console is being built', 'It takes some seconds. This page shows it as soon as it is there.');
}

export function missingPage(): string {
  return page('The console is not built here', '<code>npm start</code> and <code>npm run build</code> build it.');
}

function page(title: string, text: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title}</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <main>
      <h1>${title}</h1>
      <p role="status">${text}</p>
    </main>
  </body>
</html>
`;
}
