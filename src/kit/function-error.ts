/** How a function or a hook refuses: the answer has this status, and one message with this code and text. */

const CODE = /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$/;

/**
 * Throw it in a function or a hook; everything that the call wrote is rolled back. Any other error is logged and
 * answered as a 500 that tells nothing.
 *
 * @example throw new FunctionError(409, 'order.closed', 'The order is closed');
 */
export class FunctionError extends Error {
  override readonly name = 'FunctionError';
  /** Set by the service: which unit of a bulk write a hook refused. */
  declare readonly index?: number;

  /**
   * @param status an HTTP status from 400 to 599
   * @param code `area.reason` in lower case, for programs: part of your interface
   * @param text a sentence for a person
   * @param parameter the parameter that is to blame, if one is
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
