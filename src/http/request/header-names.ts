/** The names of the headers that the service defines, in lower case as in Node.js. */

/** The key of the project. */
export const PROJECT_HEADER = 'kind-project-key';

/** The id of the request, for the logs. */
export const REQUEST_ID_HEADER = 'x-request-id';
