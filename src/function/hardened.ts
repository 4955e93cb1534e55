/**
 * Keeps authored code from changing what all objects of the process have in common. What a careless merge puts there, of
 * what a client sent, would be found in everybody's objects: it is an error of the call that tries it.
 */

/**
 * Closes `Object.prototype`: nothing is added, and no method replaced. Objects still take properties of their own that are
 * called as its methods are, such as `toString`, for which it is not enough to freeze it.
 */
export function hardenObjects(common: object = Object.prototype): void {
  if (!Object.isExtensible(common)) return;
  for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(common))) {
    // `inspect` and others look for a constructor that is a plain property.
    if (!('value' in descriptor) || name === 'constructor') continue;
    const value: unknown = descriptor.value;
    Object.defineProperty(common, name, {
      get: () => value,
      set(this: object, own: unknown) {
        if (this === common) throw new TypeError(`Cannot replace '${name}' of all objects`);
        Object.defineProperty(this, name, { value: own, writable: true, enumerable: true, configurable: true });
      },
      enumerable: false,
      configurable: false,
    });
  }
  Object.preventExtensions(common);
}
