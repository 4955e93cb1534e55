import type { Command } from 'commander';
import { checkNotDeleted, Provisioning } from '../../catalog/project/provisioning.js';
import { KindError } from '../../shared/errors.js';
import { plural } from '../../shared/plural.js';
import { projectOf, type Project } from '../../tenancy/project.js';
import { IndexAdvisor, type IndexAdvice, type UnusedIndex } from '../../unit/tuning/index-advisor.js';
import type { IndexProposal } from '../../unit/tuning/index-proposals.js';
import { print } from '../tools/output.js';
import { singleLineText, textTable } from '../tools/text.js';
import type { CommandContext, CommonOptions, Services } from '../tools/command-context.js';

interface AdviseOptions extends CommonOptions {
  readonly apply?: boolean;
}

type Outcome = 'proposed' | 'ready' | 'being built' | 'refused';

interface AdvisedIndex extends Omit<IndexProposal, 'inside'> {
  /** Other kinds that get an index too, because they use the same parameter. */
  readonly also: readonly string[];
  readonly outcome: Outcome;
  /** Why it was refused. */
  readonly reason?: string;
}

interface Advised extends Omit<IndexAdvice, 'proposals'> {
  readonly proposals: readonly AdvisedIndex[];
}

export function adviseIndexesCommand(parent: Command, { terminal, services }: CommandContext): void {
  parent
    .command('advise <project>')
    .description('proposes indexes by what the queries of a project did, the most useful first')
    .option('--apply', 'make them: sets `indexed` of parameters and `indexes` of kinds, and builds them')
    .action(async (id: string, options: AdviseOptions) => {
      const advised = await services((context) => advise(context, id, options.apply ?? false));
      print(terminal, options, jsonOf(advised), adviceText(id, advised, options.apply ?? false));
      const refused = advised.proposals.filter(({ outcome }) => outcome === 'refused');
      if (refused.length > 0) throw new Error(`${refused.length} of ${advised.proposals.length} were refused`);
    });
}

async function advise({ app }: Services, id: string, apply: boolean): Promise<Advised> {
  const row = await app.get(Provisioning).get(id);
  checkNotDeleted(row);
  const [project, advisor] = [projectOf(row), app.get(IndexAdvisor)];
  const advice = await advisor.advise(project);
  const proposals: AdvisedIndex[] = [];
  for (const proposal of advice.proposals) {
    const { kind, parameters, queries, calls, milliseconds, read, found } = proposal;
    const also = await advisor.alsoIndexed(project, proposal);
    const done = apply ? await applyOne(advisor, project, proposal) : { outcome: 'proposed' as const };
    proposals.push({ kind, parameters, also, queries, calls, milliseconds, read, found, ...done });
  }
  return { ...advice, proposals };
}

/** An index that stored values do not allow does not prevent the others. */
async function applyOne(advisor: IndexAdvisor, project: Project, proposal: IndexProposal) {
  try {
    return { outcome: (await advisor.apply(project, proposal)) ? ('ready' as const) : ('being built' as const) };
  } catch (error) {
    if (!(error instanceof KindError) || error.code === 'database.unavailable') throw error;
    return { outcome: 'refused' as const, reason: error.messages.map(({ text }) => text).join('; ') };
  }
}

function jsonOf({ since, queries, calls, proposals, unused, unusedSince }: Advised) {
  return { since: since ?? null, queries, calls, proposals, unused_indexes: unused, unused_since: unusedSince };
}

function adviceText(id: string, advised: Advised, apply: boolean): string {
  const { proposals, unused, unusedSince } = advised;
  return (
    summaryText(id, advised) +
    proposalTable(proposals) +
    nextStep(id, proposals, apply) +
    unusedText(unused, unusedSince)
  );
}

function summaryText(id: string, { since, queries, calls, proposals }: Advised): string {
  if (since === undefined) {
    return `No queries of '${id}' are recorded yet. The service records lists, groups, aggregations and traversals, and stores them once a minute.\n`;
  }
  const recorded = `by ${number(calls)} calls of ${plural(queries, 'query', 'queries')} since ${since}`;
  if (proposals.length === 0) return `Nothing to propose: no index is missing, ${recorded}.\n`;
  return `${plural(proposals.length, 'index is', 'indexes are')} missing, ${recorded}. The one that costs the most time comes first.\n\n`;
}

function proposalTable(proposals: readonly AdvisedIndex[]): string {
  if (proposals.length === 0) return '';
  const rows = proposals.map(({ kind, parameters, calls, milliseconds, read, found }) => [
    kind,
    parameters.join(', '),
    number(calls),
    duration(milliseconds),
    `reads ${number(read)} units to answer ${number(found)}; with the index some ${number(Math.max(found, 1))}`,
  ]);
  const details = proposals.flatMap(detailLines).map((line) => `${singleLineText(line)}\n`);
  return `${textTable([['KIND', 'INDEX OF', 'CALLS', 'TIME', 'WORST CALL'], ...rows])}\n${details.join('')}`;
}

/** The queries of a proposal that are named. */
const NAMED_QUERIES = 3;

function detailLines({ kind, parameters, also, queries, outcome, reason }: AdvisedIndex): string[] {
  const index = `${kind} (${parameters.join(', ')})`;
  const how =
    parameters.length === 1
      ? `indexed: true of the parameter ${parameters.join()}${also.length > 0 ? `, which also indexes it in ${also.join(', ')}` : ''}`
      : `[${parameters.join(', ')}] in indexes of the kind ${kind}`;
  const more = queries.length > NAMED_QUERIES ? `; and ${queries.length - NAMED_QUERIES} more` : '';
  const used = `for ${queries.slice(0, NAMED_QUERIES).join('; ')}${more}`;
  const state = outcome === 'proposed' ? '' : ` ${outcome}${reason === undefined ? '' : `: ${reason}`}.`;
  return [`${index}: ${how}; ${used}.${state}`];
}

function nextStep(id: string, proposals: readonly AdvisedIndex[], apply: boolean): string {
  if (proposals.length === 0 || apply) return '';
  return `\nEach index makes writes of its kind a little slower. To make them all: npm run kind -- index advise ${id} --apply\n`;
}

function unusedText(unused: readonly UnusedIndex[], since: string | null): string {
  if (unused.length === 0) return '';
  const names = unused.map(({ kind, parameters }) => `${kind} (${parameters.join(', ')})`);
  const when = since === null ? 'so far' : `since ${since}`;
  return `\nNo statement has used these indexes ${when}: ${singleLineText(names.join(', '))}.\n`;
}

function number(value: number): string {
  return value.toLocaleString('en');
}

function duration(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}
