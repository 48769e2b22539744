/** The build output. Specs run the TypeScript files in `src`, and their build is in `dist`. */
const OUTPUT = new URL(import.meta.url.endsWith('.ts') ? '../../../dist/' : '../../../', import.meta.url);

/**
 * Returns the folder of a part of the build, such as `console`. The URL ends with a slash. The folder may be missing,
 * because another tool builds it.
 */
export function buildOutput(name: string): URL {
  return new URL(`${name}/`, OUTPUT);
}
