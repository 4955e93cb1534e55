/** The names of headers of our own, in the lower case that Node.js gives them. */

/** The key of the project that a request is for. */
export const PROJECT_HEADER = 'kind-project-key';
