/** The direction in the paths of links. Pure. */
import type { KindDef } from '../model/model.js';
import { didYouMean } from '../shared/did-you-mean.js';
import { refusal } from '../shared/errors.js';
import { shortened } from '../shared/shortened.js';
import type { Direction } from '../sql/link/traversal-plan.js';
import { notLinked } from '../unit/query/named-links.js';

const DIRECTIONS: readonly Direction[] = ['parent', 'child'];

/** @throws KindError 404 for kinds of the model and unknown directions */
export function parseDirection(kind: KindDef, direction: string): Direction {
  const found = DIRECTIONS.find((each) => each === direction);
  if (!found) {
    throw refusal('link.unknown', `No direction '${shortened(direction)}'${didYouMean(direction, DIRECTIONS)}`);
  }
  if (kind.builtIn) throw notLinked(kind);
  return found;
}
