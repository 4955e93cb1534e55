/** Clients that `kind client` writes, for tests. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import type { Client, ClientOptions, Shapes } from '../../packages/client/index.js';
import { clientFiles } from '../../src/doc/client/client-files.js';
import { atEnd } from './at-end.js';

/** A folder that goes with the test file. */
export function clientFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kind-client-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export async function writeClient(folder: string, types: string): Promise<void> {
  for (const [name, text] of await clientFiles('administrator', types)) writeFileSync(join(folder, name), text);
}

/** The client of a folder, as an application loads it. */
export async function loadClient<S extends Shapes<S>>(folder: string): Promise<(options: ClientOptions) => Client<S>> {
  const { createClient } = (await import(pathToFileURL(join(folder, 'index.ts')).href)) as {
    createClient: (options: ClientOptions) => Client<S>;
  };
  return createClient;
}

const ROOT = join(import.meta.dirname, '../..');
/** The strictest settings that an application may have. */
const STRICT: ts.CompilerOptions = {
  noEmit: true,
  strict: true,
  target: ts.ScriptTarget.ES2020,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  lib: ['lib.es2022.d.ts'],
  types: ['node'],
  typeRoots: [join(ROOT, 'node_modules/@types')],
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noImplicitOverride: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  isolatedModules: true,
  verbatimModuleSyntax: true,
  erasableSyntaxOnly: true,
  skipLibCheck: true,
};

export interface Checked {
  /** `line: text`, in the order of the lines. */
  readonly errors: readonly string[];
  readonly instantiations: number;
}

/** Compiles programs beside a client. @param texts by the name of the file */
export function checkPrograms(folder: string, texts: Readonly<Record<string, string>>, options = STRICT): Checked {
  const host = ts.createCompilerHost(options);
  const given = new Map(
    Object.entries({ 'package.json': '{"type":"module"}', ...texts }).map(([name, text]) => [join(folder, name), text]),
  );
  const program = ts.createProgram({
    rootNames: [...given.keys()].filter((name) => name.endsWith('.ts')),
    options,
    host: {
      ...host,
      fileExists: (name) => given.has(name) || host.fileExists(name),
      readFile: (name) => given.get(name) ?? host.readFile(name),
      getSourceFile: (name, language, ...more) => {
        const text = given.get(name);
        return text === undefined
          ? host.getSourceFile(name, language, ...more)
          : ts.createSourceFile(name, text, language);
      },
    },
  });
  const errors = ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const line = file ? file.getLineAndCharacterOfPosition(start).line + 1 : 0;
    return `${file?.fileName.replace(`${folder}/`, '') ?? ''}:${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
  return { errors, instantiations: program.getInstantiationCount() };
}
