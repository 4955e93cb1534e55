/** The transitions of a parameter as rows of a form, and as they are stored: `{"open": ["solved", {"to": "closed", "when": "…"}]}`. */

export interface TransitionRow {
  /** A value, or `INITIAL`. */
  readonly from: string;
  /** Empty where `from` leads nowhere. */
  readonly to: string;
  /** A level, or rules, one in each line; empty for everybody. */
  readonly when: string;
}

/** What new units begin with. */
export const INITIAL = 'initial';

type Target = string | { readonly to: string; readonly when: string | readonly string[] };

/** Each row as text, as other lists of settings have it. */
export function rowsOf(stored: unknown): readonly string[] {
  const all = Object.entries((stored ?? {}) as Readonly<Record<string, readonly Target[]>>);
  const rows = all.flatMap(([from, targets]): TransitionRow[] => {
    if (targets.length === 0) return [{ from, to: '', when: '' }];
    return targets.map((target) =>
      typeof target === 'string'
        ? { from, to: target, when: '' }
        : { from, to: target.to, when: [target.when].flat().join('\n') },
    );
  });
  return rows.map(textOfRow);
}

export function textOfRow({ from, to, when }: TransitionRow): string {
  return JSON.stringify({ from, to, when });
}

export function rowOf(text: string): TransitionRow {
  return JSON.parse(text) as TransitionRow;
}

export function storedTransitions(rows: readonly string[]): Readonly<Record<string, readonly Target[]>> {
  const stored = new Map<string, Target[]>();
  for (const { from, to, when } of rows.map(rowOf)) {
    const targets = stored.get(from) ?? [];
    stored.set(from, targets);
    if (to !== '') targets.push(targetOf(to, when));
  }
  return Object.fromEntries(stored);
}

function targetOf(to: string, when: string): Target {
  const rules = when.split('\n').filter((line) => line.trim() !== '');
  const [first] = rules;
  if (first === undefined) return to;
  return { to, when: rules.length === 1 ? first : rules };
}
