/** The injection token of the process's `Config`. */
export const CONFIG = Symbol('config');

/** The injection token of the key that signs tokens. */
export const SECRET = Symbol('secret');
