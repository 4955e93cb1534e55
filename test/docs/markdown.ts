/** Reads the parts of Markdown that the tests of the documentation need. */

export interface CodeBlock {
  /** What stands behind the opening fence. */
  readonly info: string;
  readonly text: string;
}

export function codeBlocks(markdown: string): CodeBlock[] {
  return [...markdown.matchAll(/^```(.*)\n([^]*?)\n```$/gm)].map(([, info = '', text = '']) => ({ info, text }));
}

/** The cells of every table row but heads and rules, in order. */
export function tableRows(markdown: string): string[][] {
  const lines = markdown.split('\n');
  const isRow = (line: string | undefined) => line?.startsWith('|') === true;
  const isRule = (line: string | undefined) => /^\|[\s:|-]+\|$/.test(line ?? '');
  return lines
    .filter((line, at) => isRow(line) && !isRule(line) && !isRule(lines[at + 1]))
    .map((line) =>
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim().replaceAll('\\|', '|')),
    );
}

/** Headings as the anchors that a link can name. */
export function anchors(markdown: string): Set<string> {
  const headings = markdown.replace(/^```[^]*?^```$/gm, '').match(/^#+ .*$/gm) ?? [];
  return new Set(
    headings.map((line) =>
      line
        .replace(/^#+ /, '')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/\s/g, '-'),
    ),
  );
}

/** The targets of all links and images, code left out. */
export function linkTargets(markdown: string): string[] {
  const prose = markdown.replace(/^```[^]*?^```$/gm, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
}
