/** Reads and writes rows of the registry of projects. */
import type { DataSource, Repository } from 'typeorm';
import { isDatabaseFault, commonRefusal } from '../statement/sqlstate.js';
import { ProjectEntity } from '../entities/project.entity.js';

export type ProjectRow = Readonly<ProjectEntity>;

export class ProjectRepository {
  readonly #rows: Repository<ProjectEntity>;

  constructor(dataSource: DataSource) {
    this.#rows = dataSource.getRepository(ProjectEntity);
  }

  find(id: string): Promise<ProjectRow | undefined> {
    return this.#run(async () => (await this.#rows.findOneBy({ id })) ?? undefined);
  }

  list(): Promise<ProjectRow[]> {
    return this.#run(() => this.#rows.find({ order: { id: 'ASC' } }));
  }

  /** Projects with indexes that are still to be built. */
  unindexed(): Promise<ProjectRow[]> {
    return this.#run(() => this.#rows.find({ where: { unindexed: true, status: 'active' }, order: { id: 'ASC' } }));
  }

  async update(id: string, change: { status: ProjectEntity['status'] }): Promise<void> {
    await this.#run(() => this.#rows.update({ id }, change));
  }

  async delete(id: string): Promise<void> {
    await this.#run(() => this.#rows.delete({ id }));
  }

  async #run<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      // TypeORM wraps the driver's error.
      const cause = (error as { driverError?: unknown }).driverError ?? error;
      throw commonRefusal(isDatabaseFault(cause) ? cause : error) ?? error;
    }
  }
}
