/** Copies values of user code to plain data, reading getters and proxies once. Pure. */
import { LIMITS } from '../../shared/limits.js';

/**
 * Copies plain objects and arrays, up to the depth limit of JSON; other values are kept. Properties that are not enumerable
 * stay so. Must be called within `withinUserCode`, because getters may run.
 */
export function deepCopy(value: unknown): unknown {
  return copyValue(value, 1, new Map());
}

function copyValue(value: unknown, depth: number, known: Map<object, unknown>): unknown {
  if (typeof value !== 'object' || value === null || depth > LIMITS.jsonDepth + 2) return value;
  const copied = known.get(value);
  if (copied !== undefined) return copied;
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    known.set(value, list);
    for (const item of value as unknown[]) list.push(copyValue(item, depth + 1, known));
    return list;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  const copy: Record<string, unknown> = {};
  known.set(value, copy);
  const given = value as Readonly<Record<string, unknown>>;
  for (const name of Object.getOwnPropertyNames(given)) {
    const member = copyValue(given[name], depth + 1, known);
    const enumerable = Object.prototype.propertyIsEnumerable.call(given, name);
    // An inherited property of that name may have a setter.
    if (enumerable && !(name in copy)) copy[name] = member;
    else Object.defineProperty(copy, name, { value: member, enumerable, configurable: true, writable: true });
  }
  return copy;
}
