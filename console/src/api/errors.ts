/** An answer of the service other than success, and no answer: then its status is 0. */
export { KindError as ApiError } from '../../../packages/client/call.js';
