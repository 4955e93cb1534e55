/** Which values may follow which: a state that only goes the ways that are written down. */
import { isPlainObject, type Json } from '../../shared/json.js';
import { LIMITS } from '../../shared/limits.js';
import { getOrInsert } from '../../shared/maps.js';
import { LEVELS, type Level } from '../access-levels.js';
import type { CheckContext, ParameterSetting } from './parameter-setting.js';

/** As it is stored: from each value, and `initial` for new units, to others, each with or without a condition. */
type Transitions = Readonly<Record<string, Json>>;

/** The key of the values that a new unit may begin with, and one that has none. */
const INITIAL = 'initial';

interface Transition {
  readonly from: string;
  readonly to: string;
  /** Who may do it, or rules over the stored unit of which one has to match; undefined for all. */
  readonly when: Level | readonly string[] | undefined;
}

interface ParsedTransitions {
  /** The values of new units; undefined for all. */
  readonly initial: readonly string[] | undefined;
  readonly list: readonly Transition[];
}

const parsed = new WeakMap<Transitions, ParsedTransitions>();

const NONE: ParsedTransitions = { initial: undefined, list: [] };

/** Without what is malformed; the same object always gives the same result. */
export function parsedTransitions(transitions: Transitions): ParsedTransitions {
  if (!isPlainObject(transitions)) return NONE;
  return getOrInsert(parsed, transitions, () => {
    const { [INITIAL]: initial, ...others } = transitions;
    const list = Object.entries(others).flatMap(([from, targets]) => targetsIn(targets).map((to) => ({ from, ...to })));
    return { initial: initial === undefined ? undefined : targetsIn(initial).map(({ to }) => to), list };
  });
}

/** The same transitions, of which nobody does those whose condition is closed; undefined if none is. */
export function withClosedConditions(
  transitions: Transitions,
  isClosed: (rules: readonly string[]) => boolean,
): Transitions | undefined {
  let any = false;
  const closed = mapConditions(transitions, (rules) => {
    if (!isClosed(rules)) return rules;
    any = true;
    return 'nobody';
  });
  return any ? closed : undefined;
}

/** The same transitions with other conditions; levels stay. */
export function mapConditions(
  transitions: Transitions,
  changed: (rules: readonly string[]) => Level | readonly string[],
): Transitions {
  const mapped = (given: Json): Json => {
    const when = targetOf(given)?.when;
    return Array.isArray(when)
      ? { ...(given as Transitions), when: changed(when as readonly string[]) as Json }
      : given;
  };
  const entries = Object.entries(transitions).map(([from, targets]): [string, Json] => [
    from,
    Array.isArray(targets) ? (targets as readonly Json[]).map(mapped) : targets,
  ]);
  return Object.fromEntries(entries);
}

function targetsIn(targets: Json | undefined): Omit<Transition, 'from'>[] {
  return Array.isArray(targets) ? (targets as readonly Json[]).flatMap((each) => targetOf(each) ?? []) : [];
}

/** Undefined if it is malformed. */
function targetOf(given: Json): Omit<Transition, 'from'> | undefined {
  if (typeof given === 'string') return { to: given, when: undefined };
  if (!isPlainObject(given) || Object.keys(given).some((key) => key !== 'to' && key !== 'when')) return undefined;
  const { to, when } = given;
  if (typeof to !== 'string') return undefined;
  if (when === undefined) return { to, when };
  const level = LEVELS.find((each) => each === when);
  if (level) return { to, when: level };
  const rules: readonly Json[] = Array.isArray(when) ? (when as readonly Json[]) : [when];
  const areRules = rules.length > 0 && rules.every((rule) => typeof rule === 'string' && rule.includes('('));
  return areRules ? { to, when: rules as readonly string[] } : undefined;
}

interface Settings {
  readonly transitions?: Transitions | undefined;
  readonly values?: readonly (string | number)[] | undefined;
  readonly default?: Json;
  readonly multiple: boolean;
  readonly runTime: boolean;
}

function check({ transitions: given, ...def }: Settings, { report }: CheckContext): void {
  if (given === undefined) return;
  if (!isPlainObject(given)) return report('transitions', 'must be an object of values, each with a list of the next');
  if (def.multiple) return report('transitions', 'a list has none');
  if (def.runTime) return report('transitions', 'a value that is not stored has none');
  const { values } = def;
  if (!values) return report('transitions', "needs 'values', whose transitions they are");
  if (values.length > LIMITS.transitionValues) {
    return report('transitions', `at most ${LIMITS.transitionValues} values, got ${values.length}`);
  }
  if (values.includes(INITIAL)) {
    return report('transitions', `'${INITIAL}' says where new units begin, and can be none of the values`);
  }
  let count = 0;
  for (const [from, targets] of Object.entries(given)) {
    if (from !== INITIAL && !values.includes(from)) report('transitions', `'${from}' is not among the values`);
    if (!Array.isArray(targets)) {
      report('transitions', `'${from}': must be a list`);
      continue;
    }
    const seen = new Set<string>();
    for (const [at, each] of (targets as readonly Json[]).entries()) {
      count += 1;
      const to = targetOf(each)?.to;
      const isRepeated = to !== undefined && seen.has(to);
      if (to !== undefined) seen.add(to);
      const fault = isRepeated
        ? `'${to}' is there twice; several rules are a list in one 'when'`
        : targetFault(each, from, values);
      if (fault !== undefined) report('transitions', `'${from}'[${at}]: ${fault}`);
    }
  }
  if (count > LIMITS.transitions) report('transitions', `at most ${LIMITS.transitions}, got ${count}`);
  const { initial } = parsedTransitions(given);
  if (initial && typeof def.default === 'string' && !initial.includes(def.default)) {
    report('transitions', `the default '${def.default}' is not among those of '${INITIAL}'`);
  }
}

/** What is wrong with one target of a value; undefined if nothing is. */
function targetFault(given: Json, from: string, values: readonly (string | number)[]): string | undefined {
  const target = targetOf(given);
  if (!target) return `must be a value, or {"to": a value, "when": one of ${LEVELS.join(', ')}, a rule or rules}`;
  if (!values.includes(target.to)) return `'${target.to}' is not among the values`;
  return from === INITIAL && target.when !== undefined ? 'new units have no condition' : undefined;
}

export const transitions: ParameterSetting<'transitions', Transitions | undefined> = {
  key: 'transitions',
  unset: undefined,
  isOwn: true,
  field: { type: 'json', label: 'Transitions' },
  stored: { revealing: 'rights' },
  check,
  form: {
    control: 'transitions',
    label: 'Transitions',
    help: 'Which of the allowed values may follow which. Without any, each may follow each; a value that has none stays. When: a rule such as eq(owner,@member.id), or member, admin or nobody.',
    word: 'with transitions',
    isNotForLinks: true,
  },
};
