import type { Command } from 'commander';
import {
  accessReport,
  type AccessReport,
  type Audience,
  isStrangersWrite,
  type ReportedAccess,
  reportedName,
  strangersWrites,
} from '../access/report.js';
import { reportJson } from '../access/report-changes.js';
import { loadModel } from '../catalog/model/model-store.js';
import { Provisioning } from '../catalog/project/provisioning.js';
import { Database } from '../database/database.js';
import { FunctionRegistry } from '../function/load/module-registry.js';
import type { AccessDefault } from '../model/access-levels.js';
import { getOrInsert } from '../shared/maps.js';
import { runSync } from '../shared/work-in-pieces.js';
import { projectOf } from '../tenancy/project.js';
import type { CommandContext, CommonOptions, Services } from './tools/command-context.js';
import { print, singleLineText, textTable } from './tools/output.js';

interface ReportOptions extends CommonOptions {
  readonly strict?: boolean;
}

interface ProjectReport extends AccessReport {
  readonly project: string;
  readonly accessDefault: AccessDefault;
  /** The folder of the modules whose functions and endpoints it has. */
  readonly functionsDir: string;
}

export function reportAccessCommand(parent: Command, { terminal, services }: CommandContext): void {
  parent
    .command('report <project>')
    .description('shows who may do what with kinds, links, functions, endpoints and fields, the most open first')
    .option(
      '--strict',
      "exit with 1 if strangers may write what no kind has 'accepted': anyone, or every member where anyone can sign up",
    )
    .action(async (id: string, options: ReportOptions) => {
      const report = await services((context) => reportOf(context, id), { only: [FunctionRegistry] });
      print(terminal, options, jsonOf(report), reportText(report));
      const open = strangersWrites(report);
      if (options.strict && open.length > 0) throw new Error(`strangers may write ${open.join(', ')}`);
    });
}

async function reportOf({ app, config }: Services, id: string): Promise<ProjectReport> {
  const row = await app.get(Provisioning).getActive(id);
  const model = await loadModel(app.get(Database), projectOf(row));
  const called = app.get(FunctionRegistry).current.calledIn(row.id);
  const [{ accessDefault }, { functionsDir }] = [model, config];
  return { project: row.id, accessDefault, functionsDir, ...runSync(accessReport(model, called)) };
}

function jsonOf(report: ProjectReport) {
  return { project: report.project, functions_dir: report.functionsDir, ...reportJson(report, report) };
}

function reportText(report: ProjectReport): string {
  const { project, accessDefault, functionsDir, signUp, entries } = report;
  const open = strangersWrites(report);
  const written = open.length > 0 ? open.join(', ') : 'nothing';
  const summary = [
    `Project '${project}', access_default ${accessDefault}. ${signUpText(signUp)}`,
    `Functions and endpoints: those in ${functionsDir} (FUNCTIONS_DIR).`,
    `Strangers may write: ${written}.`,
  ];
  const accepted = entries.filter((entry) => entry.accepted !== undefined);
  const [needed, idle] = [accepted.filter(isStrangersWrite), accepted.filter(({ stranger }) => !stranger)];
  if (needed.length > 0) summary.push(`Accepted: ${needed.map(acceptedText).join(', ')}.`);
  if (idle.length > 0) summary.push(`Accepted, but not open to strangers: ${idle.map(acceptedText).join(', ')}.`);
  const lines = summary.map((line) => `${singleLineText(line)}\n`).join('');
  if (entries.length === 0) return `${lines}It has no kinds yet.\n`;
  return `${lines}\n${textTable([['WHAT', 'WHO', 'MAY', 'SET BY'], ...rowsOf(entries)])}`;
}

function acceptedText(entry: ReportedAccess): string {
  return `${entry.operation} of ${reportedName(entry)} (${entry.accepted ?? ''})`;
}

function signUpText(kinds: readonly string[]): string {
  return kinds.length > 0 ? `Anyone can sign up as ${kinds.join(', ')}.` : 'Nobody can sign up.';
}

/** One row for the operations of a kind that the same people may do. */
function rowsOf(entries: readonly ReportedAccess[]): string[][] {
  const setBy = ({ on, operation, stored }: ReportedAccess) =>
    stored ? (on === 'field' ? `${operation}_access` : 'access') : 'default';
  const groups = new Map<string, ReportedAccess[]>();
  for (const entry of entries) {
    getOrInsert(groups, [reportedName(entry), whoText(entry), setBy(entry)].join('\0'), () => []).push(entry);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first ? [[reportedName(first), whoText(first), group.map(operationText).join(', '), setBy(first)]] : [];
  });
}

const WHO: Readonly<Record<Audience, string>> = {
  anyone: 'anyone',
  member: 'members',
  self: 'members, with themselves',
  admin: 'administrators',
  nobody: 'nobody',
};

function operationText({ on, operation, writes }: ReportedAccess): string {
  return on === 'field' && writes ? `${operation}, and rules test it` : operation;
}

function whoText({ audience, byRule, stranger }: ReportedAccess): string {
  const signedUp = (audience === 'member' || audience === 'self') && stranger ? ', so anyone who signs up' : '';
  return `${WHO[audience]}${byRule ? ', by rules' : signedUp}`;
}
