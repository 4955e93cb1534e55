/** Links units. Kinds of the model have link types of the system, which other modules bring. */
import { Injectable } from '@nestjs/common';
import { openKind } from '../access/access.js';
import { Catalog } from '../catalog/catalog.service.js';
import { refusal } from '../shared/errors.js';
import type { RequestScope } from '../tenancy/request-scope.js';
import { SystemLinks, type SystemLink } from '../unit/system-links.js';
import { UnitService } from '../unit/unit.service.js';

export interface LinkPath {
  readonly parentKind: string;
  readonly parent: string;
  readonly link: string;
  readonly childKind: string;
  readonly child: string;
}

@Injectable()
export class LinkService {
  constructor(
    private readonly catalog: Catalog,
    private readonly systemLinks: SystemLinks,
    private readonly units: UnitService,
  ) {}

  /** Answers the JSON of the endpoint: for the system's link types the kind record. */
  async create(scope: RequestScope, path: LinkPath, url: string): Promise<string> {
    const link = await this.#find(scope, path);
    return this.units.define(
      scope,
      { kindId: path.parentKind, unitId: path.parent, operation: 'update' },
      { url },
      (session) => link.add(session, path.parent, path.childKind, path.child),
    );
  }

  async remove(scope: RequestScope, path: LinkPath, url: string): Promise<void> {
    const link = await this.#find(scope, path);
    await this.units.define(
      scope,
      { kindId: path.parentKind, unitId: path.parent, operation: 'update' },
      { url },
      (session) => link.remove(session, path.parent, path.childKind, path.child),
    );
  }

  /** Rights come before existence. */
  #find(scope: RequestScope, { parentKind, link, childKind }: LinkPath): Promise<SystemLink> {
    return this.catalog.withModel(scope.project, (model) => {
      openKind(model, parentKind, ['link', 'update'], scope.caller);
      const found = this.systemLinks.find(parentKind, link, childKind);
      if (found) return Promise.resolve(found);
      throw refusal(
        'link.unknown',
        `No link type '${link.slice(0, 80)}' from '${parentKind}' to '${childKind.slice(0, 80)}'`,
      );
    });
  }
}
