// node compile.mjs <request>: compiles programs with the TypeScript of the repository. `request` is a JSON file with
// `[{ name, folder, files, options }]`. Prints the diagnostics as `[{ name, file, line, code, text }]`, and writes the
// outputs where `options.outDir` says. The programs share parsed files.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import ts from 'typescript';

const requests = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const parsed = new Map();
const found = requests.flatMap(({ name, folder, files, options }) => {
  const { options: settings, errors } = ts.convertCompilerOptionsFromJson(options, folder);
  const host = ts.createCompilerHost(settings);
  const read = host.getSourceFile;
  host.getSourceFile = (path, target, ...others) => {
    // The same text has another syntax tree in a module of another kind.
    const key = JSON.stringify([path, target]);
    if (!parsed.has(key)) parsed.set(key, read(path, target, ...others));
    return parsed.get(key);
  };
  const program = ts.createProgram(files, settings, host);
  const diagnostics = [...errors, ...ts.getPreEmitDiagnostics(program)];
  if (settings.outDir !== undefined) diagnostics.push(...program.emit().diagnostics);
  return diagnostics.map((diagnostic) => ({
    name,
    file: diagnostic.file === undefined ? '' : relative(folder, diagnostic.file.fileName),
    line: diagnostic.file?.getLineAndCharacterOfPosition(diagnostic.start).line ?? 0,
    code: diagnostic.code,
    text: ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'),
  }));
});
process.stdout.write(JSON.stringify(found));
