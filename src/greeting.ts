/** The text that a start prints: addresses, project, and a generated password, shown once. */
import type { FirstProject } from './before-serving.js';

interface Printed {
  readonly terminal: boolean;
  readonly console: boolean;
  /** PUBLIC_URL, at which browsers use the pages: sign-ins with passkeys and identity providers work there alone. */
  readonly publicUrl?: string | undefined;
}

export function greeting(url: string, first: FirstProject, { terminal, console, publicUrl = url }: Printed): string {
  const lines: [string, string][] = [
    ['Service', url],
    ...(console ? [['Console', `${publicUrl}/console/?project=${first.project}`] satisfies [string, string]] : []),
    ['Documentation', `${publicUrl}/api/lib/doc/swaggerui`],
    ['Project key', first.project],
    ['Administrator', first.username],
  ];
  if (first.password !== undefined) lines.push(['Password', `${first.password}   (shown this one time)`]);
  if (first.strangersMayWrite) lines.push(['Strangers', strangersText(first.project, first.strangersMayWrite)]);
  const bold = (text: string) => (terminal ? `\u001b[1m${text}\u001b[0m` : text);
  const body = lines.map(([name, value]) => `  ${name.padEnd(14)} ${bold(value)}`);
  return `\n  Kind is ready.\n\n${body.join('\n')}\n\n`;
}

/** The most kinds that the line names. */
const MOST_NAMED = 10;

function strangersText(project: string, kinds: readonly string[]): string {
  if (kinds.length === 0) return 'may write no kind';
  const more = kinds.length > MOST_NAMED ? ` and ${kinds.length - MOST_NAMED} more` : '';
  return `may write ${kinds.slice(0, MOST_NAMED).join(', ')}${more}: npm run kind -- access report ${project}`;
}
