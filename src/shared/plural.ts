/** A count with its noun, for messages: `1 unit`, `12,000 units`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
