/** The results of the expressions of an edit: for behaviors, which get values, and to tell why an edit was refused. */
import type { PatternMatcher } from '../../../catalog/pattern/pattern-matcher.js';
import { targetKindTextFor } from '../../../access/reference-access.js';
import { readJson } from '../../../http/body/json-pieces.js';
import { PatternChecks } from '../../../model/check/pattern-checks.js';
import { EventLoopYield } from '../../../shared/event-loop-yield.js';
import { Faults, KindError, type Message } from '../../../shared/errors.js';
import { runYielding } from '../../../shared/work-in-pieces.js';
import type { UpdatePlan } from '../../../sql/write/written-rows.sql.js';
import { DefaultBytes } from '../../draft/default-bytes.js';
import { expressionsOf, withValuesOf, type Draft } from '../../draft/draft.js';
import { draftUpdate } from '../../draft/draft-reader.js';
import { originalCallerOf, type Session } from '../../../catalog/session/session.js';
import { fetchResults } from './write.repository.js';

type Target = Pick<UpdatePlan, 'schema' | 'kind' | 'id'>;

/**
 * The draft with the results in place of its expressions. The unit must be locked, or the statement of the edit have
 * changed nothing. @throws KindError 409 for results that do not fit; it does not tell them, nor what is stored
 */
export async function withResults(...given: Parameters<typeof checkedResults>): Promise<Draft> {
  try {
    return await checkedResults(...given);
  } catch (error) {
    throw error instanceof KindError && error.status === 400 ? withoutValues(error) : error;
  }
}

/** The faults of results, one for each parameter. */
function withoutValues(refused: KindError): KindError {
  const told = new Map(
    refused.messages.map(({ parameter = '' }): [string, Message] => {
      const text = `${parameter}: the result of the expression does not fit the parameter`;
      return [parameter, { code: 'parameter.bad_expression', text, parameter }];
    }),
  );
  const [first = refused.messages[0], ...rest] = told.values();
  return new KindError([first, ...rest]);
}

async function checkedResults(
  session: Session,
  patterns: PatternMatcher,
  target: Target,
  draft: Draft,
): Promise<Draft> {
  const expressions = expressionsOf(draft);
  if (expressions.length === 0) return draft;
  const { kind } = target;
  const found = await fetchResults(session, target, expressions);
  // The unit was deleted in between.
  if (!found) return draft;
  const values = (await readJson(found.body, session.project.schema)) as Record<string, unknown>;
  const faults = new Faults();
  const given = new Map<string, unknown>();
  for (const { field } of expressions) {
    const value = values[field.id];
    if (value !== null) given.set(field.id, value);
    else
      faults.add('parameter.bad_value', `${field.id}: the result is out of the range of its type`, {
        parameter: field.id,
      });
  }
  const texts = new PatternChecks();
  const options = {
    kind,
    writable: kind.fields,
    readable: kind.fields,
    faults,
    patterns: texts,
    defaults: new DefaultBytes(),
    ofTarget: targetKindTextFor(originalCallerOf(session), session.model),
  };
  const results = await runYielding(draftUpdate(given, options), new EventLoopYield(session.project.schema));
  await patterns.settle(session.project.id, texts);
  if (!faults.any) {
    for (const [at, { field }] of expressions.entries()) {
      if (found.fits[at] === true) continue;
      const text = `${field.id}: the result is larger than a value may be`;
      faults.add('parameter.too_long', text, { parameter: field.id });
    }
  }
  faults.throwIfAny();
  return withValuesOf(draft, results);
}
