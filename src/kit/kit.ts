/**
 * What the authors of functions import from `kind`: declarations of functions, hooks and remote kinds, and the types of
 * what these are given. docs/functions.md is the guide. Pure: nothing here knows the service.
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
export * from './filter.js';
export * from './function-error.js';
export * from './module.js';
export * from './parameter.js';
export * from './remote.js';
export * from './units.js';
