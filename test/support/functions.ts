/** Function modules for a test file, in a folder that is removed afterwards. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { atEnd } from './at-end.js';
import { compiler } from '../../src/function/load/evaluator.js';
import { FunctionRegistry } from '../../src/function/load/module-registry.js';
import { SHARED_FUNCTIONS, sharedService, type TestService } from './service.js';

/** The compiler's process is kept for all files of a worker: it takes half a second to start. */
compiler.idleTime = 600_000;

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

/** The service of this worker, with the modules of a folder until the end of the test file. */
export async function sharedServiceWith(folder: FunctionsFolder): Promise<TestService> {
  const service = await sharedService();
  rmSync(SHARED_FUNCTIONS, { force: true });
  symlinkSync(folder.path, SHARED_FUNCTIONS);
  atEnd(() => {
    rmSync(SHARED_FUNCTIONS);
    return reload(service);
  });
  await reload(service);
  return service;
}
