/** Ends of commands with an exit code of their own. */

/** Wrong usage that the options alone do not show: exit code 2. */
export class UsageError extends Error {}

/** What was checked differs, as the output says: exit code 3. */
export class Differs extends Error {}
