/** The contents of the files of projects, which are not in the database. */
export abstract class ProjectContents {
  /**
   * Removes all of a project; it may be called again after an interruption.
   * @param signal ends it between two steps @throws KindError 503 if their store does not answer
   */
  abstract remove(project: string, signal?: AbortSignal): Promise<void>;
}
