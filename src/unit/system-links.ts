/**
 * The system's own link types, which kinds of the model have in place of users' links: `group` adds a kind to a group,
 * `parameter` adds a parameter to a kind.
 */
import { Injectable } from '@nestjs/common';
import type { SYSTEM_LINK_TYPES } from '../model/built-in-traits.js';
import type { Session } from '../catalog/session/session.js';

export interface SystemLink {
  readonly linkId: (typeof SYSTEM_LINK_TYPES)[number];
  readonly parentKind: string;
  /** Whether units of that kind can be the child. */
  accepts(childKind: string): boolean;
  /** @throws KindError 404 if one of the two does not exist, 403 for a parent that cannot be linked */
  check(session: Session, parentId: string, childKind: string, childId: string): void;
  /** Returns the id of the kind, whose record the endpoint answers. */
  add(session: Session, parentId: string, childId: string): Promise<string>;
  remove(session: Session, parentId: string, childId: string): Promise<void>;
}

@Injectable()
export class SystemLinks {
  readonly #links: SystemLink[] = [];

  register(link: SystemLink): void {
    this.#links.push(link);
  }

  find(parentKind: string, linkId: string, childKind: string): SystemLink | undefined {
    return this.#links.find(
      (link) => link.parentKind === parentKind && link.linkId === linkId && link.accepts(childKind),
    );
  }
}
