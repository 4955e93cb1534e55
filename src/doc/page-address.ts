/** The address of the page, as people type it. */
import type { RequestHandler } from 'express';

const PAGE = '/api/lib/doc/swaggerui';

/** Leads from the page's address with a slash at its end to the one without, relative to which its parts are named. */
export const withoutSlash: RequestHandler = (request, response, next) => {
  if (request.url !== `${PAGE}/` || request.method !== 'GET') return next();
  response.writeHead(308, { Location: '../swaggerui' });
  response.end();
};
