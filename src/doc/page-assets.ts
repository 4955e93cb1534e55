/** The files of the documentation page: named one by one, so that no name leads anywhere else. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { storedFile, type StoredFile } from './stored-file.js';

const SWAGGER_UI = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const PAGE = join(import.meta.dirname, 'page');

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

const FILES: ReadonlyMap<string, { readonly folder: string; readonly type: string }> = new Map([
  ['page.js', { folder: PAGE, type: SCRIPT }],
  ['page.css', { folder: PAGE, type: STYLE }],
  ['swagger-ui-bundle.js', { folder: SWAGGER_UI, type: SCRIPT }],
  ['swagger-ui.css', { folder: SWAGGER_UI, type: STYLE }],
]);

@Injectable()
export class PageAssets {
  /** Read once: they never change while the service runs. */
  readonly #read = new Map<string, Promise<StoredFile>>();

  page(): Promise<StoredFile> {
    return this.#load(PAGE, 'page.html', 'text/html; charset=utf-8');
  }

  async find(name: string): Promise<StoredFile | undefined> {
    const file = FILES.get(name);
    return file && this.#load(file.folder, name, file.type);
  }

  #load(folder: string, name: string, type: string): Promise<StoredFile> {
    const known = this.#read.get(name);
    if (known) return known;
    const loading = readFile(join(folder, name)).then((bytes) => storedFile(bytes, type));
    this.#read.set(name, loading);
    loading.catch(() => this.#read.delete(name));
    return loading;
  }
}
