/** Function modules for a test file, in a folder that is removed afterwards. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { atEnd } from './at-end.js';
import { FunctionRegistry } from '../../src/function/load/module-registry.js';
import type { TestService } from './service.js';

export class FunctionsFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'kind-functions-'));

  constructor(files: Readonly<Record<string, string>> = {}) {
    for (const [name, text] of Object.entries(files)) this.write(name, text);
    atEnd(() => rmSync(this.path, { recursive: true, force: true }));
  }

  write(name: string, text: string): void {
    const file = join(this.path, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  remove(name: string): void {
    rmSync(join(this.path, name), { recursive: true, force: true });
  }
}

/** Loads what changed in the folder of a service. */
export function reload(service: TestService): Promise<void> {
  return service.service.app.get(FunctionRegistry).refresh();
}
