/**
 * An error as the log has it: what names things, and nothing that quotes values of clients. PostgreSQL's errors have whole
 * rows in their details, and those about bad values have them in their words; TypeORM's have the parameters of a statement.
 */
import { stdSerializers } from 'pino';

/** Of the fields that errors have beside type, message and stack, those that name things. */
const NAMING = ['code', 'errno', 'syscall', 'severity', 'schema', 'table', 'column', 'constraint', 'routine'];

/** Errors of this SQLSTATE class quote the value that was bad, in the language of the database. */
const DATA_EXCEPTION = /^22...$/;

export function loggedError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { type, message, stack, ...own } = stdSerializers.err(error);
  const told = (text: string) => chainOf(error).filter(quotesValues).reduce(withoutWords, text);
  return {
    type,
    message: told(message),
    stack: told(stack),
    ...Object.fromEntries(Object.entries(own).filter(([name]) => NAMING.includes(name))),
    ...(error instanceof AggregateError && { aggregateErrors: error.errors.map(loggedError) }),
  };
}

function chainOf(error: Error): Error[] {
  const chain: Error[] = [];
  for (let next: unknown = error; next instanceof Error && !chain.includes(next); next = next.cause) chain.push(next);
  return chain;
}

function quotesValues(error: Error): boolean {
  return 'code' in error && typeof error.code === 'string' && DATA_EXCEPTION.test(error.code);
}

function withoutWords(text: string, { message }: Error): string {
  return message === '' ? text : text.replaceAll(message, 'data exception');
}
