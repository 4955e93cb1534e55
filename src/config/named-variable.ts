/** The value of an environment variable that a person names, such as the one with a key; undefined if it is empty. */
export function namedVariable(name: string, variables: NodeJS.ProcessEnv = process.env): string | undefined {
  return variables[name]?.trim() || undefined;
}
