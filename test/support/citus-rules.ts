/**
 * What Citus refuses or does differently, as rules over the text of a statement. They hold without Citus, so that what
 * only a real one shows (`test/citus/`) is rarely broken. Each rule has the reason beside it.
 */

interface Rule {
  readonly name: string;
  readonly reason: string;
  /** Whether a statement breaks it. Names and texts in quotes are empty in `code`. */
  breaks(code: string, text: string): boolean;
}

/**
 * Functions whose result depends on their arguments alone (`provolatile = 'i'`), as far as writes use them. Words that
 * stand before brackets in SQL are here too.
 */
const IMMUTABLE = new Set(
  (
    'abs array_append array_remove any all array cardinality coalesce decode exists extract greatest least in and or not ' +
    'is on values from select where jsonb_array_elements jsonb_build_object jsonb_object_keys jsonb_path_query ' +
    'jsonb_typeof length lower octet_length translate trim_scale unnest floor round count min sum bool_and ' +
    'array_agg row_number over filter by interval starts_with max jsonb_exists jsonb_exists_any strpos string_agg ' +
    'substr'
  ).split(' '),
);
/**
 * Functions of no column, whose value Citus puts in their place before it sends an UPDATE or DELETE: the time, and rows in
 * FROM.
 */
const OF_NO_COLUMN = new Set(['now', 'statement_timestamp', 'json_to_recordset']);

/** The contents of the bracket that begins at `from`, and where it ends. */
function bracket(code: string, from: number): { readonly inner: string; readonly end: number } {
  let depth = 0;
  for (let at = from; at < code.length; at++) {
    if (code[at] === '(') depth += 1;
    else if (code[at] === ')' && --depth === 0) return { inner: code.slice(from + 1, at), end: at + 1 };
  }
  return { inner: code.slice(from + 1), end: code.length };
}

/** The text from `from` to the end of its bracket, or to one of the words at its own depth. */
function clause(code: string, from: number, until?: RegExp): string {
  let depth = 0;
  for (let at = from; at < code.length; at++) {
    if (code[at] === '(') depth += 1;
    else if (code[at] === ')' && --depth < 0) return code.slice(from, at);
    else if (depth === 0 && until && at > from && until.test(code.slice(at - 1, at + 12))) return code.slice(from, at);
  }
  return code.slice(from);
}

function clausesAfter(code: string, start: RegExp, until?: RegExp): string[] {
  return [...code.matchAll(start)].map(({ 0: found, index }) => clause(code, index + found.length, until));
}

