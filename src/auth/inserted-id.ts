/** The id of the unit in the only row that an insert returned. @throws Error if there is none */
export function insertedId([row]: readonly { readonly body: string | null }[]): string {
  if (!row?.body) throw new Error('the insert returned no unit');
  return (JSON.parse(row.body) as { id: string }).id;
}
