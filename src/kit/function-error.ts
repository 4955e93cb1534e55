/** The error by which functions and hooks reject a request. */

const CODE = /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$/;

/**
 * Rejects the request from a function or a hook. The response has this status, and one message with this code and text.
 * Everything that the call has written is rolled back. Any other error is logged, and the response is a 500 without
 * details.
 *
 * @example throw new FunctionError(409, 'order.closed', 'The order is closed');
 */
export class FunctionError extends Error {
  override readonly name = 'FunctionError';
  /** Set by the service: the position of the unit in a bulk write, if a hook has thrown the error. */
  declare readonly index?: number;
  /** Set by the service: the id of the unit in a write by filter, if a hook has thrown the error. */
  declare readonly unit?: string;

  /**
   * @param status an HTTP status from 400 to 599
   * @param code `area.reason` in lower case, for programs; a part of your API
   * @param text a sentence for people
   * @param parameter the parameter that caused the error, if there is one
   */
  constructor(
    readonly status: number,
    readonly code: string,
    readonly text: string,
    readonly parameter?: string,
  ) {
    super(`${code}: ${text}`);
    if (!Number.isInteger(status) || status < 400 || status > 599) {
      throw new TypeError(`FunctionError: the status must be a whole number from 400 to 599, got ${String(status)}`);
    }
    if (typeof code !== 'string' || !CODE.test(code)) {
      throw new TypeError(`FunctionError: the code must look like 'area.reason', got '${String(code)}'`);
    }
    if (typeof text !== 'string' || text === '') throw new TypeError('FunctionError: the text must not be empty');
    if (parameter !== undefined && typeof parameter !== 'string') {
      throw new TypeError(`FunctionError: the parameter must be a name, got ${typeof parameter}`);
    }
  }
}
