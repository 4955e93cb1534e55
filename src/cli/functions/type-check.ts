/** Checks the types of modules against the kinds of a project, if TypeScript is installed. */
import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type TypeScript from 'typescript';
import type { ModuleFault } from '../../function/declare/definition.js';

/** The path of the kit's source, seen from `src/` and from `dist/`. */
const KIT_PATHS = ['../../kit/kit.ts', '../../../src/kit/kit.ts'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

/** The source of the kit; undefined if it is not installed. */
export function kitPath(): string | undefined {
  return KIT_PATHS.find((path) => existsSync(path));
}

/** The options by which modules are checked, as in a `tsconfig.json`. @param kit the path of the kit's source @param pathOf how a path is written */
export function moduleOptions(kit: string, pathOf: (path: string) => string): Record<string, unknown> {
  return {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: 'es2023',
    module: 'esnext',
    moduleResolution: 'bundler',
    allowImportingTsExtensions: true,
    resolveJsonModule: true,
    lib: ['es2023', 'es2024.string'],
    types: ['node'],
    typeRoots: [pathOf(join(kit, '../../../node_modules/@types'))],
    paths: { kind: [pathOf(kit)] },
  };
}

/** What was parsed of TypeScript's own libraries and of packages, by path: most of the time of a check without it. */
const libraries = new Map<string, TypeScript.SourceFile | undefined>();

export class TypeChecker {
  private constructor(
    private readonly ts: typeof TypeScript,
    private readonly kit: string,
    private readonly folder: string,
  ) {}

  /** Undefined if TypeScript or the source of the kit is not installed. */
  static async make(folder: string): Promise<TypeChecker | undefined> {
    const kit = kitPath();
    const found = await import('typescript').catch(() => undefined);
    const root = await realpath(folder).catch(() => folder);
    return kit !== undefined && found ? new TypeChecker(found.default, kit, root) : undefined;
  }

  /**
   * Returns the type errors of modules and of their imports from the folder. @param kinds the text of the declaration
   * file of the kinds
   */
  check(paths: readonly string[], kinds: string): ModuleFault[] {
    const { ts, folder } = this;
    const declaration = join(folder, '_kinds.of.this.check.d.ts');
    const files = ts.createCompilerHost(this.#options());
    const host: TypeScript.CompilerHost = {
      ...files,
      fileExists: (path) => path === declaration || files.fileExists(path),
      readFile: (path) => (path === declaration ? kinds : files.readFile(path)),
      getSourceFile: (path, language, ...more) => {
        if (path === declaration) return ts.createSourceFile(path, kinds, language);
        if (!path.includes('/node_modules/')) return files.getSourceFile(path, language, ...more);
        const known = libraries.get(path) ?? files.getSourceFile(path, language, ...more);
        libraries.set(path, known);
        return known;
      },
    };
    const program = ts.createProgram([declaration, ...paths], this.#options(), host);
    const own = program.getSourceFiles().filter(({ fileName }) => !relative(folder, fileName).startsWith('..'));
    // Those of other files are nobody's here, and to look for them took most of the time.
    const found = own.flatMap((file) => [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ]);
    return found.flatMap(({ file, start, messageText }) => {
      if (!file) return [];
      const { line } = file.getLineAndCharacterOfPosition(start ?? 0);
      const text = ts.flattenDiagnosticMessageText(messageText, ' ').replace(/\s+/g, ' ');
      return [{ file: relative(folder, file.fileName), line: line + 1, text }];
    });
  }

  #options(): TypeScript.CompilerOptions {
    const given = moduleOptions(this.kit, (path) => path);
    return this.ts.convertCompilerOptionsFromJson(given, this.folder).options;
  }
}
