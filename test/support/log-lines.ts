/** A log that a test reads. */
import { pino, type Logger } from 'pino';

export interface LogLines {
  readonly logger: Logger;
  /** The messages of a level so far: `warn`, unless another is named. */
  of(level?: 'error' | 'warn' | 'info'): string[];
  /** All lines so far, as JSON. */
  text(): string;
}

export function logLines(): LogLines {
  const lines: { level: string; msg: string }[] = [];
  const options = { level: 'info', formatters: { level: (label: string) => ({ level: label }) } };
  const logger = pino(options, {
    write: (line) => void lines.push(JSON.parse(line) as { level: string; msg: string }),
  });
  return {
    logger,
    of: (level = 'warn') => lines.filter((line) => line.level === level).map(({ msg }) => msg),
    text: () => JSON.stringify(lines),
  };
}
