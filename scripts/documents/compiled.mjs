// Compiles the source tree with the files of the worked examples applied, and reports faults in these files and in
// their importers.
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';

const CONFIGURATION = 'tsconfig.build.json';

/**
 * @param {string} root of the project
 * @param {ReadonlyMap<string, string>} files by path below the root
 * @returns {string[]} a line for each fault
 */
export function faultsOfCompiling(root, files) {
  const laid = new Map([...files].map(([path, text]) => [resolve(root, path), text]));
  const { config, error } = ts.readConfigFile(join(root, CONFIGURATION), ts.sys.readFile);
  if (error !== undefined) throw new Error(textOf(error, root));
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const compiled = [...laid.keys()].filter((path) => path.endsWith('.ts'));
  const given = { ...options, noEmit: true, incremental: false, tsBuildInfoFile: undefined };
  const program = ts.createProgram([...new Set([...fileNames, ...compiled])], given, hostOf(given, laid));
  const looked = program.getSourceFiles().filter((file) => !file.isDeclarationFile && concerns(file, laid));
  return looked
    .flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])
    .map((fault) => textOf(fault, root));
}

/** Blocks in these languages that name no file are checked on their own. */
const READ_ALONE = new Set(['ts', 'js', 'mjs']);

/** @param {import('./markdown.mjs').Document} document */
export function faultsOfSyntax({ path, blocks }) {
  const alone = blocks.filter(({ language, info }) => READ_ALONE.has(language) && info === '');
  return alone.flatMap(({ line, language, text }) => {
    const compilerOptions = { target: ts.ScriptTarget.ESNext, experimentalDecorators: true };
    const { diagnostics = [] } = ts.transpileModule(text, { compilerOptions, reportDiagnostics: true });
    return diagnostics.map(
      (fault) => `${path}:${line} ${language}: ${ts.flattenDiagnosticMessageText(fault.messageText, ' ')}`,
    );
  });
}

function hostOf(options, laid) {
  const host = ts.createCompilerHost(options);
  const { fileExists, directoryExists, readFile, getSourceFile } = host;
  const folders = new Set([...laid.keys()].map((path) => dirname(path)));
  host.fileExists = (path) => laid.has(resolve(path)) || fileExists(path);
  // The compiler searches for files only in folders that exist.
  host.directoryExists = (path) => folders.has(resolve(path)) || (directoryExists?.(path) ?? true);
  host.readFile = (path) => laid.get(resolve(path)) ?? readFile(path);
  host.getSourceFile = (path, version, ...rest) => {
    const text = laid.get(resolve(path));
    return text === undefined ? getSourceFile(path, version, ...rest) : ts.createSourceFile(path, text, version, true);
  };
  return host;
}

/**
 * Returns whether a file is one of the applied files, or imports one, directly or through the `index.ts` of its module.
 */
function concerns({ fileName, imports = [] }, laid) {
  const path = resolve(fileName);
  if (laid.has(path)) return true;
  const doors = [...laid.keys()].map((file) => join(dirname(file), 'index.ts'));
  return imports
    .map(({ text }) => resolve(dirname(path), text.replace(/\.js$/, '.ts')))
    .some((imported) => laid.has(imported) || doors.includes(imported));
}

function textOf({ file, start, messageText }, root) {
  const text = ts.flattenDiagnosticMessageText(messageText, '\n');
  if (file === undefined) return text;
  const { line } = file.getLineAndCharacterOfPosition(start ?? 0);
  return `${relative(root, file.fileName)}:${line + 1} with the examples: ${text}`;
}
