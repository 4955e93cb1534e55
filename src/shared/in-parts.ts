const AT_ONCE = 16;

/** Does work for all items, for a few at the same time. @throws what one of them does; nothing new is begun then */
export async function inParts<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) {
    done.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(work))));
  }
  return done;
}
