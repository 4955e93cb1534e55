/** Reads and writes rows of the registry of projects. */
import { IsNull, LessThan, Not, type DataSource, type FindOptionsWhere, type Repository } from 'typeorm';
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

  list(take?: number): Promise<ProjectRow[]> {
    return this.#run(() => this.#rows.find({ order: { id: 'ASC' }, ...(take !== undefined && { take }) }));
  }

  /** Projects with indexes that are still to be built. */
  unindexed(): Promise<ProjectRow[]> {
    return this.#run(() => this.#rows.find({ where: { unindexed: true, status: 'active' }, order: { id: 'ASC' } }));
  }

  /** The ids of projects whose built-in tables are not known to have this version, or a newer one. */
  notKnownToHave(builtIn: number): Promise<string[]> {
    return this.#ids([
      { status: 'active', builtIn: IsNull() },
      { status: 'active', builtIn: LessThan(builtIn) },
    ]);
  }

  /** The ids of projects whose deletion has begun. */
  deleting(): Promise<string[]> {
    return this.#ids({ status: 'deleting' });
  }

  /** The id of a project that is not being deleted: this one if it is there, else the first; undefined without any. */
  async oneOf(preferred: string): Promise<string | undefined> {
    const one = await this.find(preferred);
    if (one?.status === 'active') return preferred;
    const [first] = await this.#ids({ status: 'active', id: Not(preferred) }, 1);
    return first;
  }

  async delete(id: string): Promise<void> {
    await this.#run(() => this.#rows.delete({ id }));
  }

  #ids(where: FindOptionsWhere<ProjectEntity> | FindOptionsWhere<ProjectEntity>[], take?: number): Promise<string[]> {
    const options = { select: { id: true }, where, order: { id: 'ASC' }, ...(take !== undefined && { take }) } as const;
    return this.#run(async () => (await this.#rows.find(options)).map(({ id }) => id));
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
