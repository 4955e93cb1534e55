/** The work can not go on as it was begun: whoever began it begins it again. */
export class RestartError extends Error {}
