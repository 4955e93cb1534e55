/** The injection token of the one `Config` of a process. */
export const CONFIG = Symbol('config');
