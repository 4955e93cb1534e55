/** The plan of a traversal of links. */
import type { Field, KindDef } from '../../model/model.js';
import type { Predicate } from '../../model/predicate/predicate.js';

export type Direction = 'parent' | 'child';

/** A kind whose units a traversal can visit. */
export interface PassedKind {
  readonly kind: KindDef;
  /** The units that the caller may read; undefined for all. */
  readonly access: Predicate | undefined;
}

/** The fields of a link type's parameters. */
export interface ShownLinkValues {
  readonly linkId: string;
  readonly fields: readonly Field[];
}

/** Which links a traversal follows, and how far. */
export interface Traversal {
  readonly schema: string;
  readonly direction: Direction;
  /** The number of steps after the first one. */
  readonly depth: number;
  /** The link types that are followed; undefined for all. */
  readonly linkIds: readonly string[] | undefined;
  readonly passed: readonly PassedKind[];
  /** Whether these are all kinds that can have linked units. */
  readonly passesAll: boolean;
  /** The parameters of link types that the answered links show. */
  readonly linkValues: readonly ShownLinkValues[];
  /** Whether at most one of the followed links can lead from one unit to another. */
  readonly oneType: boolean;
}
