/** The text that a start prints: addresses, project, and a generated password, shown once. */
import type { FirstProject } from './bootstrap.js';

export function greeting(url: string, first: FirstProject, terminal: boolean): string {
  const lines: [string, string][] = [
    ['Service', url],
    ['Documentation', `${url}/api/lib/doc/swaggerui`],
    ['Project key', first.project],
    ['Administrator', first.username],
  ];
  if (first.password !== undefined) lines.push(['Password', `${first.password}   (shown this one time)`]);
  const bold = (text: string) => (terminal ? `\u001b[1m${text}\u001b[0m` : text);
  const body = lines.map(([name, value]) => `  ${name.padEnd(14)} ${bold(value)}`);
  return `\n  Kind is ready.\n\n${body.join('\n')}\n\n`;
}
