/**
 * Protects against prototype pollution: built-in constructors and prototypes are frozen, so that an unsafe merge of client
 * data in user code is an error of that call, and does not change the objects of all requests.
 */

/** The constructors that a merge of JSON data can reach, by names such as `constructor` and `__proto__`. */
const BUILT_INS = [Object, Function, Array, String, Number, Boolean];

/**
 * Freezes these constructors and their prototypes. Objects can still have own properties with the names of inherited
 * methods, such as `toString`, which a frozen prototype would prevent.
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

/** Methods that objects often override. */
const OFTEN_OVERRIDDEN = ['toString', 'toLocaleString', 'valueOf'];

/** Functions may override `bind` or `call` too, and objects any method. */
const OVERRIDABLE: ReadonlyMap<object, readonly string[]> = new Map(
  [Object.prototype, Function.prototype].map((prototype) => [prototype, Object.getOwnPropertyNames(prototype)]),
);

/** Freezes the methods, which are objects too. */
function freezeMethods(holder: object): void {
  for (const key of Reflect.ownKeys(holder)) {
    const value: unknown = Object.getOwnPropertyDescriptor(holder, key)?.value;
    // `Function.prototype` is a function too, and is frozen later.
    if (typeof value === 'function' && key !== 'constructor' && key !== 'prototype') Object.freeze(value);
  }
}

/** Prevents replacing the inherited method, but allows an own property of that name. */
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
