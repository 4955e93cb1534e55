/** The injection token of the one `Config` of a process. */
export const CONFIG = Symbol('config');

/** That of the key that signs tokens. */
export const SECRET = Symbol('secret');
