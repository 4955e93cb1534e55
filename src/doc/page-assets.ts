/** The files of the documentation page. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { SCRIPT, STYLE, StoredFiles } from '../http/answer/stored-file.js';

const SWAGGER_UI = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const PAGE = join(import.meta.dirname, 'page');

export const page = new StoredFiles({ 'page.html': { folder: PAGE, type: 'text/html; charset=utf-8' } });

export const assets = new StoredFiles({
  'page.js': { folder: PAGE, type: SCRIPT },
  'page.css': { folder: PAGE, type: STYLE },
  'swagger-ui-bundle.js': { folder: SWAGGER_UI, type: SCRIPT },
  'swagger-ui.css': { folder: SWAGGER_UI, type: STYLE },
});
