/** A file of the folder of functions that declares a module. */
export interface ModuleFile {
  readonly kind: string;
  /** Null for all projects. */
  readonly project: string | null;
  /** Where the folder of functions really is. */
  readonly root: string;
  /** Where it really is. */
  readonly path: string;
  /** As it is told. */
  readonly file: string;
}
