/**
 * Keeps authored code from changing what all objects of the process have in common. What a careless merge puts there, of
 * what a client sent, would be found in everybody's objects: it is an error of the call that tries it.
 */

/** Whose parts a merge reaches from what JSON can hold, by names such as `constructor` and `__proto__`. */
const BUILT_INS = [Object, Function, Array, String, Number, Boolean];

/**
 * Closes them: nothing is added to these constructors and their prototypes, and no method replaced. Objects still take
 * properties of their own that are called as the methods of all are, such as `toString`, for which it is not enough to
 * freeze these.
 */
export function freezeBuiltIns(): void {
  if (!Object.isExtensible(Object.prototype)) return;
  for (const constructor of BUILT_INS) {
    const prototype = constructor.prototype as object;
    freezeMethods(constructor);
    freezeMethods(prototype);
    for (const name of OVERRIDABLE.get(prototype) ?? OFTEN_OVERRIDDEN) allowOverride(prototype, name);
    Object.freeze(constructor);
  }
  Object.preventExtensions(Object.prototype);
  for (const { prototype } of BUILT_INS) if (prototype !== Object.prototype) Object.freeze(prototype);
}

/** Methods that objects often have one of their own of. */
const OFTEN_OVERRIDDEN = ['toString', 'toLocaleString', 'valueOf'];

/** Functions that are libraries have a `bind` or a `call` of their own too; and objects may have anything. */
const OVERRIDABLE: ReadonlyMap<object, readonly string[]> = new Map(
  [Object.prototype, Function.prototype].map((prototype) => [prototype, Object.getOwnPropertyNames(prototype)]),
);

/** A method is an object too, and would take properties. */
function freezeMethods(holder: object): void {
  for (const key of Reflect.ownKeys(holder)) {
    const value: unknown = Object.getOwnPropertyDescriptor(holder, key)?.value;
    // The prototype of functions is a function, and its turn comes.
    if (typeof value === 'function' && key !== 'constructor' && key !== 'prototype') Object.freeze(value);
  }
}

/** The method can not be replaced, but for one object by one of its own. */
function allowOverride(common: object, name: string): void {
  const descriptor = Object.getOwnPropertyDescriptor(common, name);
  if (!descriptor?.configurable || !('value' in descriptor)) return;
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
