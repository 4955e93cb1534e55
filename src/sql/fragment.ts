/**
 * SQL from fragments. Text, identifiers, literals and parameters are different things, so that a value cannot become
 * text by accident: the tag `sql` takes fragments only, and only the functions here make a fragment of a value.
 */
import { refusal, type KindError } from '../shared/errors.js';
import { LIMITS } from '../shared/limits.js';

/** A value that is bound to `$n`; an object that is used twice is bound once. */
export interface Param {
  readonly value: unknown;
  /** Whether it is good for a short time only. */
  readonly passing?: true;
}

/** A table in FROM, with the cost of planning a scan of it. */
class PlannedTable {
  constructor(
    readonly name: string,
    readonly points: number,
  ) {}
}

/** The table in which a statement records changes of a project. */
class RecordingTable {
  constructor(
    readonly name: string,
    readonly schema: string,
  ) {}
}

/** Fragments are nested, so that nothing is copied before the statement is rendered. */
type Piece = string | Param | PlannedTable | RecordingTable | Fragment;

export class Fragment {
  constructor(readonly pieces: readonly Piece[]) {}
}

/** A rendered statement. `prepare`: whether to prepare it, because the same text is sent often. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly prepare?: boolean;
  /** The cost of planning it: a point is some 75 kB of memory of PostgreSQL. Left out if it is low. */
  readonly points?: number;
  /** The schema of the project whose changes it records. */
  readonly records?: string;
  /** Whether it has values that are good for a short time only, so that it is not kept. */
  readonly passing?: true;
}

/** Whether a statement changes rows. Identifiers, which are quoted, are not searched. */
export function isWrite({ text }: Statement): boolean {
  return /\b(?:INSERT INTO|UPDATE|DELETE FROM)\b/.test(text.replace(/"[^"]*"/g, '""'));
}

/**
 * The tag of SQL templates. A line break with the white space around it is layout: it becomes one space, and nothing at
 * both ends of the template and inside of brackets. White space within a line is kept.
 */
export function sql(strings: TemplateStringsArray, ...fragments: readonly Fragment[]): Fragment {
  const { texts, complete } = templateOf(strings);
  if (complete) return complete;
  const pieces: Piece[] = [];
  for (let at = 0; at < fragments.length; at++) pieces.push(texts[at] ?? '', assertFragment(fragments[at]));
  pieces.push(texts[fragments.length] ?? '');
  return new Fragment(pieces);
}

interface SqlTemplate {
  /** The strings without their layout. */
  readonly texts: readonly string[];
  /** The complete fragment, if the template contains no others. */
  readonly complete: Fragment | undefined;
}

/** A template has the same strings each time that it is evaluated, so its layout is removed once. */
const sqlTemplates = new WeakMap<TemplateStringsArray, SqlTemplate>();

function templateOf(strings: TemplateStringsArray): SqlTemplate {
  const known = sqlTemplates.get(strings);
  if (known) return known;
  const last = strings.length - 1;
  const texts = strings.map((text, at) => withoutLayout(text, at === 0, at === last));
  const template = { texts, complete: last === 0 ? new Fragment(texts) : undefined };
  sqlTemplates.set(strings, template);
  return template;
}

const QUOTED_COMMENT_OR_LAYOUT = /'[^']*'|"[^"]*"|--|\s*\n\s*/g;

function withoutLayout(text: string, first: boolean, last: boolean): string {
  return text.replace(QUOTED_COMMENT_OR_LAYOUT, (match, at: number) => {
    if (match === '--') throw new Error('SQL templates cannot have comments: their lines are joined');
    if (match.trim() !== '') return match;
    const end = at + match.length;
    const atStart = at === 0 ? first : '(['.includes(text.charAt(at - 1));
    const atEnd = end === text.length ? last : ')]'.includes(text.charAt(end));
    return atStart || atEnd ? '' : ' ';
  });
}

