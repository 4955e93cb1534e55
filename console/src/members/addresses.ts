/** The page of a member. */
export function addressOfMember(kind: string, id: string): string {
  return `/members/${kind}/${encodeURIComponent(id)}`;
}
