/**
 * Serialises errors for the log: names of things, but no values of clients. PostgreSQL quotes whole rows in details,
 * and bad values in messages; TypeORM includes the parameters of a statement.
 */
import { stdSerializers } from 'pino';

/** The fields that are logged besides type, message and stack. */
const LOGGED_FIELDS = ['code', 'errno', 'syscall', 'severity', 'schema', 'table', 'column', 'constraint', 'routine'];

/** Errors of this SQLSTATE class quote the bad value, in the language of the database. */
const DATA_EXCEPTION = /^22...$/;

export function loggedError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { type, message, stack, ...own } = stdSerializers.err(error);
  const redact = (text: string) => causeChain(error).filter(quotesValues).reduce(withoutMessage, text);
  return {
    type,
    message: redact(message),
    stack: redact(stack),
    ...Object.fromEntries(Object.entries(own).filter(([name]) => LOGGED_FIELDS.includes(name))),
    ...(error instanceof AggregateError && { aggregateErrors: error.errors.map(loggedError) }),
  };
}

function causeChain(error: Error): Error[] {
  const chain: Error[] = [];
  for (let next: unknown = error; next instanceof Error && !chain.includes(next); next = next.cause) chain.push(next);
  return chain;
}

function quotesValues(error: Error): boolean {
  return 'code' in error && typeof error.code === 'string' && DATA_EXCEPTION.test(error.code);
}

function withoutMessage(text: string, { message }: Error): string {
  return message === '' ? text : text.replaceAll(message, 'data exception');
}
