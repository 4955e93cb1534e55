/** Stacks, statements, schemas, files: nothing that an error tells a client. */
export const LEAK =
  /\bat [^"]*\.[jt]s:\d|node_modules|\/src\/|\b(?:SELECT|INSERT INTO|UPDATE|DELETE FROM) [^"]* (?:FROM|SET|WHERE|VALUES)\b|"?project_[a-z]|_fkey|_pkey|pg_catalog/;
