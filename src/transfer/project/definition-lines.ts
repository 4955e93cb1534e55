/**
 * Reads the definitions of an archive as strictly as those in bodies of requests: whoever can write an archive can write
 * its checksums, and definitions of another form would make later requests fail. Pure.
 */
import { checkAccess, checkFieldRuleSyntax, checkLinkAccess } from '../../access/check-access.js';
import { settleTrusted } from '../../catalog/pattern/pattern-matcher.js';
import { KIND_KIND, LINK_KIND, NO_TRAITS } from '../../model/built-in-traits.js';
import { PARAMETER_TABLE } from '../../model/built-in/built-in.js';
import {
  isWhole,
  checkLinkType,
  checkLists,
  checkListShape,
  checkModel,
  checkReference,
  definitionsOf,
} from '../../model/check/check-model.js';
import { definitionOf, type ParameterRecord } from '../../model/build/definition-records.js';
import { acceptedValue } from '../../model/accepted-value.js';
import { checkParameter } from '../../model/check/check-parameter.js';
import { PatternChecks } from '../../model/check/pattern-checks.js';
import { kindsUsing, type Model } from '../../model/model.js';
import { IDENTIFIER_HINT, isIdentifier, namedByRecord } from '../../shared/identifiers.js';
import { faultTexts } from '../../shared/collect-faults.js';
import type { Faults } from '../../shared/errors.js';
import { parsedObject, scalarText, type Json } from '../../shared/json.js';
import { runSync } from '../../shared/work-in-pieces.js';
import { ArchiveError } from './archive.js';
import type { ProjectFile } from './project-files.js';

/** A line as its fields are stored. */
type Definition = Readonly<Record<string, Json>>;

/** @param first the number of the first line in its file @throws ArchiveError with the file, the line and the field */
export function checkDefinitionLines(file: ProjectFile, lines: readonly string[], first: number): void {
  lines.forEach((text, at) => {
    const line = parsedObject(text) as Definition | undefined;
    const id = isIdentifier(line?.['id']) ? ` ('${line['id']}')` : '';
    refuseFaults(`${file.path}, line ${first + at}${id}`, (faults) => {
      if (line) checkLine(file, line, faults);
      else faults.add('parameter.bad_value', 'it is no record');
    });
  });
}

function checkLine({ rows }: ProjectFile, line: Definition, faults: Faults): void {
  const bad = (text: string) => faults.add('parameter.bad_value', text);
  const stored: Record<string, Json> = {};
  for (const field of rows.fields) {
    const value = line[field.id] ?? null;
    if (value !== null) stored[field.id] = acceptedValue(field, value, bad);
  }
  const { id, ownKind } = namedByRecord(typeof line['id'] === 'string' ? line['id'] : '');
  const isOwn = rows.table === PARAMETER_TABLE && line['own'] === true;
  if (!isIdentifier(id) || isOwn !== isIdentifier(ownKind)) bad(`id: must be ${IDENTIFIER_HINT}`);
  if (rows.where && line[rows.where.column] !== rows.where.value) {
    bad(`${rows.where.column}: must be '${rows.where.value}'`);
  }
  if (faults.any) return;
  if (rows.table === PARAMETER_TABLE) return checkParameterLine(stored, faults);
  for (const key of ['unique', 'indexes']) checkListShape(key, stored[key], faults);
  const access = stored['access'];
  if (access === undefined) return;
  if (rows.table === KIND_KIND) checkAccess(NO_TRAITS, access, faults);
  if (rows.table === LINK_KIND) checkLinkAccess(access, faults);
}

function checkParameterLine(stored: Definition, faults: Faults): void {
  const record = { ...stored, default_value: stored[`default_${scalarText(stored['kind_id'])}`] ?? null };
  const def = definitionOf(record as unknown as ParameterRecord);
  const patterns = new PatternChecks();
  checkParameter(def, faults, patterns);
  checkFieldRuleSyntax(def, faults);
  settleTrusted(patterns);
}

/** Checks what definitions say of each other, before tables are made of them. @throws ArchiveError */
export function checkDefinitions(model: Model): void {
  if (!runSync(isWhole(model))) throw new ArchiveError('the definitions name parameters or kinds that are missing');
  const nothing = { kinds: () => [], parameters: () => [] };
  for (const [recordId, parameter] of model.parameters) {
    // References as the API stores them: not to credentials, say, which rules could read.
    refuseFaults(`definitions/${parameter.type}.ndjson: '${recordId}'`, (faults) => {
      checkReference(parameter, model, nothing, faults);
      if (parameter.ownKind === undefined || kindsUsing(model, recordId).length > 0) return;
      faults.add('parameter.bad_value', `own: '${parameter.ownKind}' does not have it`);
    });
  }
  const own = [...model.kinds.values()].filter(({ builtIn }) => !builtIn);
  for (const kind of own) {
    refuseFaults(`definitions/${KIND_KIND}.ndjson: '${kind.id}'`, (faults) =>
      checkLists(kind, definitionsOf(kind), faults),
    );
  }
  for (const type of model.linkTypes.values()) {
    refuseFaults(`definitions/${LINK_KIND}.ndjson: '${type.id}'`, (faults) =>
      checkLinkType(type, model, nothing, faults),
    );
  }
  const none = new Set<string>();
  const touched = { kinds: new Set(own.map(({ id }) => id)), parameters: none, linkTypes: none, regrouped: none };
  refuseFaults('the definitions', (faults) => runSync(checkModel(model, touched, nothing, faults)));
}

/** @throws ArchiveError with all faults, after where they are */
function refuseFaults(place: string, check: (faults: Faults) => void): void {
  const texts = faultTexts(check);
  if (texts.length > 0) throw new ArchiveError(`${place}: ${texts.join('; ')}`);
}