/** A string would become text of the statement. The types forbid it, and so does this check at run time. */
function assertFragment(value: unknown): Fragment {
  if (value instanceof Fragment) return value;
  throw new TypeError('SQL is made of fragments only');
}

/** An identifier, quoted: `ident('project_demo', 'city')` is `"project_demo"."city"`. */
export function ident(...names: readonly string[]): Fragment {
  return new Fragment([quotedIdentifier(names)]);
}

/** A table in FROM. @param points the cost of planning a scan of it, in some 75 kB of memory each */
export function plannedTable(points: number, ...names: readonly string[]): Fragment {
  return new Fragment([new PlannedTable(quotedIdentifier(names), points)]);
}

/** A table to which a statement adds what it records of changes, of which others are told when it is committed. */
export function recordingTable(schema: string, name: string): Fragment {
  return new Fragment([new RecordingTable(quotedIdentifier([schema, name]), schema)]);
}

function quotedIdentifier(names: readonly string[]): string {
  return names.map((name) => `"${name.replaceAll('"', '""')}"`).join('.');
}

/** A value to bind. */
export function param(value: unknown): Fragment {
  return new Fragment([{ value }]);
}

/** A value that is good for a short time only, so that its statement is not kept. */
export function passingParam(value: unknown): Fragment {
  return new Fragment([{ value, passing: true }]);
}

/** A string literal, for statements without parameters (DDL). Assumes `standard_conforming_strings`, the default. */
export function literal(text: string): Fragment {
  if (text.includes('\0')) throw new Error('a literal cannot have a NUL character');
  return new Fragment([`'${text.replaceAll("'", "''")}'`]);
}

/** The fragment with its values as literals, for DDL; each has a cast to its type after it, or is compared with a text. */
export function withLiterals(fragment: Fragment): Fragment {
  return withValuesFrom(fragment, ({ value }) => literal(textOfValue(value)));
}

/** A value as PostgreSQL reads it from a text. */
export function textOfValue(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map(itemText).join()}}`;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new Error('only texts, numbers, booleans and lists of them can be literals');
}

function itemText(item: unknown): string {
  return item === null ? 'NULL' : `"${textOfValue(item).replace(/["\\]/g, '\\$&')}"`;
}

/** The values of a fragment, in the order of their numbers in its text. */
export function boundIn(fragment: Fragment): readonly Param[] {
  const writer = new StatementWriter();
  writer.write(fragment);
  return writer.params;
}

/** The fragment with others in place of its values, such as columns that have them. */
export function withValuesFrom(fragment: Fragment, place: (value: Param) => Fragment): Fragment {
  return new Fragment(
    fragment.pieces.map((piece) => {
      if (piece instanceof Fragment) return withValuesFrom(piece, place);
      return typeof piece === 'object' && 'value' in piece ? place(piece) : piece;
    }),
  );
}

/** A whole number as text of the statement. */
export function integer(value: number): Fragment {
  if (!Number.isSafeInteger(value)) throw new Error(`not a whole number: ${value}`);
  return new Fragment([String(value)]);
}

/** The name of a PostgreSQL type, which stands without quotes: words in small letters. */
export function sqlType(name: string): Fragment {
  if (!/^[a-z][a-z0-9_]*(?: [a-z]+)*$/.test(name)) throw new Error(`not the name of a type: ${name}`);
  return new Fragment([name]);
}

export const EMPTY_SQL = new Fragment([]);

export function join(fragments: readonly Fragment[], separator = ', '): Fragment {
  return new Fragment(
    fragments.flatMap((fragment, at) =>
      at === 0 ? [assertFragment(fragment)] : [separator, assertFragment(fragment)],
    ),
  );
}

/** The conditions joined by AND; those that are undefined are left out. `true` if there are none. */
export function all(conditions: readonly (Fragment | undefined)[]): Fragment {
  const present = conditions.filter((condition) => condition !== undefined);
  return present.length === 0 ? sql`true` : join(present, ' AND ');
}

