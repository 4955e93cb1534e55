/** The work has to be started again from the beginning by the code that began it. */
export class RestartError extends Error {}
