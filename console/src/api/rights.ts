/** What the member that is signed in may do (docs/access.md). */
import { session } from './session.js';

/** None; some, by a rule; or all that the member may read. */
export type Right = 'none' | 'some' | 'all';

export type ToldOperation = 'read' | 'create' | 'update' | 'delete' | 'link' | 'history';

export interface KindRights extends Readonly<Record<ToldOperation, Right>> {
  readonly id: string;
  /** The fields that the member may read and not set. */
  readonly read_only: readonly string[];
}

export interface OwnRights {
  readonly administrator: boolean;
  /** Those with which the member may do something. */
  readonly kinds: readonly KindRights[];
  readonly link_types: readonly {
    readonly id: string;
    readonly create: Right | null;
    readonly delete: Right | null;
  }[];
}

/** @throws ApiError */
export async function getRights(): Promise<OwnRights> {
  return (await session.call<OwnRights>({ path: ['auth', 'rights'] })).content;
}
