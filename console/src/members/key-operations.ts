import type { Text } from '../i18n/text.js';

/** What the scope of a key can name (docs/api-keys.md). */
export const OPERATIONS = ['read', 'create', 'update', 'delete', 'link', 'function', 'history'] as const;

/** The operation in words, or its name if it is newer than the console. */
export function operationText(operation: string, text: Text): string {
  const known = OPERATIONS.find((each) => each === operation);
  return known ? text(`keys.operation.${known}`) : operation;
}
