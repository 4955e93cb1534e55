import type { Command } from 'commander';
import { Provisioning } from '../../catalog/project/provisioning.js';
import { isRefusedAlone } from '../../shared/errors.js';
import { plural } from '../../shared/texts.js';
import { projectOf } from '../../tenancy/project.js';
import { IndexAdvisor, type IndexAdvice, type IndexProposal } from '../../unit/tuning/index-advisor.js';
import { print, singleLineText, textTable } from '../tools/output.js';
import type { CommandContext, CommonOptions, Services } from '../tools/command-context.js';

interface AdviseOptions extends CommonOptions {
  readonly apply?: boolean;
}

interface AdvisedProposal extends IndexProposal {
  readonly outcome: 'proposed' | 'made' | 'refused';
  /** Why it was refused. */
  readonly reason?: string;
}

interface Advised extends Omit<IndexAdvice, 'proposals'> {
  readonly proposals: readonly AdvisedProposal[];
}

export function adviseIndexesCommand(parent: Command, { terminal, services }: CommandContext): void {
  parent
    .command('advise <project>')
    .description('proposes the indexes that the slow queries of a project lack, the most useful first')
    .option('--apply', 'make them: sets `indexed` of parameters and `indexes` of kinds, and builds them')
    .action(async (id: string, options: AdviseOptions) => {
      const advised = await services((context) => advise(context, id, options.apply ?? false));
      const { proposals, unused, unusedSince } = advised;
      const json = { proposals, unused_indexes: unused, unused_since: unusedSince };
      print(terminal, options, json, adviceText(id, advised, options.apply ?? false));
      const refused = proposals.filter(({ outcome }) => outcome === 'refused');
      if (refused.length > 0) throw new Error(`${refused.length} of ${proposals.length} were refused`);
    });
}

async function advise({ app }: Services, id: string, apply: boolean): Promise<Advised> {
  const row = await app.get(Provisioning).getActive(id);
  const [project, advisor] = [projectOf(row), app.get(IndexAdvisor)];
  const advice = await advisor.advise(project);
  if (!apply) return { ...advice, proposals: advice.proposals.map((each) => ({ ...each, outcome: 'proposed' })) };
  const proposals: AdvisedProposal[] = [];
  for (const proposal of advice.proposals) {
    try {
      await advisor.apply(project, proposal);
      proposals.push({ ...proposal, outcome: 'made' });
    } catch (error) {
      // An index that stored values do not allow does not prevent the others.
      if (!isRefusedAlone(error)) throw error;
      proposals.push({ ...proposal, outcome: 'refused', reason: error.messages.map(({ text }) => text).join('; ') });
    }
  }
  return { ...advice, proposals };
}

function adviceText(id: string, { proposals, unused, unusedSince }: Advised, isApplied: boolean): string {
  const names = unused.map(({ kind, parameters }) => `${kind} (${parameters.join(', ')})`);
  const when = unusedSince === null ? 'so far' : `since ${unusedSince}`;
  const unusedText = `\nNo statement has used these indexes ${when}: ${singleLineText(names.join(', '))}.\n`;
  return `${proposalsText(id, proposals, isApplied)}${unused.length > 0 ? unusedText : ''}`;
}

function proposalsText(id: string, proposals: readonly AdvisedProposal[], isApplied: boolean): string {
  if (proposals.length === 0) {
    return `No missing index of '${id}' is known. The service looks once a minute at the lists, groups, aggregations and traversals that took a millisecond or more.\n`;
  }
  const [since = ''] = proposals.map((proposal) => proposal.since).sort();
  const title = `${plural(proposals.length, 'index is', 'indexes are')} missing, by slow calls since ${since}. The one that costs the most time comes first.`;
  const rows = proposals.map(({ kind, parameters, calls, milliseconds, read, found }) => [
    kind,
    parameters.join(', '),
    number(calls),
    milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`,
    `reads ${number(read)} units to answer ${number(found)}; with the index some ${number(Math.max(found, 1))}`,
  ]);
  const table = textTable([['KIND', 'INDEX OF', 'CALLS', 'TIME', 'WORST CALL'], ...rows]);
  const details = proposals.map((proposal) => `${singleLineText(detailOf(proposal))}\n`).join('');
  const next = `\nEach index makes writes of its kind a little slower. To make them all: npm run kind -- index advise ${id} --apply\n`;
  return `${title}\n\n${table}\n${details}${isApplied ? '' : next}`;
}

function detailOf({ kind, parameters, also, why, outcome, reason }: AdvisedProposal): string {
  const how =
    parameters.length === 1
      ? `indexed: true of the parameter ${parameters.join()}${also.length > 0 ? `, which also indexes it in ${also.join(', ')}` : ''}`
      : `[${parameters.join(', ')}] in indexes of the kind ${kind}`;
  const state = outcome === 'proposed' ? '' : ` ${outcome}${reason === undefined ? '' : `: ${reason}`}.`;
  return `${kind} (${parameters.join(', ')}): ${how}; ${why}.${state}`;
}

function number(value: number): string {
  return value.toLocaleString('en');
}