/** Without what subqueries compute, which Citus does not look into. */
function withoutSubqueries(code: string): string {
  const at = code.search(/\(SELECT\b/);
  if (at < 0) return code;
  const { end } = bracket(code, at);
  return `${code.slice(0, at)}NULL${withoutSubqueries(code.slice(end))}`;
}

/** The names of what is called; a table in FROM can have the names of its columns in brackets. */
const calls = (code: string): string[] =>
  [...code.matchAll(/(?<!\bAS )\b([a-z_0-9]+)\(/gi)].map(([, name = '']) => name.toLowerCase());
const mutable = (code: string): string[] => calls(code).filter((name) => !IMMUTABLE.has(name));

/** What an UPDATE or DELETE computes itself: SET, the conditions. */
const changes = (code: string): string[] =>
  clausesAfter(code, /\b(?:UPDATE \S+|DELETE FROM \S+)(?= )/g, /^\W(?:RETURNING)\b/).filter(
    // Not FOR UPDATE, nor DO UPDATE.
    (each) => / SET |^ (?:AS \w+ )?WHERE/.test(each),
  );
const conflictClauses = (code: string): string[] => clausesAfter(code, /\bDO UPDATE SET /g, /^\WRETURNING\b/);
const returned = (code: string): string[] => clausesAfter(code, /\bRETURNING /g);
const inserted = (code: string): string[] =>
  clausesAfter(code, /\bINSERT INTO [^(]*\([^)]*\)\s*(?=SELECT\b)/g, /^\W(?:ON CONFLICT|RETURNING)\b/);
const lazy = (code: string): string[] => [
  ...[...code.matchAll(/\bCASE\b(.*?)\bEND\b/g)].map(([, inner = '']) => inner),
  ...[...code.matchAll(/\bcoalesce(?=\()/gi)].map(({ index, 0: found }) => bracket(code, index + found.length).inner),
];

export const CITUS_RULES: readonly Rule[] = [
  {
    name: 'RETURNING has columns only',
    reason: 'Citus refuses functions that are not IMMUTABLE there, and casts of times are such functions',
    breaks: (code) => returned(code).some((each) => /[(:]/.test(each)),
  },
  {
    name: 'DO UPDATE SET calls IMMUTABLE functions only',
    reason: 'Citus refuses others there and in the condition after it: a time comes from `excluded`',
    breaks: (code) => conflictClauses(code).some((each) => mutable(each).length > 0),
  },
  {
    name: 'UPDATE and DELETE call IMMUTABLE functions only, and now()',
    reason: 'Citus refuses VOLATILE functions there, and STABLE ones of columns; now() it replaces by its value',
    breaks: (code) =>
      changes(code).some((each) => mutable(withoutSubqueries(each)).some((name) => !OF_NO_COLUMN.has(name))),
  },
  {
    name: 'CASE and COALESCE of writes call IMMUTABLE functions only',
    reason: 'Citus does not evaluate now() where it may not be needed, and refuses it: take it from a table in FROM',
    breaks: (code) =>
      changes(code).some((each) => lazy(withoutSubqueries(each)).some((inner) => mutable(inner).length > 0)),
  },
  {
    name: 'the planner does not see that a condition of an UPDATE or DELETE is always false',
    reason:
      'Citus has no server to send it to then, and fails: a condition that may be a constant has OR (SELECT false)',
    breaks: (code) =>
      changes(code).some((each) => / (?:AND|WHERE) \(?(?:true|false)\b(?! OR \(SELECT false\))/.test(each)),
  },
  {
    name: 'no column with a time zone is added to an interval in a write',
    reason: 'the result depends on the setting TimeZone, so the operator is STABLE: add in UTC',
    breaks: (code) =>
      [...changes(code), ...conflictClauses(code)].some((each) =>
        /"\]?(?:\[1\])?\s*[+-]\s*(?:\$\d+::double precision \* )?interval/.test(each),
      ),
  },
  {
    name: 'the seconds of a column in a write are those in UTC',
    reason: 'extract(… FROM timestamptz) is STABLE',
    breaks: (code) =>
      changes(code).some((each) => /extract\(\w+ FROM (?![^)]*AT TIME ZONE)/.test(withoutSubqueries(each))),
  },
  {
    name: 'an INSERT that reads a table calls IMMUTABLE functions only',
    reason:
      'Citus evaluates others, and then writes `AND ( IS NOT NULL)` into the text for the worker: put them into a CTE',
    breaks: (code) => inserted(code).some((each) => /\b(?:FROM|JOIN) "c"\."c"/.test(each) && mutable(each).length > 0),
  },
  {
    name: 'no CTE and no table in FROM without columns',
    reason: 'Citus stores results between the parts of a statement, and has no file without columns',
    breaks: (code) =>
      /\bAS (?:MATERIALIZED )?\(\s*SELECT\s*(?:\)|FROM\b|WHERE\b)/.test(code) ||
      /\b(?:FROM|JOIN|,) ?\(\s*SELECT\s*(?:\)|FROM\b|WHERE\b)/.test(code),
  },
  {
    name: 'no EXISTS of a table without columns beside an INSERT of units',
    reason: 'the same, where it names nothing from outside of it: SELECT 1',
    breaks: (code, text) => /\baffected AS \(INSERT\b/.test(text) && /\bEXISTS \(SELECT FROM "c"\."c"/.test(code),
  },
  {
    name: 'no INSERT with changes of rows by their place',
    reason: 'Citus runs the parts of a statement with an INSERT one by one, and refuses ctid in them',
    breaks: (code) => /\bctid\b/.test(code) && /\bINSERT INTO\b/.test(code),
  },
  {
    name: 'a version is not read beside an INSERT of units',
    reason:
      'Citus runs the INSERT first and reads the version later: a write that was done would look stale, and be done twice',
    breaks: (_, text) =>
      /\baffected AS \(INSERT\b/.test(text) &&
      /SELECT (?:\(SELECT "version"|m\."version" AS v)[^]*FROM affected/.test(text),
  },
  {
    name: 'a notification is a statement of its own',
    reason: 'Citus would run it on a worker, where nobody listens, and which cannot commit it in two phases',
    breaks: (code) => /\b(?:pg_notify\(|NOTIFY\b)/.test(code) && /\b(?:FROM|INSERT|UPDATE|DELETE)\b/.test(code),
  },
  {
    name: 'an INSERT of units computes nothing that depends on settings',
    reason: 'the same: no now(), and times are added to in UTC',
    breaks: (code) =>
      inserted(code)
        .filter((each) => /\bFROM input\b/.test(each))
        .some((each) => /\bnow\(|(?<!AT TIME ZONE '') \+ (?:\$\d+::double precision \* )?interval/.test(each)),
  },
  {
    name: 'columns of a constraint have no table before them',
    reason: 'Citus gives the table another name on its servers, and leaves the text as it is',
    breaks: (code) => clausesAfter(code, /\bCHECK \(/g).some((each) => /"c"\."c"/.test(each)),
  },
  {
    name: 'no trigger',
    reason: 'Citus refuses triggers on tables of tenants',
    breaks: (code) => /\bCREATE (?:OR REPLACE )?(?:CONSTRAINT )?TRIGGER\b/.test(code),
  },
  {
    name: 'changes of tables and indexes are not sent together with others, unless in a block',
    reason: 'Citus sends the text of the whole message to the workers for each of them',
    breaks: (code) => /;/.test(code) && /\b(?:CREATE (?:UNIQUE )?INDEX|ALTER TABLE|DROP INDEX)\b/.test(code),
  },
  {
    name: 'no column is added together with a constraint',
    reason: 'Citus refuses it, also where the column is there: ADD CONSTRAINT is a statement of its own',
    breaks: (code) => /\bADD COLUMN\b.*\b(?:CHECK|REFERENCES|UNIQUE|PRIMARY KEY)\b/.test(code),
  },
  {
    name: 'new tables are not made in a block',
    reason: 'Citus makes no table of the tenant of them',
    breaks: (_, text) => /^DO\b/.test(text) && /CREATE TABLE\b/.test(text),
  },
];

/** The names of the rules that a statement breaks. */
export function brokenCitusRules(text: string): string[] {
  const code = text.replaceAll(/'(?:[^']|'')*'/g, "''").replaceAll(/"(?:[^"]|"")*"/g, '"c"');
  return CITUS_RULES.filter((rule) => rule.breaks(code, text)).map(({ name }) => name);
}
