/** Redirects the address of the page with a trailing slash. */
import type { RequestHandler } from 'express';

const PAGE_PATH = '/api/lib/doc/swaggerui';

/** Redirects to the address without the slash, to which the links on the page are relative. */
export const redirectTrailingSlash: RequestHandler = (request, response, next) => {
  if (request.url !== `${PAGE_PATH}/` || request.method !== 'GET') return next();
  response.writeHead(308, { Location: '../swaggerui' });
  response.end();
};
