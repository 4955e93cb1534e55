/**
 * SQL from fragments. Text, identifiers, literals and parameters are different things, so that a value can not become
 * text by accident: the tag `sql` takes fragments only, and a fragment is made of a value only by the functions here.
 */
import { refusal, type KindError } from '../shared/errors.js';
import { LIMITS } from '../shared/limits.js';

/** A value bound to `$n`; one object used twice is bound once. */
export interface Param {
  readonly value: unknown;
}

/** A name in FROM: each time it stands there PostgreSQL plans how to read it. */
class PlannedTable {
  constructor(
    readonly name: string,
    readonly points: number,
  ) {}
}

/** Fragments are made of fragments: nothing is copied until the whole is rendered. */
type Piece = string | Param | PlannedTable | Fragment;

export class Fragment {
  constructor(readonly pieces: readonly Piece[]) {}
}

/** A rendered statement. `prepare`: worth a named statement, because its text comes back. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly prepare?: boolean;
  /** What PostgreSQL takes to plan it, in some 75 kB of memory each; left out where that is little. */
  readonly points?: number;
}

/** Whether a statement changes rows. Names and literals in it are in quotes, and in small letters where they are names. */
export function isWrite({ text }: Statement): boolean {
  return /\b(?:INSERT INTO|UPDATE|DELETE FROM)\b/.test(text.replace(/"[^"]*"/g, '""'));
}

/**
 * The tag of SQL templates. A line break with the white space around it is layout: it becomes one space, and nothing at
 * both ends of the template and inside of brackets. White space within a line is kept.
 */
export function sql(strings: TemplateStringsArray, ...fragments: readonly Fragment[]): Fragment {
  const { texts, whole } = templateOf(strings);
  if (whole) return whole;
  const pieces: Piece[] = [];
  for (let at = 0; at < fragments.length; at++) pieces.push(texts[at] ?? '', assertFragment(fragments[at]));
  pieces.push(texts[fragments.length] ?? '');
  return new Fragment(pieces);
}

interface SqlTemplate {
  /** The strings without their layout. */
  readonly texts: readonly string[];
  /** The fragment of a template that has no others in it. */
  readonly whole: Fragment | undefined;
}

/** A template has the same strings each time that it is evaluated, so its layout is removed once. */
const sqlTemplates = new WeakMap<TemplateStringsArray, SqlTemplate>();

function templateOf(strings: TemplateStringsArray): SqlTemplate {
  const known = sqlTemplates.get(strings);
  if (known) return known;
  const last = strings.length - 1;
  const texts = strings.map((text, at) => withoutLayout(text, at === 0, at === last));
  const template = { texts, whole: last === 0 ? new Fragment(texts) : undefined };
  sqlTemplates.set(strings, template);
  return template;
}

const QUOTED_COMMENT_OR_LAYOUT = /'[^']*'|"[^"]*"|--|\s*\n\s*/g;

function withoutLayout(text: string, first: boolean, last: boolean): string {
  return text.replace(QUOTED_COMMENT_OR_LAYOUT, (match, at: number) => {
    if (match === '--') throw new Error('SQL templates can not have comments: their lines are joined');
    if (match.trim() !== '') return match;
    const end = at + match.length;
    const atStart = at === 0 ? first : '(['.includes(text.charAt(at - 1));
    const atEnd = end === text.length ? last : ')]'.includes(text.charAt(end));
    return atStart || atEnd ? '' : ' ';
  });
}

/** A string would be text of the statement: the types forbid it, and so does this. */
function assertFragment(value: unknown): Fragment {
  if (value instanceof Fragment) return value;
  throw new TypeError('SQL is made of fragments only');
}

/** An identifier, quoted: `ident('project_demo', 'city')` is `"project_demo"."city"`. */
export function ident(...names: readonly string[]): Fragment {
  return new Fragment([quotedIdentifier(names)]);
}

/** A table in FROM. @param points what it takes to plan a way to read it, in some 75 kB of memory */
export function plannedTable(points: number, ...names: readonly string[]): Fragment {
  return new Fragment([new PlannedTable(quotedIdentifier(names), points)]);
}

function quotedIdentifier(names: readonly string[]): string {
  return names.map((name) => `"${name.replaceAll('"', '""')}"`).join('.');
}

/** A value to bind. */
export function param(value: unknown): Fragment {
  return new Fragment([{ value }]);
}

/** A string literal, for statements that can not have parameters (DDL). Assumes standard_conforming_strings, the default. */
export function literal(text: string): Fragment {
  if (text.includes('\0')) throw new Error('a literal can not have a NUL character');
  return new Fragment([`'${text.replaceAll("'", "''")}'`]);
}

/** A whole number as text of the statement. */
export function integer(value: number): Fragment {
  if (!Number.isSafeInteger(value)) throw new Error(`not a whole number: ${value}`);
  return new Fragment([String(value)]);
}

export const EMPTY_SQL = new Fragment([]);

export function join(fragments: readonly Fragment[], separator = ', '): Fragment {
  return new Fragment(
    fragments.flatMap((fragment, at) =>
      at === 0 ? [assertFragment(fragment)] : [separator, assertFragment(fragment)],
    ),
  );
}

/** `AND` of the conditions that are there; `true` where none is. */
export function all(conditions: readonly (Fragment | undefined)[]): Fragment {
  const present = conditions.filter((condition) => condition !== undefined);
  return present.length === 0 ? sql`true` : join(present, ' AND ');
}

/** A fragment without parameters as one piece, for those that are kept and used again. */
export function flatten(fragment: Fragment): Fragment {
  const { text, values } = render(fragment);
  if (values.length > 0) throw new Error('only a fragment without parameters can be kept');
  return new Fragment([text]);
}

/** Characters of a text that count as a point: those of tests take the most memory. */
const CHARACTERS_PER_POINT = 250;

/** @throws KindError 400 where it is more than one statement may be, whatever has made it so large */
export function render(fragment: Fragment, prepare = false): Statement {
  const writer = new StatementWriter();
  writer.write(fragment);
  const { text, params } = writer;
  // A definition may be as long as its values are.
  const points = writer.points > 0 ? writer.points + Math.floor(text.length / CHARACTERS_PER_POINT) : 0;
  if (points > LIMITS.statementPoints) throw statementTooLarge(points);
  return { text, values: params.map(({ value }) => value), prepare, ...(points > FEWEST_COUNTED_POINTS && { points }) };
}

/** Statements of less are not told apart. */
const FEWEST_COUNTED_POINTS = 100;

function statementTooLarge(points: number): KindError {
  const [got, most] = [points, LIMITS.statementPoints].map((number) => number.toLocaleString('en'));
  return refusal(
    'query.too_large',
    `This would take a statement of ${got} points, and ${most} is the most: ` +
      'ask for fewer kinds, references or tests, or have the rules of these kinds made shorter',
  );
}

class StatementWriter {
  text = '';
  points = 0;
  readonly params: Param[] = [];
  /** Only statements with many parameters need to look them up. */
  #numbers: Map<Param, number> | undefined;

  write({ pieces }: Fragment): void {
    for (const piece of pieces) {
      if (typeof piece === 'string') this.text += piece;
      else if (piece instanceof Fragment) this.write(piece);
      else if (piece instanceof PlannedTable) {
        this.text += piece.name;
        this.points += piece.points;
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
