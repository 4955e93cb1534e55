/** The address of the page, as people type it. */
import type { RequestHandler } from 'express';

const PAGE_PATH = '/api/lib/doc/swaggerui';

/** Leads from the page's address with a slash at its end to the one without, relative to which its parts are named. */
export const redirectTrailingSlash: RequestHandler = (request, response, next) => {
  if (request.url !== `${PAGE_PATH}/` || request.method !== 'GET') return next();
  response.writeHead(308, { Location: '../swaggerui' });
  response.end();
};
