/** A file of the functions folder that declares a module. */
export interface ModuleFile {
  readonly kind: string;
  /** Null for all projects. */
  readonly project: string | null;
  /** The real path of the functions folder. */
  readonly root: string;
  /** The real path of the file. */
  readonly path: string;
  /** The path relative to the functions folder, as messages show it. */
  readonly file: string;
}
