/**
 * The package `kind`, which modules in `functions/` import: declarations of functions, hooks and remote kinds, and the
 * types of their arguments. The guide is docs/functions.md. Nothing here depends on the service.
 *
 * @example
 * import { kind } from 'kind';
 * const city = kind('city');
 *
 * export default city.module({
 *   functions: {
 *     hello: city.function({
 *       description: 'Says hello',
 *       parameters: { name: { type: 'string', required: true, max_length: 100 } },
 *       run: ({ parameters }) => `Hello ${parameters.name}`,
 *     }),
 *   },
 * });
 */
export * from './context.js';
export * from './files.js';
export * from './function-error.js';
export * from './kinds.js';
export * from './module.js';
export * from './parameter.js';
export * from './units.js';
