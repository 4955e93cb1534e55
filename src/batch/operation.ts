/** One operation of a batch, as its body names it. Pure. */

export const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const;

export type OperationMethod = (typeof METHODS)[number];

export interface BatchOperation {
  /** The name by which later operations refer to its answer. */
  readonly as: string | undefined;
  readonly method: OperationMethod;
  /** Path and query below `/api/lib`, with references. */
  readonly path: string;
  readonly hasBody: boolean;
  /** JSON, with references. */
  readonly body: unknown;
  readonly ifMatch: string | undefined;
}

/** The names and keys by which an operation refers to an earlier answer: `author.id`. */
export interface Reference {
  readonly name: string;
  readonly keys: readonly string[];
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;

export function isName(text: string): boolean {
  return NAME.test(text);
}

/** Undefined if the text does not begin with a name. */
export function parseReference(text: string): Reference | undefined {
  const [name = '', ...keys] = text.split('.');
  return isName(name) && keys.every((key) => key !== '') ? { name, keys } : undefined;
}
