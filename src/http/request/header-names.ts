/** Names of our own headers, in lower case as in Node.js. */

/** The header with the key of the project. */
export const PROJECT_HEADER = 'kind-project-key';
