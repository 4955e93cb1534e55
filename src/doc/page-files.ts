/** The files of the documentation page. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { SCRIPT, STYLE, StoredFiles } from '../http/answer/static-file.js';

const SWAGGER_UI = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const PAGE_FOLDER = join(import.meta.dirname, 'page');

export const pageFiles = new StoredFiles({ 'page.html': { folder: PAGE_FOLDER, type: 'text/html; charset=utf-8' } });

export const assetFiles = new StoredFiles({
  'page.js': { folder: PAGE_FOLDER, type: SCRIPT },
  'page.css': { folder: PAGE_FOLDER, type: STYLE },
  'swagger-ui-bundle.js': { folder: SWAGGER_UI, type: SCRIPT },
  'swagger-ui.css': { folder: SWAGGER_UI, type: STYLE },
});