/** A fragment without parameters as one text, for fragments that are kept and used again. */
export function flatten(fragment: Fragment): Fragment {
  const { text, values } = render(fragment);
  if (values.length > 0) throw new Error('only a fragment without parameters can be kept');
  return new Fragment([text]);
}

/** Characters of a statement per point, measured with tests of a filter, which take the most memory. */
const CHARACTERS_PER_POINT = 250;

/** @throws KindError 400 `query.too_large` for a statement with too many points */
export function checkStatementSize(tables: number, characters: number): number {
  const points = tables + Math.floor(characters / CHARACTERS_PER_POINT);
  if (points > LIMITS.statementPoints) throw statementTooLarge(points);
  return points;
}

/** @throws KindError 400 `query.too_large` if the statement has too many points */
export function render(fragment: Fragment, prepare = false): Statement {
  const writer = new StatementWriter();
  writer.write(fragment);
  const { text, params } = writer;
  // A statement without tables, such as DDL with long values, may have any length.
  const points = writer.points > 0 ? checkStatementSize(writer.points, text.length) : 0;
  return {
    text,
    values: params.map(({ value }) => value),
    prepare,
    ...(points > FEWEST_COUNTED_POINTS && { points }),
    ...(writer.records !== undefined && { records: writer.records }),
    ...(params.some(({ passing }) => passing) && { passing: true }),
  };
}

/** Statements without parameters, to be sent together. Its rows are those of all of them. */
export function inOneMessage(statements: readonly Statement[]): Statement {
  if (statements.some(({ values }) => values.length > 0)) {
    throw new Error('statements that are sent together have no parameters');
  }
  return { text: statements.map(({ text }) => text).join('; '), values: [] };
}

/**
 * Changes of tables and indexes as a block of PL/pgSQL, so that they are one statement. It has no rows. Citus sends the
 * text of a whole message to its workers for each change in it, and for each change in a block only its own.
 */
export function inOneBlock(statements: readonly Statement[]): Statement {
  if (statements.some(({ values }) => values.length > 0)) throw new Error('statements of a block have no parameters');
  const body = join(
    statements.map(({ text }) => sql`EXECUTE ${literal(text)};`),
    ' ',
  );
  return render(sql`DO ${literal(render(sql`BEGIN ${body} END`).text)}`);
}

/** Statements with fewer points have no `points`. */
const FEWEST_COUNTED_POINTS = 100;

function statementTooLarge(points: number): KindError {
  const [needed, max] = [points, LIMITS.statementPoints].map((number) => number.toLocaleString('en'));
  return refusal(
    'query.too_large',
    `This would take a statement of ${needed} points, and ${max} is the most: ` +
      'ask for fewer kinds, references or tests, or have the rules of these kinds made shorter',
  );
}

class StatementWriter {
  text = '';
  points = 0;
  records: string | undefined;
  readonly params: Param[] = [];
  /** The numbers of the parameters, from `FEW_PARAMS` parameters on; for fewer, searching the list is faster. */
  #numbers: Map<Param, number> | undefined;

  write({ pieces }: Fragment): void {
    for (const piece of pieces) {
      if (typeof piece === 'string') this.text += piece;
      else if (piece instanceof Fragment) this.write(piece);
      else if (piece instanceof PlannedTable) {
        this.text += piece.name;
        this.points += piece.points;
      } else if (piece instanceof RecordingTable) {
        this.text += piece.name;
        this.records = piece.schema;
      } else this.text += `$${this.#numberOf(piece)}`;
    }
  }

  #numberOf(param: Param): number {
    const known = this.#numbers ? (this.#numbers.get(param) ?? 0) : this.params.indexOf(param) + 1;
    if (known > 0) return known;
    const number = this.params.push(param);
    if (this.#numbers) this.#numbers.set(param, number);
    else if (number === FEW_PARAMS) this.#numbers = new Map(this.params.map((each, at) => [each, at + 1]));
    return number;
  }
}

const FEW_PARAMS = 16;
