/** What becomes of projects to which a model file is applied, one after the other, and how that is told. */
import { asRefusal } from '../../database/statement/sqlstate.js';
import type { AppliedModel } from '../../model-file/apply-model.js';
import type { Step } from '../../model-file/steps.js';
import { KindError } from '../../shared/errors.js';
import { errorText, plural } from '../../shared/texts.js';
import { Differs, UsageError } from '../tools/exit.js';
import { singleLineText, textTable } from '../tools/output.js';
import { RemoteRefusal } from '../tools/remote.js';

const STATES = ['equal', 'changes', 'applied', 'refused', 'failed', 'waiting'] as const;

interface Outcome {
  readonly project: string;
  readonly state: (typeof STATES)[number];
  readonly version?: number;
  readonly steps: readonly Step[];
  readonly breaks?: readonly string[];
  /** How much is lost. */
  readonly losses: number;
  readonly ms: number;
  readonly code?: string;
  readonly text?: string;
}

interface Many {
  readonly projects: readonly string[];
  /** Whether nothing is changed: then all are told. */
  readonly undo: boolean;
  readonly apply: (project: string) => Promise<AppliedModel>;
  readonly tell: (text: string) => void;
  readonly json: boolean;
}

/**
 * One project after the other, up to the first that fails; each is told at its end.
 * @throws Error exit code 1; Differs exit code 3
 */
export async function applyToMany({ projects, undo, apply, tell, json }: Many): Promise<void> {
  const counts = new Map<string, number>();
  let stopped = false;
  for (const project of projects) {
    const outcome: Outcome = stopped ? waiting(project) : await outcomeOf(project, apply);
    counts.set(outcome.state, (counts.get(outcome.state) ?? 0) + 1);
    stopped ||= !undo && isFailure(outcome);
    tell(json ? `${JSON.stringify(outcome)}\n` : outcomeText(outcome));
  }
  const totals = STATES.filter((state) => counts.has(state)).map((state) => [state, counts.get(state) ?? 0] as const);
  if (json) tell(`${JSON.stringify({ projects: projects.length, ...Object.fromEntries(totals) })}\n`);
  else if (projects.length > 1) tell(totalsText(projects.length, totals));
  const bad = (counts.get('refused') ?? 0) + (counts.get('failed') ?? 0);
  if (bad > 0) throw new Error(`${plural(bad, 'project')} ${bad === 1 ? 'is' : 'are'} as before`);
  if (counts.has('changes')) throw new Differs('there are changes');
}

async function outcomeOf(project: string, apply: Many['apply']): Promise<Outcome> {
  const began = performance.now();
  const end = (more: Omit<Outcome, 'project' | 'ms' | 'losses'>): Outcome => {
    const losses = more.steps.reduce((sum, { loses = 0 }) => sum + loses, 0);
    return { project, ...more, losses, ms: Math.round(performance.now() - began) };
  };
  try {
    const { state, version, steps, breaks } = await apply(project);
    return end({ state: steps.some(({ refused }) => refused) ? 'refused' : state, version, steps, breaks });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const refused = asRefusal(error);
    if (refused instanceof RemoteRefusal) {
      const { code, status, message: text } = refused;
      return end({ state: status >= 500 ? 'failed' : 'refused', steps: [], ...(code !== undefined && { code }), text });
    }
    if (!(refused instanceof KindError)) return end({ state: 'failed', steps: [], text: errorText(refused) });
    const text = refused.messages.map((message) => message.text).join('; ');
    return end({ state: refused.status >= 500 ? 'failed' : 'refused', steps: [], code: refused.code, text });
  }
}

function waiting(project: string): Outcome {
  return { project, state: 'waiting', steps: [], losses: 0, ms: 0 };
}

function isFailure({ state }: Outcome): boolean {
  return state === 'refused' || state === 'failed';
}

function totalsText(projects: number, totals: readonly (readonly [string, number])[]): string {
  return `${plural(projects, 'project')}: ${totals.map(([state, count]) => `${count} ${state}`).join(', ')}\n`;
}

function outcomeText({ project, state, steps, breaks = [], code, text }: Outcome): string {
  const why = text === undefined ? '' : `: ${code === undefined ? '' : `${code}: `}${singleLineText(text)}`;
  const broken = breaks.map((each) => `    breaks: ${singleLineText(each)}\n`);
  return `${project}: ${state}${why}\n${textTable(steps.map(stepRow))}${broken.join('')}`;
}

function stepRow({ change, name, was, units, loses = 0, opens = [], refused, estimated }: Step): string[] {
  const told = [
    ...(was === undefined ? [] : [`was ${was}`]),
    ...(units === undefined ? [] : [plural(units, 'unit')]),
    ...(refused ? [`refused: ${plural(refused.number, 'unit')} ${examplesText(refused.ids)}`] : []),
    ...(loses > 0 ? [`loses ${loses.toLocaleString('en')} (--allow-loss ${name})`] : []),
    ...(opens.length > 0
      ? [`opens to ${[...new Set(opens.map(({ who }) => who))].join(', ')} (--allow-open ${name})`]
      : []),
    ...(estimated ? ['estimated'] : []),
  ];
  return [loses > 0 || opens.length > 0 || refused ? '  !' : '   ', change, name, told.join(', ')];
}

function examplesText(ids: readonly string[]): string {
  return ids.length === 0 ? '' : `(${ids.map(singleLineText).join(', ')})`;
}
